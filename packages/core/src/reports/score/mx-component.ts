import type { MxReport } from '../../checks/mx/mx-report.js'
import { buildComponent, findingDeductions } from './score-component.js'
import type { ScoreComponent } from './score-report.js'

const MX_POINTS = 5

export function scoreMx(mx: MxReport): ScoreComponent {
  const costs = findingDeductions(mx)
  // What was not looked up, `null`, may well have an address.
  const isUnreachable = mx.records.every(({ addresses }) => addresses?.length === 0)
  return buildComponent(MX_POINTS, [
    ...costs('mx.null-and-others', MX_POINTS),
    ...costs('mx.missing', 3),
    ...costs('mx.implicit', 2),
    ...costs('mx.dangling', isUnreachable ? MX_POINTS : 2),
    ...costs('mx.ip-literal', 3),
    ...costs('mx.cname', 2),
    ...costs('mx.null-but-sending', 2),
  ])
}
