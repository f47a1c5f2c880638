/** The status and the facts of a score in words. */
import type { ScoreReport } from './score-report.js'
import { type Verdict, verdictStatus } from './verdict.js'

const SPOOFABLE_WORDS = {
  no: 'No: receivers are asked to reject forged mail, and we found no gaps.',
  partly: 'Partly: forged mail goes to the spam folder, or some of it is delivered.',
  yes: 'Yes: nothing stops forged mail.',
}

type Fact = readonly [label: string, value: string]

export function scoreFacts(report: ScoreReport): Fact[] {
  const { profile, spoofable, range } = report
  const facts: (Fact | null)[] = [
    ['Can this domain be spoofed?', SPOOFABLE_WORDS[spoofable]],
    profile === 'sending'
      ? ['Gmail, Yahoo and Outlook rules for bulk senders', bulkSenderWords(report)]
      : null,
    range.min === range.max
      ? null
      : ['Possible scores (some answers are unknown)', `${range.min} to ${range.max}`],
  ]
  return facts.filter((fact) => fact !== null)
}

export function scoreStatus(report: ScoreReport): Verdict['status'] {
  const { profile, bulkSender } = report
  const isKeyUnknown = profile === 'sending' && bulkSender.unknown.includes('dkim')
  return verdictStatus({ ...report, isKeyUnknown })
}

function bulkSenderWords({ bulkSender: { ready, missing, unknown } }: ScoreReport): string {
  if (ready) return 'All requirements met.'
  const list = (names: readonly string[]) => names.join(', ').toUpperCase()
  return [
    ...(missing.length > 0 ? [`Not met: ${list(missing)}.`] : []),
    ...(unknown.length > 0 ? [`Unknown: ${list(unknown)}.`] : []),
  ].join(' ')
}
