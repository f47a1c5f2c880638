/** What is left of the SPF records that stand there, once it is tried out. */
import type { Unavailable } from '../../../checks/checked.js'
import type { DomainFacts } from '../domain-facts.js'
import type { Mailboxes } from '../parties.js'
import { type Composed, composeSpf } from './compose-spf.js'
import { mailboxTerms } from './mailbox-terms.js'
import { type Meant, meantTerms } from './meant-terms.js'

export interface LeftOfSpf {
  readonly kind: 'left'
  readonly meant: Meant
  readonly composed: Composed
}

export async function leftOfSpf(
  facts: DomainFacts,
  mailboxes: Mailboxes,
): Promise<LeftOfSpf | Unavailable> {
  const meant = meantTerms(facts.spf)
  const composed = await composeSpf(meant, placeOf(facts, mailboxes))
  return composed.kind === 'composed' ? { kind: 'left', meant, composed } : composed
}

export function placeOf(facts: DomainFacts, mailboxes: Mailboxes) {
  const { dns, domain } = facts
  return {
    dns,
    domain,
    stays: new Set(mailboxes.map(({ row }) => row.id)),
    asked: new Set(mailboxTerms(facts, mailboxes).values()),
  }
}

function isInclude(term: string): boolean {
  return /^\+?include:/i.test(term)
}

/** Whether the records name anybody, though receivers may not be able to read it. */
export function namesSenders({ meant, composed }: LeftOfSpf): boolean {
  const { authorizesSenders, senders, dropped, moved } = composed
  const isSomebody = dropped.some(({ term, doom }) => doom !== 'dead' || isInclude(term))
  const isMeant = senders.length + moved.length + meant.unreadable.length > 0
  return authorizesSenders || isSomebody || isMeant
}
