/** What a domain does with mail, as far as the DNS shows. */
import { sendingProfile } from '../check/check-reports.js'
import type { DomainFacts } from './discover-domain.js'
import { isDeliverable } from './is-deliverable.js'
import type { MailboxProvidersInUse } from './services-in-use.js'
import { hasNamedSenders, type UsableSpf } from './spf/usable-spf.js'

export interface MailUse {
  readonly sends: boolean
  /** Once the plan is carried out. */
  readonly receives: boolean
}

/**
 * It sends nothing when it says so, or when nobody is named who could: no mail server, no sender in
 * SPF, however badly written. A key to sign with speaks louder than an SPF record that names nobody,
 * for mail passes DMARC by DKIM alone. `left` is null for an alias.
 */
export function sendsMail(facts: DomainFacts, left: UsableSpf | null): boolean {
  const { reports } = facts
  if (hasKeys(facts)) return true
  if (sendingProfile(reports) === 'non-sending' && (left?.composed.terms.length ?? 0) === 0)
    return false
  const { authorizesSenders } = left?.composed ?? reports.spf
  if (hasServers(facts) || authorizesSenders) return true
  // A null MX says that there is no mail; only a sender that is surely let send says otherwise.
  return !reports.mx.nullMx && left !== null && hasNamedSenders(left)
}

function hasKeys({ reports, dkim }: DomainFacts): boolean {
  const isSeen = dkim.wildcard || dkim.keys.length + dkim.danglingCnames.length > 0
  const isUnseen = dkim.domainKeyState === 'exists' && !isSeen
  return (
    reports.dkim.presence === 'present' || isUnseen || dkim.wildcardKeys.some(({ valid }) => valid)
  )
}

/** A web address hardly takes any, nor does a server that has none. */
export function receivesMail({ mx }: DomainFacts, likely: MailboxProvidersInUse): boolean {
  return likely.length > 0 || mx.targets.some(isDeliverable)
}

function hasServers({ mx }: DomainFacts): boolean {
  return mx.targets.some(({ kind }) => kind !== 'null')
}
