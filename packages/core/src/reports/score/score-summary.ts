/** The score in one sentence that a person or a model can repeat. */
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
  return `${domain} scores ${score} of 100 (grade ${grade}${span}), ${ANSWERS[spoofable]}, and ${nextStep(report)}.`
}

/** A title may have colons and straight quotes of its own. */
function nextStep({ topFixes }: Pick<ScoreReport, 'topFixes'>): string {
  const [first] = topFixes
  return first ? `the fault to mend first is “${first.title}”` : 'it loses no points'
}
