/** The large mark of a verdict: a ring with a sign and a word, so color is never alone. */
import { STATUS_SIGNS, type StatusName } from '@mailgrade/core'

interface VerdictMarkProps {
  readonly status: StatusName
  /** One or two short words. */
  readonly label: string
  /** What the ring shows instead of the sign of the status. */
  readonly center?: string
}

const SIZE = 136
const MIDDLE = SIZE / 2

export function VerdictMark({ status, label, center = STATUS_SIGNS[status] }: VerdictMarkProps) {
  return (
    <svg
      class={`mark ${status}`}
      width={SIZE}
      height={SIZE}
      viewBox={`0 0 ${SIZE} ${SIZE}`}
      role="img"
      aria-label={label}
    >
      <circle cx={MIDDLE} cy={MIDDLE} r={MIDDLE - 6} />
      <text x={MIDDLE} y="68">
        {center}
      </text>
      {toLines(label).map((line, index) => (
        <text class="label" x={MIDDLE} y={90 + index * 16}>
          {line}
        </text>
      ))}
    </svg>
  )
}

/** The ring is wide enough for about ten letters. */
function toLines(label: string): string[] {
  return label.length > 10 ? label.split(' ') : [label]
}
