/** Answers counted by what they were, and printed. */
import type { Heard } from './caller.js'

/** `200`, `402 expired`, `429 rate_limited`, `502 facilitator_unavailable, charged unknown`. */
export function outcomeOf({ status, code, body }: Heard): string {
  const reason = status === 402 ? body?.error : code
  const words = [status, reason].filter((word) => word !== '').join(' ')
  const charged = status >= 500 && body?.charged
  return charged ? `${words}, charged ${charged}` : words
}

export function tally(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of [...outcomes].sort()) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

export function print(title: string, counts: Record<string, number>): void {
  const rows = Object.entries(counts).map(
    ([name, count]) => `${String(count).padStart(8)}  ${name}`,
  )
  process.stdout.write(`\n${[title, ...rows].join('\n')}\n`)
}

export const counted = (answers: readonly Heard[]): Record<string, number> =>
  tally(answers.map(outcomeOf))

export const otherThan = (outcomes: readonly string[], counts: Record<string, number>): string[] =>
  Object.keys(counts).filter((outcome) => !outcomes.includes(outcome))
