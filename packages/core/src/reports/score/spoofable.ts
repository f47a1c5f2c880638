/** Whether a stranger can send as a domain. */
import { isWeakerPolicy } from '../../checks/dmarc/dmarc-policies.js'
import type { CheckReports } from '../check/check-reports.js'
import type { ScoreReport } from './score-report.js'

/**
 * What leaves a way in even where the policy is reject. A weak key is one of them and not worse:
 * receivers must not accept its signatures (RFC 8301 §3.2), though not all obey.
 */
const HOLES: ReadonlySet<string> = new Set([
  'dmarc.testing',
  'dmarc.partial',
  'dmarc.subdomains-open',
  'dmarc.subdomains-weaker',
  'dmarc.nonexistent-weaker',
  'spf.wide-range',
  'dkim.weak-key',
])

export function assessSpoofability({ spf, dmarc, dkim }: CheckReports): ScoreReport['spoofable'] {
  const { policy, olderReceivers } = dmarc
  const ids = [spf, dmarc, dkim].flatMap(({ issues }) => issues.map(({ id }) => id))
  if (policy === null || policy === 'none' || ids.includes('spf.allows-everyone')) return 'yes'
  // Some receivers still go by RFC 7489, and find less there.
  const isWeakerForSome =
    olderReceivers !== null &&
    (olderReceivers.policy === null || isWeakerPolicy(olderReceivers.policy, policy))
  const hasHole = isWeakerForSome || ids.some((id) => HOLES.has(id))
  return policy === 'quarantine' || hasHole ? 'partly' : 'no'
}
