/** Points for what the checks show, and nothing but points. */
import { type CheckReports, sendingProfile } from '../check/check-reports.js'
import { scoreDkim, scoreNonSendingDkim } from './dkim-component.js'
import { scoreDmarc } from './dmarc-component.js'
import { scoreMx } from './mx-component.js'
import type { ScoreReport } from './score-report.js'
import { scoreSpf } from './spf-component.js'

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
