/** The score in one sentence that a person or a model can repeat. */
import { isFault } from '../check/findings-of.js'
import type { ScoreReport } from './score-report.js'

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
  return `${domain} scores ${score} of 100 (grade ${grade}${span}): ${ANSWERS[spoofable]}, and ${nextStep(report)}.`
}

/** A fault may cost no points and be worth mending all the same. */
function nextStep({ topFixes, findings }: Pick<ScoreReport, 'topFixes' | 'findings'>): string {
  const first = topFixes[0] ?? findings.find(isFault)
  return first ? `the first thing to mend is: ${first.title}` : 'nothing needs mending'
}
