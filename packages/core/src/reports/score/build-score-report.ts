/** The score report of a domain, from what its checks found. */
import { toReportSubject } from '../../checks/report-subject.js'
import type { DomainName } from '../../names/domain-name.js'
import { type CheckReports, sendingProfile } from '../check/check-reports.js'
import { findingsBySeverity } from '../check/findings-by-severity.js'
import { judgeAcrossChecks } from '../check/judge-across-checks.js'
import { assessBulkSender } from './bulk-sender.js'
import { calculateScore } from './calculate-score.js'
import { calculateScoreRange } from './score-range.js'
import type { ScoreReport } from './score-report.js'
import { summarizeScore } from './score-summary.js'
import { assessSpoofability } from './spoofable.js'

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
