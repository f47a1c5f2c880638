/** Calculates the points of each component from the findings of the checks. */
import { FINDINGS, type FindingId } from '../../catalog/findings.js'
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

/** Faults that outweigh all others, worst first. */
const SPF_FAILURES: readonly FindingId[] = [
  'spf.missing',
  'spf.allows-everyone',
  'spf.syntax',
  'spf.multiple-records',
  'spf.include-without-record',
  'spf.loop',
  'spf.mx-limit',
  'spf.too-many-lookups',
  'spf.void-lookups',
]

/** A longer answer does not fit into a plain UDP packet (RFC 7208 §3.4). */
const UDP_OCTETS = 512

/** What a covered name without a record loses: its parent's policy already applies. */
const COVERED_LOSS = 6

function scoreSpf(spf: SpfReport, profile: SendingProfile): ScoreComponent {
  const deduct = findingDeductions(spf)
  if (profile === 'covered') return buildComponent(SPF_POINTS, deduct('spf.missing', COVERED_LOSS))
  const [failure] = SPF_FAILURES.flatMap((id) => deduct(id))
  if (failure) return buildComponent(SPF_POINTS, [failure])
  return buildComponent(SPF_POINTS, [
    ...deduct('spf.names-nobody'),
    ...deduct('spf.mailbox-provider-missing'),
    ...deduct('spf.neutral-all'),
    ...deduct('spf.no-all'),
    ...deduct('spf.softfail-without-dmarc'),
    ...deduct('spf.wide-range'),
    ...deduct('spf.ptr'),
    ...deduct('spf.void-lookups-one-family'),
    ...deduct('spf.at-lookup-limit'),
    ...deduct('spf.long-record', (spf.record ?? '').length > UDP_OCTETS ? 2 : 1),
    ...deduct('spf.duplicate-include'),
    ...deduct('spf.term-matches-nothing'),
  ])
}

const DMARC_POINTS = 40

const POLICY_LOSSES: Readonly<Record<DmarcPolicy, number>> = {
  reject: 0,
  quarantine: pointsOf('dmarc.policy-quarantine'),
  none: pointsOf('dmarc.policy-none'),
}
const ONE_LEVEL_DOWN: Readonly<Record<DmarcPolicy, DmarcPolicy>> = {
  reject: 'quarantine',
  quarantine: 'none',
  none: 'none',
}

/** Scores the policy that applies to this domain; an inherited policy costs nothing. */
function scoreDmarc({ spf, dmarc, dkim }: CheckReports): ScoreComponent {
  const deduct = findingDeductions(dmarc)
  const missing = deduct('dmarc.missing')
  const policy = missing.length > 0 ? missing : policyDeductions(dmarc)
  const component = buildComponent(DMARC_POINTS, [
    ...policy,
    ...subdomainDeductions(dmarc, DMARC_POINTS - sumPoints(policy)),
    ...deduct('dmarc.no-reports'),
    ...deduct('dmarc.bad-tags'),
    ...deduct('dmarc.multiple-records'),
    ...deduct('dmarc.reject-without-dkim'),
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
  const step = POLICY_LOSSES[ONE_LEVEL_DOWN[policy]] - POLICY_LOSSES[policy]
  const testing = deduct('dmarc.testing', step)
  return [
    ...deduct('dmarc.policy-quarantine'),
    ...deduct('dmarc.policy-none'),
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
  const unenforced = DMARC_POINTS - POLICY_LOSSES.none
  return limitDeductions(Math.max(points - unenforced, 0), [
    ...deduct('dmarc.subdomains-open'),
    ...deduct('dmarc.subdomains-weaker'),
    ...deduct('dmarc.nonexistent-weaker'),
  ])
}

const DKIM_POINTS = 25

function scoreDkim(dkim: DkimReport): ScoreComponent {
  const deduct = findingDeductions(dkim)
  const validKeys = dkim.keys.filter(({ valid, forwarder }) => valid && !forwarder)
  const areAllTesting = validKeys.every(({ testing }) => testing)
  return buildComponent(DKIM_POINTS, [
    ...deduct('dkim.missing'),
    ...deduct('dkim.revoked'),
    ...deduct('dkim.unknown'),
    ...deduct('dkim.unknown-selector'),
    ...deduct('dkim.weak-key'),
    ...deduct('dkim.short-key'),
    ...deduct('dkim.testing', areAllTesting ? 8 : 2),
    ...deduct('dkim.ed25519-only'),
    ...deduct('dkim.sha1-only'),
    ...deduct('dkim.malformed'),
    ...deduct('dkim.mailbox-provider-key-not-found'),
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
    ...deduct('mx.null-and-others'),
    ...deduct('mx.missing'),
    ...deduct('mx.implicit'),
    ...deduct('mx.dangling', isUnreachable ? MX_POINTS : 2),
    ...deduct('mx.ip-literal'),
    ...deduct('mx.cname'),
    ...deduct('mx.null-but-sending'),
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

/** Returns a function that deducts the points of a finding, or fewer, if the report has it. */
function findingDeductions({ issues }: { readonly issues: readonly Finding[] }) {
  const ids = new Set(issues.map(({ id }) => id))
  return (id: FindingId, points = pointsOf(id)): Deduction[] =>
    ids.has(id) ? [{ id, points }] : []
}

function pointsOf(id: FindingId): number {
  return FINDINGS[id].points ?? 0
}

export function toGrade(score: number): ScoreReport['grade'] {
  if (score >= 90) return 'A'
  if (score >= 80) return 'B'
  if (score >= 70) return 'C'
  return score >= 60 ? 'D' : 'F'
}
