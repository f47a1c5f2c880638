/** How something stands: a word and a sign, never a colour alone. */

const SIGNS = {
  pass: { sign: '✓', word: 'Pass' },
  warn: { sign: '!', word: 'Warning' },
  fail: { sign: '✕', word: 'Fail' },
} as const

export type StatusName = keyof typeof SIGNS

export function StatusBadge({ status }: { status: StatusName }) {
  const { sign, word } = SIGNS[status]
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

/** Of a finding. */
export const SEVERITY_TONES = {
  critical: 'fail',
  high: 'fail',
  medium: 'warn',
  low: 'warn',
  info: 'info',
} as const satisfies Record<string, BadgeTone>
