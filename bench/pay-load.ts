/** Sends requests to one of those who are compared, and tells what they took. */
import { strictEqual } from 'node:assert'
import { type Line, openLine, type Reply } from './pay-line.js'
import type { Server } from './pay-processes.js'
import type { Wallet } from './pay-wallet.js'

export interface Contestant {
  readonly server: Server
  /** Null for what is not paid for. */
  readonly wallet: Wallet | null
  readonly path: string
  /** Throws unless it is the answer that there should be: what is fast because it is broken does not count. */
  readonly verify: (reply: Reply) => void
  /** How often its chain has been called so far. */
  readonly calls: () => Promise<number>
}

export interface Load {
  readonly latenciesMs: readonly number[]
  /** Of one request, as are the next two. */
  readonly cpuMs: number
  readonly wallMs: number
  readonly calls: number
}

export async function load(
  { server, wallet, path, verify, calls }: Contestant,
  count: number,
  inFlight: number,
): Promise<Load> {
  const headers = wallet ? await wallet(count) : Array.from({ length: count }, () => ({}))
  const lines = await Promise.all(Array.from({ length: inFlight }, () => openLine(server.port)))
  const callsBefore = await calls()
  const cpuBefore = await server.cpuMs()
  const startedAt = performance.now()
  const answers = await askAll(lines, path, headers)
  const wallMs = (performance.now() - startedAt) / count
  const cpuMs = ((await server.cpuMs()) - cpuBefore) / count
  for (const line of lines) line.close()
  strictEqual(answers.length, count)
  for (const { reply } of answers) verify(reply)
  return {
    latenciesMs: answers.map(({ elapsedMs }) => elapsedMs),
    cpuMs,
    wallMs,
    calls: ((await calls()) - callsBefore) / count,
  }
}

async function askAll(
  lines: readonly Line[],
  path: string,
  headers: readonly Record<string, string>[],
) {
  const answers: { reply: Reply; elapsedMs: number }[] = []
  const left = headers.values()
  const work = async (line: Line) => {
    // Whoever is free takes the next.
    for (const header of left) {
      const startedAt = performance.now()
      const reply = await line.get(path, header)
      answers.push({ reply, elapsedMs: performance.now() - startedAt })
    }
  }
  await Promise.all(lines.map(work))
  return answers
}
