/** Calculates the points of each component from the findings of the checks. */
import type { DkimReport } from '../../checks/dkim/dkim-report.js'
import type { DmarcPolicy } from '../../checks/dmarc/dmarc-record.js'
import type { DmarcReport } from '../../checks/dmarc/dmarc-report.js'
import type { Finding } from '../../checks/finding.js'
import type { MxReport } from '../../checks/mx/mx-report.js'
import type { SpfReport } from '../../checks/spf/spf-report.js'
import { type CheckReports, type SendingProfile, sendingProfile } from '../check/check-reports.js'
import type { Deduction, ScoreComponent, ScoreReport } from './score-report.js'

export type ScoreBreakdown = Pick<ScoreReport, 'score' | 'components'>

/** Takes reports that were judged across checks. */
export function calculateScore(reports: CheckReports): ScoreBreakdown {
  const profile = sendingProfile(reports)
  const spf = scoreSpf(reports.spf, profile)
  const dmarc = scoreDmarc(reports)
  const dkim = profile === 'sending' ? scoreDkim(reports.dkim) : scoreUnneededDkim(spf, dmarc)
  const mx = scoreMx(reports.mx)
  return {
    score: spf.points + dmarc.points + dkim.points + mx.points,
    components: { spf, dmarc, dkim, mx },
  }
}

const SPF_POINTS = 30

/** Faults that outweigh all others, worst first, with the points that remain. */
const SPF_FAILURES: readonly (readonly [id: string, points: number])[] = [
  ['spf.missing', 0],
  ['spf.allows-everyone', 2],
  ['spf.syntax', 5],
  ['spf.multiple-records', 5],
  ['spf.include-without-record', 5],
  ['spf.loop', 5],
  // RFC 7208 §4.6.4: a permanent error like the others.
  ['spf.mx-limit', 5],
  ['spf.too-many-lookups', 10],
  ['spf.void-lookups', 10],
]

/** A longer answer does not fit into a plain UDP packet (RFC 7208 §3.4). */
const UDP_OCTETS = 512

/** What a covered name without a record loses: its parent's policy already applies. */
const COVERED_LOSS = 6

function scoreSpf(spf: SpfReport, profile: SendingProfile): ScoreComponent {
  const deduct = findingDeductions(spf)
  if (profile === 'covered') return buildComponent(SPF_POINTS, deduct('spf.missing', COVERED_LOSS))
  const [failure] = SPF_FAILURES.flatMap(([id, points]) => deduct(id, SPF_POINTS - points))
  if (failure) return buildComponent(SPF_POINTS, [failure])
  return buildComponent(SPF_POINTS, [
    ...deduct('spf.names-nobody', 15),
    ...deduct('spf.mailbox-provider-missing', 12),
    ...deduct('spf.neutral-all', 15),
    ...deduct('spf.no-all', 15),
    ...deduct('spf.softfail-without-dmarc', 3),
    ...deduct('spf.wide-range', 5),
    ...deduct('spf.ptr', 3),
    ...deduct('spf.void-lookups-one-family', 2),
    ...deduct('spf.at-lookup-limit', 2),
    ...deduct('spf.long-record', (spf.record ?? '').length > UDP_OCTETS ? 2 : 1),
    ...deduct('spf.duplicate-include', 1),
    ...deduct('spf.term-matches-nothing', 1),
  ])
}

const DMARC_POINTS = 40

const POLICY_POINTS: Readonly<Record<DmarcPolicy, number>> = {
  reject: DMARC_POINTS,
  quarantine: 34,
  none: 9,
}
const ONE_LEVEL_DOWN: Readonly<Record<DmarcPolicy, DmarcPolicy>> = {
  reject: 'quarantine',
  quarantine: 'none',
  none: 'none',
}

/** Scores the policy that applies to this domain; an inherited policy costs nothing. */
function scoreDmarc({ spf, dmarc, dkim }: CheckReports): ScoreComponent {
  const deduct = findingDeductions(dmarc)
  const missing = deduct('dmarc.missing', DMARC_POINTS)
  const policy = missing.length > 0 ? missing : policyDeductions(dmarc)
  const component = buildComponent(DMARC_POINTS, [
    ...policy,
    ...subdomainDeductions(dmarc, DMARC_POINTS - sumPoints(policy)),
    ...deduct('dmarc.no-reports', 4),
    ...deduct('dmarc.bad-tags', 2),
    ...deduct('dmarc.multiple-records', 10),
    ...deduct('dmarc.reject-without-dkim', 3),
  ])
  // Forged mail that passes SPF or can be signed passes DMARC under any policy.
  const caps = [
    ...findingDeductions(spf)('spf.allows-everyone', 10),
    ...findingDeductions(dkim)('dkim.weak-key', 20),
  ]
  return caps.reduce(capPoints, component)
}

/** The distance of the policy from reject, and the effect of test mode and `pct`. */
function policyDeductions(dmarc: DmarcReport): Deduction[] {
  const deduct = findingDeductions(dmarc)
  const policy = dmarc.policy ?? 'none'
  const step = POLICY_POINTS[policy] - POLICY_POINTS[ONE_LEVEL_DOWN[policy]]
  const testing = deduct('dmarc.testing', step)
  return [
    ...deduct('dmarc.policy-quarantine', DMARC_POINTS - POLICY_POINTS.quarantine),
    ...deduct('dmarc.policy-none', DMARC_POINTS - POLICY_POINTS.none),
    ...testing,
    // RFC 9989 §4.7 receivers apply only `t`, RFC 7489 §6.3 receivers only `pct`. Neither goes down
    // more than one level, so together they cost at most one level.
    ...limitDeductions(
      step - sumPoints(testing),
      deduct('dmarc.partial', percentageLoss(dmarc, step)),
    ),
  ]
}

/** Linear in `pct`, rounded to whole points. */
function percentageLoss({ percent }: DmarcReport, step: number): number {
  return step - Math.round((step * (percent ?? 100)) / 100)
}

/** Takes only points that enforcement earned: weak subdomains never cost more than no enforcement. */
function subdomainDeductions(dmarc: DmarcReport, points: number): Deduction[] {
  const deduct = findingDeductions(dmarc)
  return limitDeductions(Math.max(points - POLICY_POINTS.none, 0), [
    ...deduct('dmarc.subdomains-open', 12),
    ...deduct('dmarc.subdomains-weaker', 3),
    ...deduct('dmarc.nonexistent-weaker', 1),
  ])
}

const DKIM_POINTS = 25

function scoreDkim(dkim: DkimReport): ScoreComponent {
  const deduct = findingDeductions(dkim)
  const validKeys = dkim.keys.filter(({ valid, forwarder }) => valid && !forwarder)
  const areAllTesting = validKeys.every(({ testing }) => testing)
  return buildComponent(DKIM_POINTS, [
    ...deduct('dkim.missing', DKIM_POINTS),
    ...deduct('dkim.revoked', DKIM_POINTS),
    ...deduct('dkim.unknown', 13),
    ...deduct('dkim.unknown-selector', 7),
    ...deduct('dkim.weak-key', 20),
    ...deduct('dkim.short-key', 6),
    ...deduct('dkim.testing', areAllTesting ? 8 : 2),
    ...deduct('dkim.ed25519-only', 5),
    ...deduct('dkim.sha1-only', 15),
    ...deduct('dkim.malformed', 3),
    ...deduct('dkim.mailbox-provider-key-not-found', 5),
  ])
}

/**
 * A domain that sends no mail has nothing to sign. Its DKIM component gets the same share of points as SPF
 * and DMARC together, and lists the same findings as deductions.
 */
function scoreUnneededDkim(spf: ScoreComponent, dmarc: ScoreComponent): ScoreComponent {
  let remaining = SPF_POINTS + DMARC_POINTS
  const deductions = [...spf.deductions, ...dmarc.deductions].map(({ id, points }): Deduction => {
    const before = dkimShare(remaining)
    remaining -= points
    return { id, points: before - dkimShare(remaining) }
  })
  return buildComponent(DKIM_POINTS, deductions)
}

function dkimShare(points: number): number {
  return Math.round((DKIM_POINTS * points) / (SPF_POINTS + DMARC_POINTS))
}

const MX_POINTS = 5

function scoreMx(mx: MxReport): ScoreComponent {
  const deduct = findingDeductions(mx)
  // `null` means that the addresses were not looked up.
  const isUnreachable = mx.records.every(({ addresses }) => addresses?.length === 0)
  return buildComponent(MX_POINTS, [
    ...deduct('mx.null-and-others', MX_POINTS),
    ...deduct('mx.missing', 3),
    ...deduct('mx.implicit', 2),
    ...deduct('mx.dangling', isUnreachable ? MX_POINTS : 2),
    ...deduct('mx.ip-literal', 3),
    ...deduct('mx.cname', 2),
    ...deduct('mx.null-but-sending', 2),
  ])
}

/** Points never fall below 0, so `points` and the deductions always add up to `max`. */
function buildComponent(max: number, deductions: readonly Deduction[]): ScoreComponent {
  const limited = limitDeductions(max, deductions)
  return { points: max - sumPoints(limited), max, deductions: limited }
}

/** The deductions in order, until `available` points are used up. */
function limitDeductions(available: number, deductions: readonly Deduction[]): Deduction[] {
  let left = available
  return deductions.flatMap(({ id, points }) => {
    const limited = Math.min(points, left)
    left -= limited
    return limited > 0 ? [{ id, points: limited }] : []
  })
}

/** Limits a component to the points of the cap, and names the cap's finding as the reason. */
function capPoints(component: ScoreComponent, { id, points: cap }: Deduction): ScoreComponent {
  const { max, points, deductions } = component
  return buildComponent(max, [...deductions, { id, points: points - cap }])
}

export function sumPoints(deductions: readonly Deduction[]): number {
  return deductions.reduce((sum, { points }) => sum + points, 0)
}

/** Returns a function that deducts points for a finding if the report has it. */
function findingDeductions({ issues }: { readonly issues: readonly Finding[] }) {
  const ids = new Set(issues.map(({ id }) => id))
  return (id: string, points: number): Deduction[] => (ids.has(id) ? [{ id, points }] : [])
}

export function toGrade(score: number): ScoreReport['grade'] {
  if (score >= 90) return 'A'
  if (score >= 80) return 'B'
  if (score >= 70) return 'C'
  return score >= 60 ? 'D' : 'F'
}
