/** Counts responses by outcome, and prints the counts. */
import type { CallerResponse } from './send-request.js'

/** `200`, `402 expired`, `429 rate_limited`, `502 facilitator_unavailable, charged unknown`. */
export function describeOutcome({ status, code, body }: CallerResponse): string {
  const reason = status === 402 ? body?.error : code
  const outcome = [status, reason].filter((part) => part !== '').join(' ')
  const charged = status >= 500 && body?.charged
  return charged ? `${outcome}, charged ${charged}` : outcome
}

export function countOccurrences(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes.toSorted()) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

export function printCounts(title: string, counts: Record<string, number>): void {
  const rows = Object.entries(counts).map(
    ([name, count]) => `${String(count).padStart(8)}  ${name}`,
  )
  process.stdout.write(`\n${[title, ...rows].join('\n')}\n`)
}

export const countByOutcome = (responses: readonly CallerResponse[]): Record<string, number> =>
  countOccurrences(responses.map(describeOutcome))

export const unexpectedOutcomes = (
  expected: readonly string[],
  counts: Record<string, number>,
): string[] => Object.keys(counts).filter((outcome) => !expected.includes(outcome))
