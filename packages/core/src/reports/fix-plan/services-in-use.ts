/** Who has a hand in a domain's mail: mailbox provider, senders, DNS host. */
import { type DnsHost, findDnsHost, findDnsHosts } from '../../catalog/find-dns-host.js'
import { findServiceById, type MailService } from '../../catalog/mail-services.js'
import {
  findProviderByMx,
  MAILBOX_PROVIDERS,
  type MailboxProvider,
} from '../../catalog/mailbox-providers.js'
import type { DkimSetup } from '../../catalog/service-setup.js'
import type { DkimKey } from '../../checks/dkim/dkim-facts.js'
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

export interface Signer extends Pick<MailService, 'id' | 'name'> {
  readonly dkim: DkimSetup
  /** Those that it is known to use. */
  readonly selectors: ReadonlySet<string>
  /** It may only receive. */
  readonly isGateway: boolean
}

export function findSigners({ mailboxProviders, senders }: ServicesInUse): Signer[] {
  const gateways = new Set(
    mailboxProviders.filter(({ entry }) => entry.kind === 'gateway').map(({ entry }) => entry.id),
  )
  return [...mailboxProviders, ...senders].flatMap(({ entry: { id, name, selectors, setup } }) =>
    setup.dkim
      ? [{ id, name, dkim: setup.dkim, selectors: new Set(selectors), isGateway: gateways.has(id) }]
      : [],
  )
}

export function findSignerOfKey(key: DkimKey, signers: readonly Signer[]): Signer | undefined {
  return signers.find((signer) => belongsToSigner(key, signer))
}

/** By where its CNAME leads, or by its selector where nobody else is known to have it. */
export function belongsToSigner(
  { provider, selector }: DkimKey,
  { id, selectors }: Signer,
): boolean {
  return provider ? provider.id === id : selectors.has(selector)
}
