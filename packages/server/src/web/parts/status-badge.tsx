/** Badges for a status, a severity and a grade: always a word, never a color alone. */
import { STATUS_SIGNS, STATUS_WORDS, type StatusName } from '@mailgrade/core'

interface StatusBadgeProps {
  readonly status: StatusName
  /** Where another word says more. */
  readonly word?: string
}

export function StatusBadge({ status, word = STATUS_WORDS[status] }: StatusBadgeProps) {
  return <Badge tone={status} sign={STATUS_SIGNS[status]} word={word} />
}

/** Only the sign, for narrow places; screen readers get the word. */
export function StatusSign({ status }: Pick<StatusBadgeProps, 'status'>) {
  return (
    <span class={`sign ${status}`}>
      <span aria-hidden="true">{STATUS_SIGNS[status]} </span>
      <span class="unseen">{STATUS_WORDS[status]}: </span>
    </span>
  )
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
