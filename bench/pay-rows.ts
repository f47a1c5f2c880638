/** What was measured, as rows of one table. */
import { median, rounded } from './check-turns.js'
import { MOST } from './pay-aims.js'
import type { Load, Loads } from './pay-load.js'

export type Figure = (load: Load) => number

export type Row = ReturnType<typeof row>

/** What one figure is for each, as the median of all rounds. */
export function row(loads: Loads<'free' | 'ours' | 'stock'>, figure: Figure) {
  const middle = (all: readonly Load[]) => median(all.map(figure))
  const [free, ours, stock] = [middle(loads.free), middle(loads.ours), middle(loads.stock)]
  const ratio = ratioOf(loads.ours, loads.stock, figure)
  return {
    free: rounded(free, 3),
    ours: rounded(ours, 3),
    stock: rounded(stock, 3),
    'ours adds': rounded(ours - free, 3),
    'stock adds': rounded(stock - free, 3),
    'ours/stock': ratio,
    aim: `≤ ${MOST}`,
    met: ratio <= MOST,
  }
}

/** The median of the turns of one round each: the machine's moods have met both. */
export function ratioOf(these: readonly Load[], those: readonly Load[], figure: Figure): number {
  const pairs = these.flatMap((mine, round) => {
    const other = those[round]
    return other ? [figure(mine) / figure(other)] : []
  })
  return rounded(median(pairs), 2)
}

export function latency(part: number): Figure {
  return ({ latenciesMs }) => {
    const inOrder = [...latenciesMs].sort((one, other) => one - other)
    return inOrder[Math.floor(inOrder.length * part)] ?? 0
  }
}
