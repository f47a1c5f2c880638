/** Points for what the checks show, and nothing but points. */
import { type Parts, profileOf } from '../check/parts.js'
import { dkimComponent, silentDkimComponent } from './dkim-component.js'
import { dmarcComponent } from './dmarc-component.js'
import { mxComponent } from './mx-component.js'
import type { ScoreReport } from './score-report.js'
import { spfComponent } from './spf-component.js'

export type Assessment = Pick<ScoreReport, 'score' | 'components'>

/** Takes parts that were judged together. */
export function assess(parts: Parts): Assessment {
  const spf = spfComponent(parts.spf)
  const dmarc = dmarcComponent(parts)
  const isSending = profileOf(parts) === 'sending'
  const dkim = isSending ? dkimComponent(parts.dkim) : silentDkimComponent(spf, dmarc)
  const mx = mxComponent(parts.mx)
  return {
    score: spf.points + dmarc.points + dkim.points + mx.points,
    components: { spf, dmarc, dkim, mx },
  }
}
