/** Detects the services of a domain: mailbox providers, senders, DNS hosts, DKIM signers. */
import { type DnsHost, findDnsHost, findDnsHosts } from '../../catalog/find-dns-host.js'
import { isForwarder } from '../../catalog/forwarders.js'
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

interface DetectedService<Entry> {
  readonly entry: Entry
  /** The record that shows it. */
  readonly evidence: string
}

export type MailboxProvidersInUse = readonly DetectedService<MailboxProvider>[]

export interface ServicesInUse {
  /** Most preferred first. */
  readonly mailboxProviders: MailboxProvidersInUse
  /** Without the mailbox providers. */
  readonly senders: readonly DetectedService<MailService>[]
  readonly dnsHosts: readonly DetectedService<DnsHost>[]
}

const MAILBOX_IDS: ReadonlySet<string> = new Set(
  MAILBOX_PROVIDERS.filter(({ kind }) => kind === 'mailbox').map(({ id }) => id),
)

export function detectMailboxProviders({ mx }: DomainFacts): DetectedService<MailboxProvider>[] {
  return dedupe(mx.targets.map(({ exchange }) => [findProviderByMx(exchange), `MX ${exchange}`]))
}

/** Behind a gateway, the first sender that hosts mailboxes; otherwise the gateway itself. */
export function primaryMailboxProvider({
  mailboxProviders,
  senders,
}: ServicesInUse): PlanService | null {
  const [first] = mailboxProviders
  if (!first) return null
  const host = [...mailboxProviders, ...senders].find(({ entry }) => MAILBOX_IDS.has(entry.id))
  return toPlanService(host ?? first)
}

/** Without MX and address, the only mailbox provider named in SPF most likely receives the mail. */
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

/** Services named in SPF or behind DKIM selectors, without mailbox providers and forwarders' keys. */
export function detectSenders(
  { dkim }: DomainFacts,
  named: SpfReport['senders'],
  mailboxProviders: MailboxProvidersInUse,
): DetectedService<MailService>[] {
  // A provider may send through another service, which is then no sender of its own.
  const required = new Set(
    mailboxProviders.flatMap(({ entry }) => entry.setup.spf.flatMap(({ terms }) => terms)),
  )
  const included = named
    .filter(({ via }) => !required.has(via))
    .map(({ id, via }) => [findServiceById(id), via] as const)
  const isSenders = ({ provider }: Pick<DkimKey, 'provider'>) =>
    provider === null || !isForwarder(provider.id)
  const signing = [...dkim.keys, ...dkim.danglingCnames]
    .filter(isSenders)
    .map(({ name, cnames, provider }) => {
      const evidence = cnames[0] ? `${name} CNAME ${cnames[0]}` : `${name} TXT`
      return [provider && findServiceById(provider.id), evidence] as const
    })
  const providerIds = new Set(mailboxProviders.map(({ entry }) => entry.id))
  return dedupe([...included, ...signing]).filter(({ entry }) => !providerIds.has(entry.id))
}

export function detectDnsHosts({ zone: { nameServers } }: DomainFacts): DetectedService<DnsHost>[] {
  const hosts = new Set(findDnsHosts(nameServers))
  const named = nameServers.map((name) => [findDnsHost(name), `NS ${name}`] as const)
  return dedupe(named).filter(({ entry }) => hosts.has(entry))
}

function dedupe<Entry>(
  all: readonly (readonly [Entry | null, string])[],
): DetectedService<Entry>[] {
  const services = new Map<Entry, DetectedService<Entry>>()
  for (const [entry, evidence] of all) {
    if (entry && !services.has(entry)) services.set(entry, { entry, evidence })
  }
  return [...services.values()]
}

export function toPlanService({
  entry: { id, name },
  evidence,
}: DetectedService<Pick<PlanService, 'id' | 'name'>>): PlanService {
  return { id, name, evidence }
}

export interface Signer extends Pick<MailService, 'id' | 'name'> {
  readonly dkim: DkimSetup
  /** Selectors that it is known to use. */
  readonly selectors: ReadonlySet<string>
  /** It may only receive mail. */
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

/** By the target of its CNAME, or by its selector if the target is not known. */
export function belongsToSigner(
  { provider, selector }: DkimKey,
  { id, selectors }: Signer,
): boolean {
  return provider ? provider.id === id : selectors.has(selector)
}
