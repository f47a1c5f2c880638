/** Calculates the points of each component from the findings of the checks. */
import { FINDING_FACTS, type FindingId } from '../../catalog/findings.js'
import type { DkimReport } from '../../checks/dkim/dkim-report.js'
import type { DmarcPolicy } from '../../checks/dmarc/dmarc-record.js'
import type { DmarcReport } from '../../checks/dmarc/dmarc-report.js'
import type { Finding } from '../../checks/finding.js'
import type { MxReport } from '../../checks/mx/mx-report.js'
import type { SpfReport } from '../../checks/spf/spf-report.js'
import {
  type CheckReports,
  lostStreams,
  type SendingProfile,
  sendingProfile,
} from '../check/check-reports.js'
import type { Deduction, ScoreComponent, ScoreReport } from './score-report.js'

export type ScoreBreakdown = Pick<ScoreReport, 'score' | 'components'>

/** Takes reports that were judged across checks. */
export function calculateScore(reports: CheckReports): ScoreBreakdown {
  const profile = sendingProfile(reports)
  const spf = scoreSpf(reports.spf, profile)
  const dmarc = scoreDmarc(reports)
  const signed = profile === 'sending' ? scoreDkim(reports.dkim) : scoreUnneededDkim(spf, dmarc)
  const mx = scoreMx(reports.mx)
  const others = spf.points + dmarc.points + mx.points
  const isLosingMail = lostStreams(reports).length > 0
  const dkim = isLosingMail ? capLoss(signed, MAX_WITH_LOST_MAIL - others) : signed
  return { score: others + dkim.points, components: { spf, dmarc, dkim, mx } }
}

/** A domain that loses its own mail never gets a B. */
const MAX_WITH_LOST_MAIL = 79

/** What its finding costs beyond its points. */
function capLoss({ max, points, deductions }: ScoreComponent, cap: number): ScoreComponent {
  const excess = Math.max(points - Math.max(cap, 0), 0)
  return buildComponent(
    max,
    deductions.map((each) =>
      each.id === 'dkim.sender-unsigned' ? { ...each, points: each.points + excess } : each,
    ),
  )
}

const SPF_POINTS = 30

/** One fault of this size outweighs all others. */
const SPF_FAILURE_POINTS = 20

/** A longer answer does not fit into a plain UDP packet (RFC 7208 §3.4). */
const UDP_OCTETS = 512

/** What a covered name without a record loses: its parent's policy already applies. */
const COVERED_LOSS = 6

function scoreSpf(spf: SpfReport, profile: SendingProfile): ScoreComponent {
  const { deduct, deductOthers } = findingDeductions(spf)
  if (profile === 'covered') return buildComponent(SPF_POINTS, deduct('spf.missing', COVERED_LOSS))
  const longRecord = deduct('spf.long-record', (spf.record ?? '').length > UDP_OCTETS ? 2 : 1)
  const [worst, ...others] = [...deductOthers(), ...longRecord]
  if (!worst) return buildComponent(SPF_POINTS, [])
  return buildComponent(
    SPF_POINTS,
    worst.points >= SPF_FAILURE_POINTS ? [worst] : [worst, ...others],
  )
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
  const { deduct, deductOthers } = findingDeductions(dmarc)
  const missing = deduct('dmarc.missing')
  const distance = policyDeductions(dmarc, deduct)
  const policy = missing.length > 0 ? missing : distance
  const component = buildComponent(DMARC_POINTS, [
    ...policy,
    ...subdomainDeductions(deduct, DMARC_POINTS - sumPoints(policy)),
    ...deductOthers(),
  ])
  // Forged mail that passes SPF or can be signed passes DMARC under any policy.
  const caps = [
    ...findingDeductions(spf).deduct('spf.allows-everyone', 10),
    ...findingDeductions(dkim).deduct('dkim.weak-key', 20),
  ]
  return caps.reduce(capPoints, component)
}

/** The distance of the policy from reject, and the effect of test mode and `pct`. */
function policyDeductions(dmarc: DmarcReport, deduct: Deduct): Deduction[] {
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
function subdomainDeductions(deduct: Deduct, points: number): Deduction[] {
  const unenforced = DMARC_POINTS - POLICY_LOSSES.none
  return limitDeductions(Math.max(points - unenforced, 0), [
    ...deduct('dmarc.subdomains-open'),
    ...deduct('dmarc.subdomains-weaker'),
    ...deduct('dmarc.nonexistent-weaker'),
  ])
}

const DKIM_POINTS = 25

function scoreDkim(dkim: DkimReport): ScoreComponent {
  const { deduct, deductOthers } = findingDeductions(dkim)
  const validKeys = dkim.keys.filter(({ valid, forwarder }) => valid && !forwarder)
  const areAllTesting = validKeys.every(({ testing }) => testing)
  const testing = deduct('dkim.testing', areAllTesting ? 8 : 2)
  return buildComponent(DKIM_POINTS, [...deductOthers(), ...testing])
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
  const { deduct, deductOthers } = findingDeductions(mx)
  // `null` means that the addresses were not looked up.
  const isUnreachable = mx.records.every(({ addresses }) => addresses?.length === 0)
  const dangling = deduct('mx.dangling', isUnreachable ? MX_POINTS : 2)
  return buildComponent(MX_POINTS, [...deductOthers(), ...dangling])
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

type Deduct = (id: FindingId, points?: number) => Deduction[]

/** What the findings of a report cost, as the catalog says. */
function findingDeductions({ issues }: { readonly issues: readonly Finding[] }) {
  const open = new Set(issues.map(({ id }) => id))
  return {
    /** The points of one finding, or fewer. */
    deduct: ((id, points = pointsOf(id)) => (open.delete(id) ? [{ id, points }] : [])) as Deduct,
    /** Those not deducted so far, the most expensive first. */
    deductOthers: (): Deduction[] =>
      COSTLY_FINDINGS.filter((id) => open.delete(id)).map((id) => ({ id, points: pointsOf(id) })),
  }
}

const COSTLY_FINDINGS = (Object.keys(FINDING_FACTS) as FindingId[])
  .filter((id) => pointsOf(id) > 0)
  .sort((one, other) => pointsOf(other) - pointsOf(one))

function pointsOf(id: FindingId): number {
  return FINDING_FACTS[id].points ?? 0
}

export function toGrade(score: number): ScoreReport['grade'] {
  if (score >= 90) return 'A'
  if (score >= 80) return 'B'
  if (score >= 70) return 'C'
  return score >= 60 ? 'D' : 'F'
}
