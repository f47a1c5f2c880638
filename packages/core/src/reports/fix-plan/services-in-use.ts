/** Who has a hand in a domain's mail: mailbox provider, senders, DNS host. */
import { type DnsHost, findDnsHost, findDnsHosts } from '../../catalog/find-dns-host.js'
import { findServiceById, type MailService } from '../../catalog/mail-services.js'
import {
  findProviderByMx,
  MAILBOX_PROVIDERS,
  type MailboxProvider,
} from '../../catalog/mailbox-providers.js'
import type { SpfReport } from '../../checks/spf/spf-report.js'
import type { DomainFacts } from './discover-domain.js'
import type { PlanService } from './fix-plan-report.js'

export interface DetectedService<Row> {
  readonly entry: Row
  /** The record that shows it. */
  readonly evidence: string
}

export type MailboxProvidersInUse = readonly DetectedService<MailboxProvider>[]

export interface ServicesInUse {
  /** Most preferred first. */
  readonly mailboxProviders: MailboxProvidersInUse
  /** Without whoever runs the mailboxes. */
  readonly senders: readonly DetectedService<MailService>[]
  readonly dnsHosts: readonly DetectedService<DnsHost>[]
}

const RUNNERS: ReadonlySet<string> = new Set(
  MAILBOX_PROVIDERS.filter(({ kind }) => kind === 'mailbox').map(({ id }) => id),
)

export function detectMailboxProviders({ mx }: DomainFacts): DetectedService<MailboxProvider>[] {
  return seenOnce(mx.targets.map(({ exchange }) => [findProviderByMx(exchange), `MX ${exchange}`]))
}

/** Behind a gateway, whoever runs mailboxes and is let send; if nobody is, the gateway itself. */
export function primaryMailboxProvider({
  mailboxProviders,
  senders,
}: ServicesInUse): PlanService | null {
  const [first = null, ...others] = [...mailboxProviders, ...senders].map(toPlanService)
  if (mailboxProviders.length === 0) return null
  return [first, ...others].find((party) => party && RUNNERS.has(party.id)) ?? first
}

/** Where nobody can deliver anything, whoever runs mailboxes and sends surely takes mail as well. */
export function guessMailboxProviders(
  { mx }: DomainFacts,
  named: SpfReport['senders'],
): MailboxProvidersInUse {
  if (mx.targets.length > 0 || mx.domainAddresses.length > 0) return []
  const likely = named.flatMap(({ id, via }) => {
    const provider = MAILBOX_PROVIDERS.find((each) => each.id === id)
    return provider && provider.setup.mx.length > 0 ? [{ entry: provider, evidence: via }] : []
  })
  return likely.length === 1 ? likely : []
}

/** Those that the SPF record names, and those to whom DKIM selectors lead, but for the mailboxes. */
export function detectSenders(
  { dkim }: DomainFacts,
  named: SpfReport['senders'],
  mailboxes: MailboxProvidersInUse,
): DetectedService<MailService>[] {
  const included = named.map(({ id, via }) => [findServiceById(id), via] as const)
  const led = [...dkim.keys, ...dkim.danglingCnames].map(({ name, cnames, provider }) => {
    const evidence = cnames[0] ? `${name} CNAME ${cnames[0]}` : `${name} TXT`
    return [provider && findServiceById(provider.id), evidence] as const
  })
  const runners = new Set(mailboxes.map(({ entry }) => entry.id))
  return seenOnce([...included, ...led]).filter(({ entry }) => !runners.has(entry.id))
}

export function detectDnsHosts({ zone: { nameServers } }: DomainFacts): DetectedService<DnsHost>[] {
  const hosts = new Set(findDnsHosts(nameServers))
  const named = nameServers.map((name) => [findDnsHost(name), `NS ${name}`] as const)
  return seenOnce(named).filter(({ entry }) => hosts.has(entry))
}

function seenOnce<Row>(all: readonly (readonly [Row | null, string])[]): DetectedService<Row>[] {
  const seen = new Map<Row, DetectedService<Row>>()
  for (const [entry, evidence] of all) {
    if (entry && !seen.has(entry)) seen.set(entry, { entry: entry, evidence })
  }
  return [...seen.values()]
}

export function toPlanService({
  entry: { id, name },
  evidence,
}: DetectedService<Pick<PlanService, 'id' | 'name'>>): PlanService {
  return { id, name, evidence }
}
