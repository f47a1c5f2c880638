/** The reports of the four scored checks. */
import { SEVERITIES } from '../../catalog/findings/finding-entry.js'
import type { DkimReport } from '../../checks/dkim/dkim-report.js'
import type { DmarcReport } from '../../checks/dmarc/dmarc-report.js'
import type { Finding } from '../../checks/finding.js'
import type { MxReport } from '../../checks/mx/mx-report.js'
import type { SpfReport } from '../../checks/spf/spf-report.js'

export interface CheckReports {
  readonly mx: MxReport
  readonly spf: SpfReport
  readonly dmarc: DmarcReport
  readonly dkim: DkimReport
}

export const SENDING_PROFILES = ['sending', 'non-sending'] as const

/**
 * A domain is non-sending if it authorizes no sender and declares that in SPF or with a null MX.
 * An invalid SPF record declares nothing: the invalid term may have authorized a sender.
 */
export function sendingProfile({
  spf,
  mx,
}: Pick<CheckReports, 'spf' | 'mx'>): (typeof SENDING_PROFILES)[number] {
  const isDeclared = (spf.valid && spf.allResult === 'fail') || mx.nullMx
  return isDeclared && !spf.authorizesSenders ? 'non-sending' : 'sending'
}

/** What receivers do with forged mail; `t=y` lowers the policy by one level (RFC 9989 §4.7). */
export function effectiveTreatment({
  policy,
  testing,
}: Pick<DmarcReport, 'policy' | 'testing'>): 'none' | 'quarantine' | 'reject' {
  if (policy === 'reject') return testing ? 'quarantine' : 'reject'
  return policy === 'quarantine' && !testing ? 'quarantine' : 'none'
}

/** The findings of all four checks, most severe first. */
export function findingsBySeverity({ mx, spf, dmarc, dkim }: CheckReports): Finding[] {
  return [spf, dmarc, dkim, mx].flatMap(({ issues }) => issues).sort(compareSeverity)
}

export function isActionable({ severity }: Finding): boolean {
  return severity !== 'info'
}

function compareSeverity(left: Finding, right: Finding): number {
  return SEVERITIES.indexOf(left.severity) - SEVERITIES.indexOf(right.severity)
}
