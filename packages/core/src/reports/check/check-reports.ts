/** The four checks of a domain side by side. */

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
 * A domain sends no mail when it lets nobody send and says so, in SPF or with a null MX. A broken
 * record says nothing: what is broken may be the very term that was to let somebody send.
 */
export function sendingProfile({
  spf,
  mx,
}: Pick<CheckReports, 'spf' | 'mx'>): (typeof SENDING_PROFILES)[number] {
  const isClosed = (spf.valid && spf.allResult === 'fail') || mx.nullMx
  return isClosed && !spf.authorizesSenders ? 'non-sending' : 'sending'
}

/** What receivers do with forged mail; `t=y` has them do one step less (RFC 9989 §4.7). */
export function effectiveTreatment({
  policy,
  testing,
}: Pick<DmarcReport, 'policy' | 'testing'>): 'none' | 'quarantine' | 'reject' {
  if (policy === 'reject') return testing ? 'quarantine' : 'reject'
  return policy === 'quarantine' && !testing ? 'quarantine' : 'none'
}

/** Of all four checks, gravest first; equally grave ones as the checks have them. */
export function findingsBySeverity({ mx, spf, dmarc, dkim }: CheckReports): Finding[] {
  return [spf, dmarc, dkim, mx].flatMap(({ issues }) => issues).sort(byGravity)
}

export function isActionable({ severity }: Finding): boolean {
  return severity !== 'info'
}

function byGravity(one: Finding, other: Finding): number {
  return SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity)
}
