/** What to publish, and where, in words that can be pasted. */
import type { DmarcFacts } from './discover-dmarc.js'
import { isPolicyChosen } from './policies.js'
import { rewritten, type TagChanges } from './record-faults.js'
import { type Found, hasPsd } from './tree-walk.js'

/** A record that the operator of a public suffix publishes for whoever has none (RFC 9989 §4.10.1). */
export function isRegistrys(found: Found, domain: string): boolean {
  return found.station.domain !== domain && hasPsd(found, 'y')
}

/**
 * The record with some tags changed, where it stands; or, since nobody can change the registry's,
 * a record of the organisation's own that is as strong.
 */
export function publication(facts: DmarcFacts, found: Found, changes: TagChanges = {}): string {
  if (!isRegistrys(found, facts.domain)) {
    // Where no policy is given, what receivers go by now.
    const complete = isPolicyChosen(found.record) ? changes : { p: 'none', ...changes }
    return `publish at ${found.station.name}: "${rewritten(found.record, complete)}"`
  }
  const organization = facts.organizationalDomain ?? facts.domain
  const policy = changes.p ?? changes.sp ?? changes.np ?? facts.policy ?? 'none'
  return `publish at _dmarc.${organization}: "v=DMARC1; p=${policy}; rua=${ownMailbox(organization)}"`
}

export function ownMailbox(domain: string): string {
  return `mailto:dmarc@${domain}`
}

export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
