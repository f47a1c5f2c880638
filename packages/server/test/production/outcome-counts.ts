/** Answers counted by what they were, and printed. */
import type { CallerResponse } from './send-request.js'

/** `200`, `402 expired`, `429 rate_limited`, `502 facilitator_unavailable, charged unknown`. */
export function describeOutcome({ status, code, body }: CallerResponse): string {
  const reason = status === 402 ? body?.error : code
  const words = [status, reason].filter((word) => word !== '').join(' ')
  const charged = status >= 500 && body?.charged
  return charged ? `${words}, charged ${charged}` : words
}

export function countOccurrences(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of [...outcomes].sort()) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

export function printCounts(title: string, counts: Record<string, number>): void {
  const rows = Object.entries(counts).map(
    ([name, count]) => `${String(count).padStart(8)}  ${name}`,
  )
  process.stdout.write(`\n${[title, ...rows].join('\n')}\n`)
}

export const countByOutcome = (answers: readonly CallerResponse[]): Record<string, number> =>
  countOccurrences(answers.map(describeOutcome))

export const unexpectedOutcomes = (
  outcomes: readonly string[],
  counts: Record<string, number>,
): string[] => Object.keys(counts).filter((outcome) => !outcomes.includes(outcome))
