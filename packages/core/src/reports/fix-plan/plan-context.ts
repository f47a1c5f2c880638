/** What a plan has to do with: what is published, who has a hand in it, what the domain does. */

import type { Dns } from '@mailgrade/doh/dns'
import type { CheckResult } from '../../checks/check-result.js'
import type { DomainName } from '../../names/domain-name.js'
import type { Random } from '../check/repeatable-random.js'
import { type DomainFacts, discoverDomain } from './discover-domain.js'
import { type MailUse, receivesMail, sendsMail } from './mail-use.js'
import {
  detectDnsHosts,
  detectMailboxProviders,
  detectSenders,
  guessMailboxProviders,
  type ServicesInUse,
} from './services-in-use.js'
import { findUsableSpf, type UsableSpf } from './spf/usable-spf.js'

export interface PlanContext {
  readonly facts: DomainFacts
  readonly services: ServicesInUse
  readonly mailUse: MailUse
  /** Null where the domain is an alias, beside which no record can stand. */
  readonly usableSpf: UsableSpf | null
}

export async function createPlanContext(
  dns: Dns,
  domain: DomainName,
  chance: () => Random,
): Promise<CheckResult<PlanContext>> {
  const gathered = await discoverDomain(dns, domain, chance)
  if (gathered.kind !== 'report') return gathered
  const facts = gathered.report
  const served = detectMailboxProviders(facts)
  const left = facts.alias.length > 0 ? null : await findUsableSpf(facts, served)
  if (left?.kind === 'unavailable') return left

  const { composed } = left ?? {}
  const sends = sendsMail(facts, left)
  const likely = sends ? guessMailboxProviders(facts, composed?.remainingSenders ?? []) : []
  const mailboxProviders = [...served, ...likely]
  const named = [...facts.reports.spf.senders, ...(composed?.senders ?? [])]
  const parties = {
    mailboxProviders,
    senders: detectSenders(facts, named, mailboxProviders),
    dnsHosts: detectDnsHosts(facts),
  }
  const use = { sends, receives: receivesMail(facts, likely) }
  return { kind: 'report', report: { facts, services: parties, mailUse: use, usableSpf: left } }
}
