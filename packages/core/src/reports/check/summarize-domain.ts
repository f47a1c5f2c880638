/** How a domain stands, in words that a person or a model can repeat. */

import { type CheckReports, effectiveTreatment, sendingProfile } from './check-reports.js'
import { findingsBySeverity, isActionable } from './findings-by-severity.js'

const TREATMENTS = {
  reject: 'forged mail is rejected',
  quarantine: 'forged mail goes to the spam folder',
  none: 'forged mail is delivered, because no DMARC policy stops it',
}

export function summarizeDomain(parts: CheckReports): string {
  const { domain } = parts.mx
  const isOpen = parts.spf.issues.some(({ id }) => id === 'spf.allows-everyone')
  const fate = isOpen
    ? 'anybody can send mail that looks genuine, because SPF lets everybody pass'
    : TREATMENTS[effectiveTreatment(parts.dmarc)]
  const silent = sendingProfile(parts) === 'non-sending' ? ' It sends no mail itself.' : ''
  return `${domain}: ${fate}.${silent} ${nextStep(parts)}`
}

function nextStep(parts: CheckReports): string {
  const [first, ...others] = findingsBySeverity(parts).filter(isActionable)
  if (!first) return 'Nothing needs mending.'
  const rest = others.length === 0 ? '' : ` (and ${others.length} more)`
  return `To mend first: ${first.title}${rest}.`
}
