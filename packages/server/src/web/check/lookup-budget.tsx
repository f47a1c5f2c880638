/** The ten lookups that receivers grant a record (RFC 7208 §4.6.4), drawn. */

const CELL = 22
const GAP = 4
const HEIGHT = 14

interface BudgetProps {
  readonly used: number
  readonly limit: number
  /** It may cost more than that. */
  readonly isMinimum: boolean
}

export function LookupBudget({ used, limit, isMinimum }: BudgetProps) {
  const words = isMinimum ? 'At least ' : ''
  const cells = Math.min(Math.max(used, limit), 2 * limit)
  const width = cells * (CELL + GAP) - GAP
  return (
    <figure class="budget">
      <svg
        viewBox={`0 0 ${width} ${HEIGHT}`}
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={`${words}${used} of ${limit} lookups used`}
      >
        {Array.from({ length: cells }, (_, cell) => (
          <rect
            class={kindOf(cell, used, limit)}
            x={cell * (CELL + GAP)}
            width={CELL}
            height={HEIGHT}
            rx="3"
          />
        ))}
      </svg>
      <figcaption>
        {words}
        <strong>{used}</strong> of {limit} DNS lookups
        {used > limit && `: ${used - limit} too many, so receivers stop and treat it as broken`}
      </figcaption>
    </figure>
  )
}

function kindOf(cell: number, used: number, limit: number): string {
  if (cell >= used) return 'left'
  return cell < limit ? 'used' : 'over'
}
