/** What was measured, as rows of one table. */
import { median, roundTo } from './measure.js'
import { PAYMENT_MAX_RATIO } from './pay-aims.js'
import type { LoadSample, LoadSamples } from './pay-load.js'

export type LoadMetric = (load: LoadSample) => number

export type PaymentRow = ReturnType<typeof paymentRow>

/** What one figure is for each, as the median of all rounds. */
export function paymentRow(loads: LoadSamples<'free' | 'ours' | 'stock'>, figure: LoadMetric) {
  const middle = (all: readonly LoadSample[]) => median(all.map(figure))
  const [free, ours, stock] = [middle(loads.free), middle(loads.ours), middle(loads.stock)]
  const ratio = medianRatio(loads.ours, loads.stock, figure)
  return {
    free: roundTo(free, 3),
    ours: roundTo(ours, 3),
    stock: roundTo(stock, 3),
    'ours adds': roundTo(ours - free, 3),
    'stock adds': roundTo(stock - free, 3),
    'ours/stock': ratio,
    aim: `≤ ${PAYMENT_MAX_RATIO}`,
    met: ratio <= PAYMENT_MAX_RATIO,
  }
}

/** The median of the turns of one round each: the machine's moods have met both. */
export function medianRatio(
  these: readonly LoadSample[],
  those: readonly LoadSample[],
  figure: LoadMetric,
): number {
  const pairs = these.flatMap((mine, round) => {
    const other = those[round]
    return other ? [figure(mine) / figure(other)] : []
  })
  return roundTo(median(pairs), 2)
}

export function latencyPercentile(part: number): LoadMetric {
  return ({ latenciesMs }) => {
    const inOrder = [...latenciesMs].sort((one, other) => one - other)
    return inOrder[Math.floor(inOrder.length * part)] ?? 0
  }
}
