/** Whether a stranger can send mail as the domain. */
import { isWeakerPolicy } from '../../checks/dmarc/dmarc-policies.js'
import type { Finding } from '../../checks/finding.js'
import type { CheckReports } from './check-reports.js'

export const SPOOFABLE = ['no', 'partly', 'yes'] as const
export type Spoofable = (typeof SPOOFABLE)[number]

/**
 * Findings that leave a gap even with "p=reject". A weak key is one of them and no more: receivers
 * must not accept its signatures (RFC 8301 §3.2), but some do. Whether the public half of a leaked
 * private key is still published somewhere is unknown.
 */
const GAPS: ReadonlySet<string> = new Set([
  'dmarc.testing',
  'dmarc.partial',
  'dmarc.subdomains-open',
  'dmarc.subdomains-weaker',
  'dmarc.nonexistent-weaker',
  'spf.wide-range',
  'dkim.weak-key',
  'dkim.private-key',
])

export function assessSpoofability(reports: CheckReports): Spoofable {
  const { policy } = reports.dmarc
  if (policy === null || policy === 'none' || allowsEveryone(reports)) return 'yes'
  const hasGap = isWeakerForSome(reports) || findGaps(reports).length > 0
  return policy === 'quarantine' || hasGap ? 'partly' : 'no'
}

/** SPF passes for every server, so DMARC passes as well. */
export function allowsEveryone({ spf }: Pick<CheckReports, 'spf'>): boolean {
  return spf.issues.some(({ id }) => id === 'spf.allows-everyone')
}

export function findGaps({ spf, dmarc, dkim }: CheckReports): Finding[] {
  return [dmarc, spf, dkim].flatMap(({ issues }) => issues).filter(isGap)
}

export function isGap({ id }: Pick<Finding, 'id'>): boolean {
  return GAPS.has(id)
}

/** Some receivers still follow RFC 7489 and may find a weaker policy. */
function isWeakerForSome({ dmarc: { policy, olderReceivers } }: CheckReports): boolean {
  if (policy === null || olderReceivers === null) return false
  return olderReceivers.policy === null || isWeakerPolicy(olderReceivers.policy, policy)
}
