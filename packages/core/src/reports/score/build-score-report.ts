/** Builds the score report of a domain from the reports of its checks. */

import { FINDING_FACTS, type FindingId } from '../../catalog/findings.js'
import { toReportSubject } from '../../checks/check-result.js'
import type { Finding } from '../../checks/finding.js'
import type { DomainName } from '../../names/domain-name.js'
import {
  assessSpoofability,
  type CheckReports,
  describeFirstFix,
  findingsBySeverity,
  sendingProfile,
} from '../check/check-reports.js'
import { judgeAcrossChecks } from '../check/judge-across-checks.js'
import { assessBulkSender, describeLoss } from '../check/own-mail.js'
import { calculateScore, toGrade } from './calculate-score.js'
import type { ScoreReport } from './score-report.js'

/** Takes the reports as `runChecks` returns them. */
export function buildScoreReport(
  domain: DomainName,
  checked: CheckReports,
  topFixes: ScoreReport['topFixes'],
): ScoreReport {
  const reports = judgeAcrossChecks(checked)
  const { score, components } = calculateScore(reports)
  const result = {
    ...toReportSubject(domain),
    score,
    grade: toGrade(score),
    profile: sendingProfile(reports),
  }
  const details = {
    spoofable: assessSpoofability(reports),
    bulkSender: assessBulkSender(reports),
    range: calculateScoreRange(checked, score),
    components,
    findings: findingsBySeverity(reports),
    topFixes,
  }
  return { ...result, summary: summarizeScore({ ...result, ...details }, reports), ...details }
}

/** The score, grade and findings alone, for a caller that needs no full report. */
export function gradeReports(checked: CheckReports): Pick<ScoreReport, 'score' | 'grade'> & {
  readonly findings: readonly Finding[]
} {
  const reports = judgeAcrossChecks(checked)
  const { score } = calculateScore(reports)
  return { score, grade: toGrade(score), findings: findingsBySeverity(reports) }
}

const PROVIDER_KEY_NOT_FOUND = 'dkim.mailbox-provider-key-not-found'

/**
 * The scores if everything unknown turned out bad, or good: a DKIM key at a selector that DNS does
 * not list, and lookups that failed. Judging across checks depends on both, so each case starts from
 * the reports as checked.
 */
function calculateScoreRange(checked: CheckReports, score: number): ScoreReport['range'] {
  const worst = withUnknownsBad(isKeyUnknown(checked) ? withoutKey(checked) : checked)
  const best = isKeyUnknown(checked) ? withGoodKey(checked) : checked
  return {
    min: Math.min(score, calculateScore(judgeAcrossChecks(worst)).score),
    max: Math.max(score, calculateScore(judgeAcrossChecks(best)).score),
  }
}

/** A key matters only for a domain that sends mail. */
function isKeyUnknown(checked: CheckReports): boolean {
  const { presence, issues } = checked.dkim
  const mayHaveAnother = issues.some(({ id }) => id === PROVIDER_KEY_NOT_FOUND)
  return sendingProfile(checked) === 'sending' && (presence === 'unknown' || mayHaveAnother)
}

/** What each failed lookup could have shown at worst. */
const WORST_CASES: ReadonlyMap<string, FindingId> = new Map<string, FindingId>([
  ['dmarc.report-destination-unavailable', 'dmarc.no-reports'],
  ['mx.host-unavailable', 'mx.dangling'],
])

function withUnknownsBad({ mx, spf, dmarc, ...others }: CheckReports): CheckReports {
  return { mx: atWorst(mx), spf: spfAtWorst(spf), dmarc: atWorst(dmarc), ...others }
}

/** A record that could not be looked up may be missing; a host may have no address. */
function spfAtWorst(spf: CheckReports['spf']): CheckReports['spf'] {
  if (!spf.issues.some(({ id }) => id === 'spf.lookup-unavailable')) return spf
  const id = hasUnavailableRecord(spf.tree) ? 'spf.include-without-record' : 'spf.void-lookups'
  return { ...spf, issues: [...spf.issues, withoutWords(id)] }
}

function hasUnavailableRecord({ state, children }: CheckReports['spf']['tree']): boolean {
  return state === 'unavailable' || children.some(hasUnavailableRecord)
}

function atWorst<Report extends { issues: Finding[] }>(report: Report): Report {
  const present = new Set(report.issues.map(({ id }) => id))
  const added = report.issues
    .flatMap(({ id }) => WORST_CASES.get(id) ?? [])
    .filter((id) => !present.has(id))
  return { ...report, issues: [...report.issues, ...added.map(withoutWords)] }
}

/** Counts for a score that no one reads about. */
function withoutWords(id: FindingId): Finding {
  const { severity, reference } = FINDING_FACTS[id]
  return { id, severity, title: '', detail: '', fix: '', evidence: [], reference }
}

/** Findings about known keys stay: a weak key is a risk whether or not it is in use. */
function withoutKey({ dkim, ...others }: CheckReports): CheckReports {
  // A key that was found stays, wherever else another may be.
  if (dkim.presence === 'present') return { dkim, ...others }
  const issues = [withoutWords('dkim.missing'), ...conclusiveFindings(dkim)]
  return { ...others, dkim: { ...dkim, presence: 'absent', issues } }
}

function withGoodKey({ dkim, ...others }: CheckReports): CheckReports {
  return { ...others, dkim: { ...dkim, presence: 'present', issues: conclusiveFindings(dkim) } }
}

const INCONCLUSIVE: ReadonlySet<string> = new Set([
  'dkim.unknown',
  'dkim.unknown-selector',
  'dkim.revoked',
  PROVIDER_KEY_NOT_FOUND,
])

function conclusiveFindings({ issues }: CheckReports['dkim']): Finding[] {
  return issues.filter(({ id }) => !INCONCLUSIVE.has(id))
}

const DANGERS: Readonly<Record<ScoreReport['spoofable'], string>> = {
  no: 'receivers refuse forged mail from it',
  partly: 'some forged mail from it still gets through',
  yes: 'anyone can send mail as this domain',
}

/** What a stranger can do with the domain today, as a clause. */
export function describeDanger(checked: CheckReports): string {
  return DANGERS[assessSpoofability(judgeAcrossChecks(checked))]
}

const SPOOFABILITY: Readonly<Record<ScoreReport['spoofable'], string>> = {
  no: 'Receivers refuse forged mail from this domain',
  partly: 'Some forged mail from this domain still gets through',
  yes: 'Anyone can send mail as this domain',
}

function summarizeScore(report: Omit<ScoreReport, 'summary'>, reports: CheckReports): string {
  const { domain, score, grade, range, spoofable } = report
  const span =
    range.min === range.max
      ? ''
      : ` Some records are unknown, so it could be anywhere from ${range.min} to ${range.max}.`
  const next =
    score === 100
      ? 'It lost no points.'
      : (describeFirstFix(reports) ?? 'See the findings for what else you can improve.')
  const loss = describeLoss(reports)
  const lost = loss ? ` ${loss}.` : ''
  return `${domain} scores ${score} of 100 (grade ${grade}).${lost}${span} ${SPOOFABILITY[spoofable]}. ${next}`
}
