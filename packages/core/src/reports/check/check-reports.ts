/** The reports of the four scored checks. */
import { SEVERITIES } from '../../catalog/severities.js'
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

export const SENDING_PROFILES = ['sending', 'non-sending', 'covered'] as const
export type SendingProfile = (typeof SENDING_PROFILES)[number]

/**
 * `non-sending` is declared, not guessed: SPF is exactly `v=spf1 -all`, or there is a null MX and no
 * SPF record that names a sender. A DKIM key contradicts both. `covered` is a name without mail
 * records of its own, to which an enforced policy of a parent domain applies.
 */
export function sendingProfile({ spf, mx, dmarc, dkim }: CheckReports): SendingProfile {
  if (dkim.presence === 'present') return 'sending'
  if (spf.declaresNoSenders || (mx.nullMx && !spf.namesSenders)) return 'non-sending'
  const hasOwnRecords = mx.records.length + spf.records.length + dkim.keys.length > 0
  const isCovered = dmarc.inherited && effectiveTreatment(dmarc) !== 'none'
  return !hasOwnRecords && isCovered ? 'covered' : 'sending'
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
