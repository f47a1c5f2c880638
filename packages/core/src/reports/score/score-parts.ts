/** The score report of a domain, from what its checks found. */
import { subjectOf } from '../../checks/subject.js'
import type { DomainName } from '../../names/domain-name.js'
import { findingsOf } from '../check/findings-of.js'
import { judgeTogether } from '../check/judge-together.js'
import { type Parts, profileOf } from '../check/parts.js'
import { assess } from './assess.js'
import { bulkSenderOf } from './bulk-sender.js'
import { scoreRange } from './score-range.js'
import type { ScoreReport } from './score-report.js'
import { summarizeScore } from './score-summary.js'
import { spoofableOf } from './spoofable.js'

export function scoreParts(
  domain: DomainName,
  gathered: Parts,
  topFixes: ScoreReport['topFixes'],
): ScoreReport {
  const parts = judgeTogether(gathered)
  const assessment = assess(parts)
  const standing = {
    ...subjectOf(domain),
    score: assessment.score,
    grade: gradeOf(assessment.score),
    profile: profileOf(parts),
  }
  const reasons = {
    spoofable: spoofableOf(parts),
    bulkSender: bulkSenderOf(parts),
    range: scoreRange(gathered),
    components: assessment.components,
    findings: findingsOf(parts),
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
