/** Badges for a status, a severity and a grade: always a word, never a color alone. */

const STATUSES = {
  pass: { sign: '✓', word: 'Pass' },
  warn: { sign: '!', word: 'Warning' },
  fail: { sign: '✕', word: 'Fail' },
  unknown: { sign: '?', word: 'Unknown' },
} as const

export type StatusName = keyof typeof STATUSES

export function StatusBadge({ status }: { status: StatusName }) {
  const { sign, word } = STATUSES[status]
  return <Badge tone={status} sign={sign} word={word} />
}

export type BadgeTone = StatusName | 'info'

export function Badge({ tone, sign, word }: { tone: BadgeTone; sign?: string; word: string }) {
  return (
    <span class={`badge ${tone}`}>
      {sign && <span aria-hidden="true">{sign} </span>}
      {word}
    </span>
  )
}

/** By the severity of a finding. */
export const SEVERITY_TONES = {
  critical: 'fail',
  high: 'fail',
  medium: 'warn',
  low: 'warn',
  info: 'info',
} as const satisfies Record<string, BadgeTone>

/** A grade, with its points in words. */
export function GradeBadge({ grade, words }: { grade: string; words: string }) {
  return (
    <span class="grade-badge">
      <strong class={`grade ${grade}`}>{grade}</strong> <span>{words}</span>
    </span>
  )
}
