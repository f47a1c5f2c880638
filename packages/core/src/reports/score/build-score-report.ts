/** The score report of a domain, from what its checks found. */

import type { DkimReport } from '../../checks/dkim/dkim-report.js'
import { isWeakerPolicy } from '../../checks/dmarc/dmarc-policies.js'
import { createFinding, type Finding } from '../../checks/finding.js'
import { toReportSubject } from '../../checks/report-subject.js'
import type { DomainName } from '../../names/domain-name.js'
import { type CheckReports, findingsBySeverity, sendingProfile } from '../check/check-reports.js'
import { judgeAcrossChecks } from '../check/judge-across-checks.js'
import { calculateScore } from './calculate-score.js'
import type { ScoreReport } from './score-report.js'

export function buildScoreReport(
  domain: DomainName,
  gathered: CheckReports,
  topFixes: ScoreReport['topFixes'],
): ScoreReport {
  const parts = judgeAcrossChecks(gathered)
  const assessment = calculateScore(parts)
  const standing = {
    ...toReportSubject(domain),
    score: assessment.score,
    grade: gradeOf(assessment.score),
    profile: sendingProfile(parts),
  }
  const reasons = {
    spoofable: assessSpoofability(parts),
    bulkSender: assessBulkSender(parts),
    range: calculateScoreRange(gathered),
    components: assessment.components,
    findings: findingsBySeverity(parts),
    topFixes,
  }
  return { ...standing, summary: summarizeScore({ ...standing, ...reasons }), ...reasons }
}

function gradeOf(score: number): ScoreReport['grade'] {
  if (score >= 90) return 'A'
  if (score >= 80) return 'B'
  if (score >= 70) return 'C'
  return score >= 60 ? 'D' : 'F'
}

/** Takes parts as they were gathered: what shows side by side depends on what is supposed here. */
export function calculateScoreRange(gathered: CheckReports): ScoreReport['range'] {
  // Of a domain that sends nothing all three come to the same.
  const isOpen = gathered.dkim.presence === 'unknown'
  const [worst, best] = isOpen
    ? [withoutKey(gathered), withGoodKey(gathered)]
    : [gathered, gathered]
  return {
    min: calculateScore(judgeAcrossChecks(worst)).score,
    max: calculateScore(judgeAcrossChecks(best)).score,
  }
}

/** Whatever else was found stays as it is: a weak key is a hole, be it of use or not. */
function withoutKey({ dkim, ...others }: CheckReports): CheckReports {
  const missing = createFinding('dkim.missing', { title: '', detail: '', fix: '' })
  return { ...others, dkim: { ...dkim, presence: 'absent', issues: [missing, ...known(dkim)] } }
}

function withGoodKey({ dkim, ...others }: CheckReports): CheckReports {
  return { ...others, dkim: { ...dkim, presence: 'present', issues: known(dkim) } }
}

const OPEN: ReadonlySet<string> = new Set(['dkim.unknown', 'dkim.unknown-selector', 'dkim.revoked'])

function known({ issues }: CheckReports['dkim']): Finding[] {
  return issues.filter(({ id }) => !OPEN.has(id))
}

/**
 * What leaves a way in even where the policy is reject. A weak key is one of them and not worse:
 * receivers must not accept its signatures (RFC 8301 §3.2), though not all obey.
 */
const HOLES: ReadonlySet<string> = new Set([
  'dmarc.testing',
  'dmarc.partial',
  'dmarc.subdomains-open',
  'dmarc.subdomains-weaker',
  'dmarc.nonexistent-weaker',
  'spf.wide-range',
  'dkim.weak-key',
])

export function assessSpoofability({ spf, dmarc, dkim }: CheckReports): ScoreReport['spoofable'] {
  const { policy, olderReceivers } = dmarc
  const ids = [spf, dmarc, dkim].flatMap(({ issues }) => issues.map(({ id }) => id))
  if (policy === null || policy === 'none' || ids.includes('spf.allows-everyone')) return 'yes'
  // Some receivers still go by RFC 7489, and find less there.
  const isWeakerForSome =
    olderReceivers !== null &&
    (olderReceivers.policy === null || isWeakerPolicy(olderReceivers.policy, policy))
  const hasHole = isWeakerForSome || ids.some((id) => HOLES.has(id))
  return policy === 'quarantine' || hasHole ? 'partly' : 'no'
}

/**
 * What the large mailbox providers ask of whoever sends thousands of messages a day:
 * https://support.google.com/a/answer/81126, https://senders.yahooinc.com/best-practices/.
 */

export function assessBulkSender({ spf, dmarc, dkim }: CheckReports): ScoreReport['bulkSender'] {
  const hasKey = dkim.keys.some(isAccepted)
  const isKeyOpen = !hasKey && dkim.presence === 'unknown'
  const missing: ScoreReport['bulkSender']['missing'] = [
    ...(spf.valid && spf.authorizesSenders ? [] : ['spf' as const]),
    ...(hasKey || isKeyOpen ? [] : ['dkim' as const]),
    ...(dmarc.policy === null ? ['dmarc' as const] : []),
  ]
  return { ready: hasKey && missing.length === 0, missing, unknown: isKeyOpen ? ['dkim'] : [] }
}

/**
 * They verify RSA keys of 1024 bits and more (RFC 8301 §3.2), none of them Ed25519 alone, and no
 * SHA-1 (§3.1); a key in test mode makes mail no better than unsigned (RFC 6376 §3.6.1).
 */
function isAccepted(key: DkimReport['keys'][number]): boolean {
  const { valid, testing, keyType, keySize, hashAlgorithms } = key
  const hasHash = hashAlgorithms === null || hashAlgorithms.includes('sha256')
  return valid && !testing && hasHash && keyType === 'rsa' && (keySize ?? 0) >= 1024
}

const ANSWERS: Readonly<Record<ScoreReport['spoofable'], string>> = {
  no: 'strangers cannot send as this domain',
  partly: 'strangers are only partly kept from sending as this domain',
  yes: 'strangers can send as this domain',
}

export function summarizeScore(report: Omit<ScoreReport, 'summary'>): string {
  const { domain, score, grade, range, spoofable } = report
  const span =
    range.min === range.max
      ? ''
      : `, or ${range.min} to ${range.max} depending on DKIM keys that the DNS does not show`
  return `${domain} scores ${score} of 100 (grade ${grade}${span}), ${ANSWERS[spoofable]}, and ${nextStep(report)}.`
}

/** A title may have colons and straight quotes of its own. */
function nextStep({ topFixes }: Pick<ScoreReport, 'topFixes'>): string {
  const [first] = topFixes
  return first ? `the fault to mend first is “${first.title}”` : 'it loses no points'
}
