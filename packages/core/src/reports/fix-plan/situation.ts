/** What a plan has to do with: what is published, who has a hand in it, what the domain does. */

import type { Dns } from '@mailgrade/doh/dns'
import type { Checked } from '../../checks/checked.js'
import type { DomainName } from '../../names/domain-name.js'
import type { Chance } from '../check/chance.js'
import { type DomainFacts, gatherFacts } from './domain-facts.js'
import { type MailUse, receivesMail, sendsMail } from './mail-use.js'
import { dnsHostsIn, likelyMailboxes, mailboxesOf, type Parties, sendersOf } from './parties.js'
import { type LeftOfSpf, leftOfSpf } from './spf/left-of-spf.js'

export interface Situation {
  readonly facts: DomainFacts
  readonly parties: Parties
  readonly use: MailUse
  /** Null where the domain is an alias, beside which no record can stand. */
  readonly left: LeftOfSpf | null
}

export async function surveyDomain(
  dns: Dns,
  domain: DomainName,
  chance: () => Chance,
): Promise<Checked<Situation>> {
  const gathered = await gatherFacts(dns, domain, chance)
  if (gathered.kind !== 'report') return gathered
  const facts = gathered.report
  const served = mailboxesOf(facts)
  const left = facts.alias.length > 0 ? null : await leftOfSpf(facts, served)
  if (left?.kind === 'unavailable') return left

  const { composed } = left ?? {}
  const sends = sendsMail(facts, left)
  const likely = sends ? likelyMailboxes(facts, composed?.remaining ?? []) : []
  const mailboxes = [...served, ...likely]
  const named = [...facts.parts.spf.senders, ...(composed?.senders ?? [])]
  const parties = {
    mailboxes,
    senders: sendersOf(facts, named, mailboxes),
    dnsHosts: dnsHostsIn(facts),
  }
  const use = { sends, receives: receivesMail(facts, likely) }
  return { kind: 'report', report: { facts, parties, use, left } }
}
