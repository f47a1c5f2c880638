/** A stretch of the traffic in which something breaks and is mended, and what became of every request. */
import { expect } from 'vitest'
import { finalResponse, retryUntilDecided } from './cluster-payer.js'
import { countByOutcome, countOccurrences, describeOutcome, printCounts } from './outcome-counts.js'
import type { AnsweredRequest, LoadKind, SteadyLoad } from './steady-load.js'
import { waitUntil } from './wait-until.js'

export interface FaultScenario {
  readonly title: string
  /** What may come of requests meanwhile, besides what always comes of them. */
  readonly expectedOutcomes?: Partial<Record<LoadKind, readonly string[]>>
  /** Breaks it, waits until that shows, and mends it. */
  inject(watch: Watch): Promise<unknown>
}

interface Watch {
  /** Resolves when this was the outcome so many times. */
  waitForOutcome(kind: LoadKind, outcome: string, count: number): Promise<void>
}

const NORMAL: Record<LoadKind, readonly string[]> = {
  free: ['200'],
  greedy: ['200', '429 rate_limited'],
  unpaid: ['402 payment_required'],
  paid: ['200'],
}
/** So many requests in a row, of all kinds, before we say that all is well. */
const ROW = 60

const isNormal = ({ kind, response }: AnsweredRequest) =>
  NORMAL[kind].includes(describeOutcome(response))

/** Resolves when all kinds of requests that were sent since then have been answered as usual. */
export function waitUntilHealthy(load: SteadyLoad, time: number): Promise<void> {
  return waitUntil('all is well', () => {
    const row = answeredSince(load, time).slice(-ROW)
    return row.length === ROW && row.every(isNormal)
  })
}

const answeredSince = (load: SteadyLoad, time: number) =>
  load.answered.filter(({ startedAt }) => startedAt >= time)

/** Every request belongs to a chapter: each begins where the one before has ended. */
const told = new Set<number>()

export async function runFaultScenario(load: SteadyLoad, fault: FaultScenario): Promise<void> {
  const beginAt = performance.now()
  await waitUntilHealthy(load, beginAt)
  const before = answeredSince(load, beginAt)
  await fault.inject({
    waitForOutcome: (kind, outcome, count) =>
      waitUntil(`${count} × ${kind} ${outcome}`, () => {
        const same = answeredSince(load, beginAt).filter((one) => one.kind === kind)
        return same.filter(({ response }) => describeOutcome(response) === outcome).length >= count
      }),
  })
  const mendedAt = performance.now()
  await waitUntilHealthy(load, mendedAt)
  const recovered = `well again after ${Math.round(performance.now() - mendedAt)} ms`
  await verifyOutcomes(load, `${fault.title}: ${recovered}`, fault.expectedOutcomes)
  expect(unexplained(before)).toEqual({})
}

/** Whatever was sent and is in no chapter yet. */
export async function verifyOutcomes(
  load: SteadyLoad,
  title: string,
  explained: FaultScenario['expectedOutcomes'] = {},
): Promise<void> {
  const asked = new Set(load.sent.map(({ id }) => id).filter((id) => !told.has(id)))
  const ours = () => load.answered.filter(({ id }) => asked.has(id))
  await waitUntil('all of them are answered', () => ours().length === asked.size, 60_000)
  for (const id of asked) told.add(id)
  const debts = await payDebts(ours())

  const kinds = countOccurrences(
    ours().map(({ kind, response }) => `${kind.padEnd(6)}  ${describeOutcome(response)}`),
  )
  const slowest = Math.round(Math.max(...ours().map(({ response }) => response.elapsedMs)))
  printCounts(`${title}; ${asked.size} requests, the slowest ${slowest} ms`, { ...kinds, ...debts })
  expect(unexplained(ours(), explained)).toEqual({})
}

function unexplained(
  answered: readonly AnsweredRequest[],
  explained: FaultScenario['expectedOutcomes'] = {},
): Record<string, number> {
  const isExplained = (one: AnsweredRequest) =>
    isNormal(one) || explained[one.kind]?.includes(describeOutcome(one.response))
  const others = answered.filter((one) => !isExplained(one))
  return countOccurrences(
    others.map(({ kind, response }) => `${kind} ${describeOutcome(response)}`),
  )
}

/** Whoever signed a payment and got no report sends it again, until he has it. */
async function payDebts(answered: readonly AnsweredRequest[]): Promise<Record<string, number>> {
  const owed = answered.filter(({ kind, response }) => kind === 'paid' && response.status !== 200)
  const answers = await Promise.all(
    owed.map(({ url, payment }) => retryUntilDecided(url, { payment })),
  )
  const last = countByOutcome(answers.map(finalResponse))
  expect(last).toEqual(owed.length > 0 ? { 200: owed.length } : {})
  return Object.fromEntries(
    Object.entries(last).map(([outcome, count]) => [`sent again until decided: ${outcome}`, count]),
  )
}
