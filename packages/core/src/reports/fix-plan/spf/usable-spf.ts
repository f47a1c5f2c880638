/** What is left of the SPF records that stand there, once it is tried out. */
import type { DnsUnavailable } from '../../../checks/check-result.js'
import type { DomainFacts } from '../discover-domain.js'
import type { MailboxProvidersInUse } from '../services-in-use.js'
import { type ComposedSpf, composeSpf } from './compose-spf.js'
import { mailboxProviderTerms } from './mailbox-provider-terms.js'
import { type RepairedTerms, repairTerms } from './repaired-terms.js'

export interface UsableSpf {
  readonly kind: 'left'
  readonly repaired: RepairedTerms
  readonly composed: ComposedSpf
}

export async function findUsableSpf(
  facts: DomainFacts,
  mailboxes: MailboxProvidersInUse,
): Promise<UsableSpf | DnsUnavailable> {
  const meant = repairTerms(facts.spf)
  const composed = await composeSpf(meant, createSpfContext(facts, mailboxes))
  return composed.kind === 'composed' ? { kind: 'left', repaired: meant, composed } : composed
}

export function createSpfContext(facts: DomainFacts, mailboxes: MailboxProvidersInUse) {
  const { dns, domain } = facts
  return {
    dns,
    domain,
    stays: new Set(mailboxes.map(({ entry }) => entry.id)),
    asked: new Set(mailboxProviderTerms(facts, mailboxes).values()),
  }
}

function isInclude(term: string): boolean {
  return /^\+?include:/i.test(term)
}

/** Whether the records name anybody, though receivers may not be able to read it. */
export function hasNamedSenders({ repaired, composed }: UsableSpf): boolean {
  const { authorizesSenders, senders, dropped, moved } = composed
  const isSomebody = dropped.some(({ term, doom }) => doom !== 'dead' || isInclude(term))
  const isMeant = senders.length + moved.length + repaired.unreadable.length > 0
  return authorizesSenders || isSomebody || isMeant
}
