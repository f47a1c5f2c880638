/** How far the score may be from the truth, since the DNS does not list DKIM selectors. */
import { createFinding, type Finding } from '../../checks/finding.js'
import type { CheckReports } from '../check/check-reports.js'
import { judgeAcrossChecks } from '../check/judge-across-checks.js'
import { calculateScore } from './calculate-score.js'
import type { ScoreReport } from './score-report.js'

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
