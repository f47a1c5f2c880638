/** What a plan has to do with: what is published, who has a hand in it, what the domain does. */
import type { Dns } from '@mailgrade/doh/dns'
import type { CheckResult } from '../../checks/check-result.js'
import type { MxTarget } from '../../checks/mx/discover-mx.js'
import type { DomainName } from '../../names/domain-name.js'
import { sendingProfile } from '../check/check-reports.js'
import type { Random } from '../check/run-checks.js'
import { type DomainFacts, discoverDomain } from './discover-domain.js'
import {
  detectDnsHosts,
  detectMailboxProviders,
  detectSenders,
  guessMailboxProviders,
  type MailboxProvidersInUse,
  type ServicesInUse,
} from './services-in-use.js'
import { findUsableSpf, hasNamedSenders, type UsableSpf } from './spf/usable-spf.js'

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

/** Whether mail can be delivered there, as far as was looked. */
export function isDeliverable(target: MxTarget): boolean {
  return target.kind === 'unasked' || (target.kind === 'host' && target.addresses.length > 0)
}
