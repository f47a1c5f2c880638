/** On the policy that receivers apply to this domain; inheriting it costs nothing. */
import type { DmarcReport } from '../../checks/dmarc/dmarc-report.js'
import type { CheckReports } from '../check/check-reports.js'
import {
  buildComponent,
  capPoints,
  findingDeductions,
  limitDeductions,
  sumPoints,
} from './score-component.js'
import type { Deduction, ScoreComponent } from './score-report.js'

export const DMARC_POINTS = 40

type Policy = NonNullable<DmarcReport['policy']>

const LEVELS: Readonly<Record<Policy, number>> = { reject: DMARC_POINTS, quarantine: 34, none: 14 }
const ONE_LEVEL_DOWN: Readonly<Record<Policy, Policy>> = {
  reject: 'quarantine',
  quarantine: 'none',
  none: 'none',
}

export function scoreDmarc({ spf, dmarc, dkim }: CheckReports): ScoreComponent {
  const costs = findingDeductions(dmarc)
  const missing = costs('dmarc.missing', DMARC_POINTS)
  const policy = missing.length > 0 ? missing : policyDeductions(dmarc)
  const whole = buildComponent(DMARC_POINTS, [
    ...policy,
    ...subdomainDeductions(dmarc, DMARC_POINTS - sumPoints(policy)),
    ...costs('dmarc.no-reports', 4),
    ...costs('dmarc.bad-tags', 2),
    ...costs('dmarc.multiple-records', 10),
    ...costs('dmarc.reject-without-dkim', 3),
  ])
  // Where a stranger's mail passes SPF or can be signed, it passes DMARC under any policy.
  const caps = [
    ...findingDeductions(spf)('spf.allows-everyone', 10),
    ...findingDeductions(dkim)('dkim.weak-key', 20),
  ]
  return caps.reduce(capPoints, whole)
}

/** How far the policy is from reject, and what test mode and `pct` take off it. */
function policyDeductions(dmarc: DmarcReport): Deduction[] {
  const costs = findingDeductions(dmarc)
  const policy = dmarc.policy ?? 'none'
  const step = LEVELS[policy] - LEVELS[ONE_LEVEL_DOWN[policy]]
  const testing = costs('dmarc.testing', step)
  return [
    ...costs('dmarc.policy-quarantine', DMARC_POINTS - LEVELS.quarantine),
    ...costs('dmarc.policy-none', DMARC_POINTS - LEVELS.none),
    ...testing,
    // Receivers by RFC 9989 §4.7 go by `t` alone, those by RFC 7489 §6.3 by `pct` alone, and
    // neither goes further down than one level: together they cost no more than that.
    ...limitDeductions(
      step - sumPoints(testing),
      costs('dmarc.partial', lostToPercent(dmarc, step)),
    ),
  ]
}

/** In a straight line, to the nearest whole point. */
function lostToPercent({ percent }: DmarcReport, step: number): number {
  return step - Math.round((step * (percent ?? 100)) / 100)
}

/**
 * Only of what enforcement has brought: a domain that is protected, if not below, is not worth less
 * than one that is not protected at all.
 */
function subdomainDeductions(dmarc: DmarcReport, points: number): Deduction[] {
  const costs = findingDeductions(dmarc)
  return limitDeductions(Math.max(points - LEVELS.none, 0), [
    ...costs('dmarc.subdomains-open', 6),
    ...costs('dmarc.subdomains-weaker', 2),
    ...costs('dmarc.nonexistent-weaker', 1),
  ])
}
