/** The score in words. */
import type { ScoreReport } from './score-report.js'
import { type Verdict, verdictStatus } from './verdict.js'

export const SPOOFABLE_ANSWERS = {
  no: 'No: receivers are asked to reject forged mail, and we found no gap.',
  partly: 'Partly: forged mail goes to the spam folder, or some of it is delivered.',
  yes: 'Yes: nothing stops forged mail.',
} as const

export function scoreStatus(report: ScoreReport): Verdict['status'] {
  const { profile, bulkSender } = report
  const isKeyUnknown = profile === 'sending' && bulkSender.unknown.includes('dkim')
  return verdictStatus({ ...report, isKeyUnknown })
}

export function bulkSenderWords({ bulkSender: { ready, missing, unknown } }: ScoreReport): string {
  if (ready) return 'All requirements met.'
  const list = (names: readonly string[]) => names.join(', ').toUpperCase()
  return [
    ...(missing.length > 0 ? [`Not met: ${list(missing)}.`] : []),
    ...(unknown.length > 0 ? [`Unknown: ${list(unknown)}.`] : []),
  ].join(' ')
}
