import type { SpfReport } from '../../checks/spf/spf-report.js'
import { buildComponent, findingDeductions } from './score-component.js'
import type { ScoreComponent } from './score-report.js'

export const SPF_POINTS = 30

/** What leaves so few points that nothing else matters, fewest first, with the points that remain. */
const STATES: readonly (readonly [id: string, points: number])[] = [
  ['spf.missing', 0],
  ['spf.allows-everyone', 2],
  ['spf.syntax', 5],
  ['spf.multiple-records', 5],
  ['spf.include-without-record', 5],
  ['spf.loop', 5],
  // RFC 7208 §4.6.4: a permanent error like the others.
  ['spf.mx-limit', 5],
  ['spf.too-many-lookups', 10],
]

/** Every octet counts once (RFC 7208 §3.4): a longer answer does not fit into a plain UDP packet. */
const TIGHT_OCTETS = 512

export function scoreSpf(spf: SpfReport): ScoreComponent {
  const costs = findingDeductions(spf)
  const [state] = STATES.flatMap(([id, points]) => costs(id, SPF_POINTS - points))
  if (state) return buildComponent(SPF_POINTS, [state])
  return buildComponent(SPF_POINTS, [
    ...costs('spf.neutral-all', 15),
    ...costs('spf.no-all', 15),
    ...costs('spf.softfail-without-dmarc', 3),
    ...costs('spf.void-lookups', 8),
    ...costs('spf.wide-range', 5),
    ...costs('spf.ptr', 3),
    ...costs('spf.at-lookup-limit', 2),
    ...costs('spf.long-record', (spf.record ?? '').length > TIGHT_OCTETS ? 2 : 1),
    ...costs('spf.duplicate-include', 1),
  ])
}
