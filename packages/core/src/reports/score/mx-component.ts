import type { MxReport } from '../../checks/mx/mx-report.js'
import { component, costsIn } from './component.js'
import type { Component } from './score-report.js'

const MX_POINTS = 5

export function mxComponent(mx: MxReport): Component {
  const costs = costsIn(mx)
  // What was not looked up, `null`, may well have an address.
  const isUnreachable = mx.records.every(({ addresses }) => addresses?.length === 0)
  return component(MX_POINTS, [
    ...costs('mx.null-and-others', MX_POINTS),
    ...costs('mx.missing', 3),
    ...costs('mx.implicit', 2),
    ...costs('mx.dangling', isUnreachable ? MX_POINTS : 2),
    ...costs('mx.ip-literal', 3),
    ...costs('mx.cname', 2),
    ...costs('mx.null-but-sending', 2),
  ])
}
