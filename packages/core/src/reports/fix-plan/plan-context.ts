/** The context of a plan: facts, services in use, mail use, and the usable part of SPF. */
import type { Dns } from '@mailgrade/doh/dns'
import type { CheckResult } from '../../checks/check-result.js'
import type { MxTarget } from '../../checks/mx/discover-mx.js'
import type { DomainName } from '../../names/domain-name.js'
import { sendingProfile } from '../check/check-reports.js'
import type { CheckOptions, Random } from '../check/run-checks.js'
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
  /** Null if the domain is an alias: no other record can exist beside a CNAME. */
  readonly usableSpf: UsableSpf | null
}

export async function createPlanContext(
  dns: Dns,
  domain: DomainName,
  repeatRandom: () => Random,
  options: CheckOptions,
): Promise<CheckResult<PlanContext>> {
  const discovered = await discoverDomain(dns, domain, repeatRandom, options)
  if (discovered.kind !== 'report') return discovered
  const facts = discovered.report
  const detected = detectMailboxProviders(facts)
  const usableSpf = facts.alias.length > 0 ? null : await findUsableSpf(facts, detected)
  if (usableSpf?.kind === 'unavailable') return usableSpf

  const { composed } = usableSpf ?? {}
  const sends = sendsMail(facts, usableSpf)
  const guessed = sends ? guessMailboxProviders(facts, composed?.remainingSenders ?? []) : []
  const mailboxProviders = [...detected, ...guessed]
  const named = [...facts.reports.spf.senders, ...(composed?.senders ?? [])]
  const services = {
    mailboxProviders,
    senders: detectSenders(facts, named, mailboxProviders),
    dnsHosts: detectDnsHosts(facts),
  }
  const mailUse = { sends, receives: receivesMail(facts, guessed) }
  return { kind: 'report', report: { facts, services, mailUse, usableSpf } }
}

export interface MailUse {
  readonly sends: boolean
  /** With the plan applied. */
  readonly receives: boolean
}

/**
 * A domain does not send if it declares so, or if DNS names no possible sender: no mail server and
 * no sender in SPF, not even in a broken record. A DKIM key outweighs SPF without senders, because
 * mail passes DMARC with DKIM alone.
 */
function sendsMail(facts: DomainFacts, usableSpf: UsableSpf | null): boolean {
  const { reports } = facts
  if (hasKeys(facts)) return true
  if (sendingProfile(reports) === 'non-sending' && (usableSpf?.composed.terms.length ?? 0) === 0)
    return false
  const { authorizesSenders } = usableSpf?.composed ?? reports.spf
  if (hasMailServers(facts) || authorizesSenders) return true
  // A null MX declares no mail; only a sender that is surely authorized contradicts it.
  return !reports.mx.nullMx && usableSpf !== null && hasNamedSenders(usableSpf)
}

/** A key that receivers refuse still shows that the domain sends; a forwarder's key does not. */
function hasKeys({ dkim }: DomainFacts): boolean {
  const isVisible = dkim.wildcard || dkim.keys.length + dkim.danglingCnames.length > 0
  const isHidden = dkim.domainKeyState === 'exists' && !isVisible
  const keys = [...dkim.keys.filter(({ forwarder }) => !forwarder), ...dkim.wildcardKeys]
  return isHidden || keys.some(({ valid }) => valid)
}

/** The address of a web server does not count, nor does an MX host without an address. */
function receivesMail({ mx }: DomainFacts, guessed: MailboxProvidersInUse): boolean {
  return guessed.length > 0 || mx.targets.some(isDeliverable)
}

function hasMailServers({ mx }: DomainFacts): boolean {
  return mx.targets.some(({ kind }) => kind !== 'null')
}

/** Whether mail may be delivered to the host; an unknown address may exist. */
export function isDeliverable(target: MxTarget): boolean {
  return target.kind === 'unqueried' || (target.kind === 'host' && target.addresses?.length !== 0)
}
