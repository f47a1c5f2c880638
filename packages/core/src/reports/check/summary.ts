/** How a domain stands, in words that a person or a model can repeat. */
import { findingsOf, isFault } from './findings-of.js'
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

function nextStep(parts: Parts): string {
  const [first, ...others] = findingsOf(parts).filter(isFault)
  if (!first) return 'Nothing needs mending.'
  const rest = others.length === 0 ? '' : ` (and ${others.length} more)`
  return `To mend first: ${first.title}${rest}.`
}
