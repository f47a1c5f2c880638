/** Who has a hand in a domain's mail: mailbox provider, senders, DNS host. */
import { type DnsHost, dnsHostOf, dnsHostsOf } from '../../catalog/dns-hosts.js'
import {
  MAILBOX_PROVIDERS,
  type MailboxProvider,
  providerOfMx,
} from '../../catalog/mailbox-providers.js'
import { type Service, serviceById } from '../../catalog/services.js'
import type { SpfReport } from '../../checks/spf/spf-report.js'
import type { DomainFacts } from './domain-facts.js'
import type { Party } from './fix-plan-report.js'

export interface Seen<Row> {
  readonly row: Row
  /** The record that shows it. */
  readonly evidence: string
}

export type Mailboxes = readonly Seen<MailboxProvider>[]

export interface Parties {
  /** Most preferred first. */
  readonly mailboxes: Mailboxes
  /** Without whoever runs the mailboxes. */
  readonly senders: readonly Seen<Service>[]
  readonly dnsHosts: readonly Seen<DnsHost>[]
}

const RUNNERS: ReadonlySet<string> = new Set(
  MAILBOX_PROVIDERS.filter(({ kind }) => kind === 'mailbox').map(({ id }) => id),
)

export function mailboxesOf({ mx }: DomainFacts): Seen<MailboxProvider>[] {
  return seenOnce(mx.targets.map(({ exchange }) => [providerOfMx(exchange), `MX ${exchange}`]))
}

/** Behind a gateway, whoever runs mailboxes and is let send; if nobody is, the gateway itself. */
export function mailboxProviderOf({ mailboxes, senders }: Parties): Party | null {
  const [first = null, ...others] = [...mailboxes, ...senders].map(partyOf)
  if (mailboxes.length === 0) return null
  return [first, ...others].find((party) => party && RUNNERS.has(party.id)) ?? first
}

/** Where nobody can deliver anything, whoever runs mailboxes and sends surely takes mail as well. */
export function likelyMailboxes({ mx }: DomainFacts, named: SpfReport['senders']): Mailboxes {
  if (mx.targets.length > 0 || mx.ownAddresses.length > 0) return []
  const likely = named.flatMap(({ id, via }) => {
    const provider = MAILBOX_PROVIDERS.find((each) => each.id === id)
    return provider && provider.setup.mx.length > 0 ? [{ row: provider, evidence: via }] : []
  })
  return likely.length === 1 ? likely : []
}

/** Those that the SPF record names, and those to whom DKIM selectors lead, but for the mailboxes. */
export function sendersOf(
  { dkim }: DomainFacts,
  named: SpfReport['senders'],
  mailboxes: Mailboxes,
): Seen<Service>[] {
  const included = named.map(({ id, via }) => [serviceById(id), via] as const)
  const led = [...dkim.keys, ...dkim.dangling].map(({ name, cname, provider }) => {
    const evidence = cname[0] ? `${name} CNAME ${cname[0]}` : `${name} TXT`
    return [provider && serviceById(provider.id), evidence] as const
  })
  const runners = new Set(mailboxes.map(({ row }) => row.id))
  return seenOnce([...included, ...led]).filter(({ row }) => !runners.has(row.id))
}

export function dnsHostsIn({ zone: { nameServers } }: DomainFacts): Seen<DnsHost>[] {
  const hosts = new Set(dnsHostsOf(nameServers))
  const named = nameServers.map((name) => [dnsHostOf(name), `NS ${name}`] as const)
  return seenOnce(named).filter(({ row }) => hosts.has(row))
}

function seenOnce<Row>(all: readonly (readonly [Row | null, string])[]): Seen<Row>[] {
  const seen = new Map<Row, Seen<Row>>()
  for (const [row, evidence] of all) {
    if (row && !seen.has(row)) seen.set(row, { row, evidence })
  }
  return [...seen.values()]
}

export function partyOf({ row: { id, name }, evidence }: Seen<Pick<Party, 'id' | 'name'>>): Party {
  return { id, name, evidence }
}
