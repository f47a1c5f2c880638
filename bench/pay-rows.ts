/** What was measured, as rows of one table. */
import { median, rounded } from './check-turns.js'
import { MOST } from './pay-aims.js'
import type { Load } from './pay-load.js'

export type Loads = Readonly<Record<'free' | 'ours' | 'stock', readonly Load[]>>

export type Row = ReturnType<typeof row>

/**
 * What one figure is for each, as the median of all rounds. The ratio is the median too, of the
 * turns of one round each: the machine's moods have met both.
 */
export function row(loads: Loads, figure: (load: Load) => number) {
  const middle = (all: readonly Load[]) => median(all.map(figure))
  const [free, ours, stock] = [middle(loads.free), middle(loads.ours), middle(loads.stock)]
  const pairs = loads.ours.flatMap((mine, round) => {
    const theirs = loads.stock[round]
    return theirs ? [figure(mine) / figure(theirs)] : []
  })
  const ratio = rounded(median(pairs), 2)
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

export function latency(part: number) {
  return ({ latenciesMs }: Load) => {
    const inOrder = [...latenciesMs].sort((one, other) => one - other)
    return inOrder[Math.floor(inOrder.length * part)] ?? 0
  }
}
