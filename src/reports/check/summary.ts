/** How a domain stands, in words that a person or a model can repeat. */
import { SEVERITIES } from '../../catalog/findings/finding-entry.js'
import type { Finding } from '../../checks/finding.js'
import { type Parts, profileOf, treatmentOf } from './parts.js'

const TREATMENTS = {
  reject: 'forged mail is rejected',
  quarantine: 'forged mail goes to the spam folder',
  none: 'forged mail is delivered, because no DMARC policy stops it',
}

export function summarize(parts: Parts): string {
  const { domain } = parts.mx
  const isOpen = parts.spf.issues.some(({ id }) => id === 'spf.allows-everyone')
  const fate = isOpen
    ? 'anybody can send mail that looks genuine, because SPF lets everybody pass'
    : TREATMENTS[treatmentOf(parts.dmarc)]
  const silent = profileOf(parts) === 'non-sending' ? ' It sends no mail itself.' : ''
  return `${domain}: ${fate}.${silent} ${nextStep(parts)}`
}

function nextStep({ mx, spf, dmarc, dkim }: Parts): string {
  const faults = [spf, dmarc, dkim, mx]
    .flatMap(({ issues }) => issues)
    .filter(({ severity }) => severity !== 'info')
    .sort(byGravity)
  const [first, ...others] = faults
  if (!first) return 'Nothing needs mending.'
  const rest = others.length === 0 ? '' : ` (and ${others.length} more)`
  return `To mend first: ${first.title}${rest}.`
}

function byGravity(one: Finding, other: Finding): number {
  return SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity)
}
