import { setTimeout as delay } from 'node:timers/promises'

const POLL_EVERY_MS = 20

/** Polls a condition, and names it in the error after the timeout. */
export async function waitUntil(
  condition: string,
  holds: () => boolean | Promise<boolean>,
  timeoutMs = 150_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${condition}`)
    await delay(POLL_EVERY_MS)
  }
}
