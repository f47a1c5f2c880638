import { setTimeout as delay } from 'node:timers/promises'

const POLL_EVERY_MS = 50

/** Waits for a condition, and names it when it does not come about. */
export async function waitUntil(
  condition: string,
  holds: () => boolean | Promise<boolean>,
  timeoutMs = 30_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${condition}`)
    await delay(POLL_EVERY_MS)
  }
}
