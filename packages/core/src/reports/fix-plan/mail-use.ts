/** What a domain does with mail, as far as the DNS shows. */
import { profileOf } from '../check/parts.js'
import { isAlive } from './alive.js'
import type { DomainFacts } from './domain-facts.js'
import type { Mailboxes } from './parties.js'
import { type LeftOfSpf, namesSenders } from './spf/left-of-spf.js'

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
export function sendsMail(facts: DomainFacts, left: LeftOfSpf | null): boolean {
  const { parts } = facts
  if (hasKeys(facts)) return true
  if (profileOf(parts) === 'non-sending' && (left?.composed.terms.length ?? 0) === 0) return false
  const { authorizesSenders } = left?.composed ?? parts.spf
  if (hasServers(facts) || authorizesSenders) return true
  // A null MX says that there is no mail; only a sender that is surely let send says otherwise.
  return !parts.mx.nullMx && left !== null && namesSenders(left)
}

function hasKeys({ parts, dkim }: DomainFacts): boolean {
  const isSeen = dkim.wildcard || dkim.keys.length + dkim.dangling.length > 0
  const isUnseen = dkim.domainKey === 'exists' && !isSeen
  return (
    parts.dkim.presence === 'present' || isUnseen || dkim.wildcardKeys.some(({ valid }) => valid)
  )
}

/** A web address hardly takes any, nor does a server that has none. */
export function receivesMail({ mx }: DomainFacts, likely: Mailboxes): boolean {
  return likely.length > 0 || mx.targets.some(isAlive)
}

function hasServers({ mx }: DomainFacts): boolean {
  return mx.targets.some(({ kind }) => kind !== 'null')
}
