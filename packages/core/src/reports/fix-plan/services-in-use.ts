/** The services of a domain that a plan is about: mailbox providers, senders, DNS hosts. */
import { type DnsHost, findDnsHost, findDnsHosts } from '../../catalog/dns-hosts.js'
import {
  type DetectedService,
  dedupe,
  isMailboxHost,
  type MailboxProvidersInUse,
  type SenderInUse,
} from '../../streams/find-senders.js'
import type { KeyOwners } from '../../streams/key-owners.js'
import type { DomainFacts } from './discover-domain.js'
import type { PlanService } from './fix-plan-report.js'

export interface ServicesInUse {
  /** Most preferred first. */
  readonly mailboxProviders: MailboxProvidersInUse
  /** Everything that may send, mailbox providers and gateways included, forwarders not. */
  readonly senders: readonly SenderInUse[]
  readonly dnsHosts: readonly DetectedService<DnsHost>[]
  readonly ownerOf: KeyOwners
}

/** The host of the mailboxes; behind a gateway, the one that other records show, if any. */
export function primaryMailboxProvider({
  mailboxProviders,
  senders,
}: ServicesInUse): DetectedService<Pick<PlanService, 'id' | 'name'>> | null {
  const [first] = mailboxProviders
  if (!first) return null
  const host = mailboxProviders.find(({ entry }) => entry.kind === 'mailbox')
  if (host || first.entry.kind === 'forwarder') return host ?? null
  return senders.find(({ entry, inUse }) => isMailboxHost(entry) && inUse !== 'unsure') ?? null
}

export function detectDnsHosts({ zone: { nameServers } }: DomainFacts): DetectedService<DnsHost>[] {
  const hosts = new Set(findDnsHosts(nameServers))
  const named = nameServers.map((name) => [findDnsHost(name), `NS ${name}`] as const)
  return dedupe(named).filter(({ entry }) => hosts.has(entry))
}

export function toPlanService({
  entry: { id, name },
  evidence,
}: DetectedService<Pick<PlanService, 'id' | 'name'>>): PlanService {
  return { id, name, evidence }
}
