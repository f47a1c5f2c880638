/** Injects a fault into steady traffic, and checks the outcome of every request. */

import { waitUntil } from '@mailgrade/testing/wait-until'
import { expect } from 'vitest'
import { finalResponse, retryUntilDecided } from './cluster-payer.js'
import { countByOutcome, countOccurrences, describeOutcome, printCounts } from './outcome-counts.js'
import type { AnsweredRequest, LoadKind, SteadyLoad } from './steady-load.js'

export interface FaultScenario {
  readonly title: string
  /** Accepted during the fault, besides the normal outcomes. */
  readonly expectedOutcomes?: Partial<Record<LoadKind, readonly string[]>>
  /** Breaks something, waits until that shows, and repairs it. */
  inject(watch: OutcomeWatch): Promise<unknown>
}

interface OutcomeWatch {
  /** Resolves when requests of this kind had this outcome so many times. */
  waitForOutcome(kind: LoadKind, outcome: string, count: number): Promise<void>
}

const NORMAL: Record<LoadKind, readonly string[]> = {
  free: ['200'],
  overLimit: ['200', '429 rate_limited'],
  unpaid: ['402 payment_required'],
  paid: ['200'],
}
/** Normal outcomes in a row, of all kinds, that count as healthy. */
const HEALTHY_RUN = 60

const isNormal = ({ kind, response }: AnsweredRequest) =>
  NORMAL[kind].includes(describeOutcome(response))

/** Resolves when requests sent since `time` have normal outcomes. */
export function waitUntilHealthy(load: SteadyLoad, time: number): Promise<void> {
  return waitUntil('all outcomes are normal', () => {
    const latest = answeredSince(load, time).slice(-HEALTHY_RUN)
    return latest.length === HEALTHY_RUN && latest.every(isNormal)
  })
}

const answeredSince = (load: SteadyLoad, time: number) =>
  load.answered.filter(({ startedAt }) => startedAt >= time)

export async function runFaultScenario(load: SteadyLoad, fault: FaultScenario): Promise<void> {
  const beginAt = performance.now()
  await waitUntilHealthy(load, beginAt)
  const before = answeredSince(load, beginAt)
  await fault.inject({
    waitForOutcome: (kind, outcome, count) =>
      waitUntil(`${count} × ${kind} ${outcome}`, () => {
        const sameKind = answeredSince(load, beginAt).filter((one) => one.kind === kind)
        const same = sameKind.filter(({ response }) => describeOutcome(response) === outcome)
        return same.length >= count
      }),
  })
  const repairedAt = performance.now()
  await waitUntilHealthy(load, repairedAt)
  const recovery = `healthy again after ${Math.round(performance.now() - repairedAt)} ms`
  await verifyOutcomes(load, `${fault.title}: ${recovery}`, fault.expectedOutcomes)
  expect(countUnexpected(before)).toEqual({})
}

/** Checks every request that no earlier call has checked. */
export async function verifyOutcomes(
  load: SteadyLoad,
  title: string,
  expected: FaultScenario['expectedOutcomes'] = {},
): Promise<void> {
  const requests = await load.takeUnverified()
  const redelivered = await retryUnansweredPayments(requests)

  const outcomes = countOccurrences(
    requests.map(({ kind, response }) => `${kind.padEnd(9)}  ${describeOutcome(response)}`),
  )
  const slowest = Math.round(Math.max(0, ...requests.map(({ response }) => response.elapsedMs)))
  printCounts(`${title}; ${requests.length} requests, the slowest ${slowest} ms`, {
    ...outcomes,
    ...redelivered,
  })
  expect(countUnexpected(requests, expected)).toEqual({})
}

function countUnexpected(
  requests: readonly AnsweredRequest[],
  expected: FaultScenario['expectedOutcomes'] = {},
): Record<string, number> {
  const isExpected = (one: AnsweredRequest) =>
    isNormal(one) || expected[one.kind]?.includes(describeOutcome(one.response))
  const unexpected = requests.filter((one) => !isExpected(one))
  return countOccurrences(
    unexpected.map(({ kind, response }) => `${kind} ${describeOutcome(response)}`),
  )
}

/** Sends every payment without a report again, until it gets one. */
async function retryUnansweredPayments(
  requests: readonly AnsweredRequest[],
): Promise<Record<string, number>> {
  const unanswered = requests.filter(
    ({ kind, response }) => kind === 'paid' && response.status !== 200,
  )
  const responses = await Promise.all(
    unanswered.map(({ url, payment }) => retryUntilDecided(url, { payment })),
  )
  const final = countByOutcome(responses.map(finalResponse))
  expect(final).toEqual(unanswered.length > 0 ? { 200: unanswered.length } : {})
  return Object.fromEntries(
    Object.entries(final).map(([outcome, count]) => [`sent again until final: ${outcome}`, count]),
  )
}
