/** Sends requests to those who are compared, and tells what they took. */
import { strictEqual } from 'node:assert'
import { type BenchConnection, type BenchResponse, openBenchConnection } from './http-load.js'
import { runInterleaved } from './measure.js'
import { PAYMENT_ROUNDS, PAYMENTS_IN_FLIGHT } from './pay-aims.js'
import type { PaymentServer } from './pay-processes.js'
import type { RequestSource } from './payment-requests.js'

export interface Contestant {
  readonly server: PaymentServer
  readonly requests: RequestSource
  /** Throws unless it is the answer that there should be: what is fast because it is broken does not count. */
  readonly verify: (reply: BenchResponse) => void
  /** How often its chain has been called so far, where that is of interest. */
  readonly calls?: () => Promise<number>
}

export interface LoadSample {
  readonly latenciesMs: readonly number[]
  /** Of one request, as are the next two. */
  readonly cpuMs: number
  readonly wallMs: number
  readonly calls: number
}

export type Contestants<Name extends string> = Readonly<Record<Name, Contestant>>

/** Of every round. */
export type LoadSamples<Name extends string> = Readonly<Record<Name, readonly LoadSample[]>>

export async function warmUp(contestants: Contestants<string>, count: number): Promise<void> {
  for (const contestant of Object.values(contestants))
    await load(contestant, count, PAYMENTS_IN_FLIGHT)
}

export function measureLoads<Name extends string>(
  contestants: Contestants<Name>,
  count: number,
  inFlight: number,
): Promise<LoadSamples<Name>> {
  const runs = Object.entries<Contestant>(contestants).map(
    ([name, contestant]) => [name, () => load(contestant, count, inFlight)] as const,
  )
  return runInterleaved(
    Object.fromEntries(runs) as Record<Name, () => Promise<LoadSample>>,
    PAYMENT_ROUNDS,
  )
}

async function load(
  { server, requests, verify, calls = async () => 0 }: Contestant,
  count: number,
  inFlight: number,
): Promise<LoadSample> {
  const texts = await requests(count)
  const lines = await Promise.all(
    Array.from({ length: inFlight }, () => openBenchConnection(server.port)),
  )
  const callsBefore = await calls()
  const cpuBefore = await server.cpuMs()
  const startedAt = performance.now()
  const answers = await sendAll(lines, texts)
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

async function sendAll(lines: readonly BenchConnection[], requests: readonly string[]) {
  const answers: { reply: BenchResponse; elapsedMs: number }[] = []
  const left = requests.values()
  const work = async (line: BenchConnection) => {
    // Whoever is free takes the next.
    for (const request of left) {
      const startedAt = performance.now()
      const reply = await line.send(request)
      answers.push({ reply, elapsedMs: performance.now() - startedAt })
    }
  }
  await Promise.all(lines.map(work))
  return answers
}
