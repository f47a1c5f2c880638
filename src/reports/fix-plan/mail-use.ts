/** What a domain does with mail, as far as the DNS shows. */
import { profileOf } from '../check/parts.js'
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
 * SPF, however badly written, no key to sign with. `left` is null for an alias.
 */
export function sendsMail(facts: DomainFacts, left: LeftOfSpf | null): boolean {
  const { parts, dkim } = facts
  const terms = left?.composed.terms.length ?? 0
  if (profileOf(parts) === 'non-sending' && terms === 0) return false
  const { authorizesSenders } = left?.composed ?? parts.spf
  if (hasServers(facts) || authorizesSenders) return true
  // A null MX says that there is no mail; only a sender that is surely let send says otherwise.
  const saysNone = parts.mx.nullMx
  const hasKeys =
    parts.dkim.presence === 'present' ||
    dkim.domainKey === 'exists' ||
    dkim.wildcardKeys.some(({ valid }) => valid)
  return !saysNone && (hasKeys || (left !== null && namesSenders(left)))
}

/** A web address hardly takes any. */
export function receivesMail(facts: DomainFacts, mailboxes: Mailboxes): boolean {
  return hasServers(facts) || mailboxes.length > 0
}

function hasServers({ mx }: DomainFacts): boolean {
  return mx.targets.some(({ kind }) => kind !== 'null')
}
