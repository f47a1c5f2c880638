/** Points for what the checks show, and nothing but points. */

import type { DkimReport } from '../../checks/dkim/dkim-report.js'
import type { DmarcReport } from '../../checks/dmarc/dmarc-report.js'
import type { Finding } from '../../checks/finding.js'
import type { MxReport } from '../../checks/mx/mx-report.js'
import type { SpfReport } from '../../checks/spf/spf-report.js'
import { type CheckReports, sendingProfile } from '../check/check-reports.js'
import type { Deduction, ScoreComponent, ScoreReport } from './score-report.js'

export type ScoreBreakdown = Pick<ScoreReport, 'score' | 'components'>

/** Takes parts that were judged together. */
export function calculateScore(parts: CheckReports): ScoreBreakdown {
  const spf = scoreSpf(parts.spf)
  const dmarc = scoreDmarc(parts)
  const isSending = sendingProfile(parts) === 'sending'
  const dkim = isSending ? scoreDkim(parts.dkim) : scoreNonSendingDkim(spf, dmarc)
  const mx = scoreMx(parts.mx)
  return {
    score: spf.points + dmarc.points + dkim.points + mx.points,
    components: { spf, dmarc, dkim, mx },
  }
}

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

const DKIM_POINTS = 25

export function scoreDkim(dkim: DkimReport): ScoreComponent {
  const costs = findingDeductions(dkim)
  const usable = dkim.keys.filter(({ valid }) => valid)
  const areAllTesting = usable.every(({ testing }) => testing)
  return buildComponent(DKIM_POINTS, [
    ...costs('dkim.missing', DKIM_POINTS),
    ...costs('dkim.revoked', DKIM_POINTS),
    ...costs('dkim.unknown', 13),
    ...costs('dkim.unknown-selector', 7),
    ...costs('dkim.weak-key', 20),
    ...costs('dkim.short-key', 6),
    ...costs('dkim.testing', areAllTesting ? 8 : 2),
    ...costs('dkim.ed25519-only', 5),
    ...costs('dkim.sha1-only', 15),
    ...costs('dkim.malformed', 3),
  ])
}

/**
 * A domain that sends nothing has nothing to sign: DKIM is worth the share of its points that SPF
 * and DMARC have of theirs, and what they lose points to, it loses them to as well.
 */
export function scoreNonSendingDkim(spf: ScoreComponent, dmarc: ScoreComponent): ScoreComponent {
  let kept = SPF_POINTS + DMARC_POINTS
  const lost = [...spf.deductions, ...dmarc.deductions].map(({ id, points }): Deduction => {
    const before = shareOf(kept)
    kept -= points
    return { id, points: before - shareOf(kept) }
  })
  return buildComponent(DKIM_POINTS, lost)
}

function shareOf(points: number): number {
  return Math.round((DKIM_POINTS * points) / (SPF_POINTS + DMARC_POINTS))
}

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

/**
 * Nothing falls below 0: the deduction that would is shortened, and those after it are left out.
 * What is lost and what is left make up `max`, therefore, whatever the deductions are.
 */
export function buildComponent(max: number, deductions: readonly Deduction[]): ScoreComponent {
  const fitting = limitDeductions(max, deductions)
  return { points: max - sumPoints(fitting), max, deductions: fitting }
}

/** As much of the deductions, in their order, as a number of points has room for. */
export function limitDeductions(room: number, deductions: readonly Deduction[]): Deduction[] {
  let left = room
  return deductions.flatMap(({ id, points }) => {
    const fitting = Math.min(points, left)
    left -= fitting
    return fitting > 0 ? [{ id, points: fitting }] : []
  })
}

/** No more than `most` points, because of a finding. */
export function capPoints(whole: ScoreComponent, { id, points: most }: Deduction): ScoreComponent {
  return buildComponent(whole.max, [...whole.deductions, { id, points: whole.points - most }])
}

export function sumPoints(deductions: readonly Deduction[]): number {
  return deductions.reduce((sum, { points }) => sum + points, 0)
}

/** Reads off what the findings of a part cost; one that is not there costs nothing. */
export function findingDeductions({ issues }: { readonly issues: readonly Finding[] }) {
  const ids = new Set(issues.map(({ id }) => id))
  return (id: string, points: number): Deduction[] => (ids.has(id) ? [{ id, points }] : [])
}
