/** Hosts of DNS zones, found by their name servers. */
import type { DnsHost, DnsPanel, Pitfall } from './dns-host-schema.js'
import { DNS_HOST_DATA } from './generated/dns-hosts.js'
import { createHostMatcher } from './host-pattern.js'

export type { DnsHost, DnsPanel, FormNote, Pitfall } from './dns-host-schema.js'

/** For an unknown host. */
export const GENERIC_PANEL: DnsPanel = DNS_HOST_DATA.generic

export const DNS_HOSTS: readonly DnsHost[] = DNS_HOST_DATA.hosts

const byName = createHostMatcher(DNS_HOSTS, (host) => host.ns)
const byRegExp = DNS_HOSTS.flatMap((host) =>
  (host.nsRegExps ?? []).map((pattern) => ({ host, pattern: new RegExp(pattern) })),
)

/** The host that runs a name server; null when unknown. */
export function findDnsHost(nameServer: string): DnsHost | null {
  const name = nameServer.toLowerCase().replace(/\.$/, '')
  return byRegExp.find(({ pattern }) => pattern.test(name))?.host ?? byName(name)
}

/** The hosts of a zone with these name servers; more than one when they share it. */
export function findDnsHosts(nameServers: readonly string[]): DnsHost[] {
  const hosts = [...new Set(nameServers.flatMap((name) => findDnsHost(name) ?? []))]
  const lenders = hosts.flatMap((host) => host.usesNameServersOf ?? [])
  return hosts.filter((host) => !lenders.includes(host.id))
}

/** A record as DNS returns it; an MX as `10 mx.example.com`, names without a final dot. */
export interface PublishedRecord {
  /** Its name below the zone; empty for the zone itself. */
  readonly label: string
  readonly type: 'TXT' | 'MX' | 'CNAME' | 'NS'
  readonly value: string
}

/** The pitfalls of the records that are published, without duplicates. */
export function findPitfalls(
  { pitfalls }: Pick<DnsPanel, 'pitfalls'>,
  published: readonly PublishedRecord[],
): Pitfall[] {
  const isPublished = ({ record }: DnsPanel['pitfalls'][number]) =>
    published.some(
      ({ label, type, value }) =>
        type === record.type &&
        label.toLowerCase() === record.label &&
        new RegExp(record.value, 'i').test(value),
    )
  const found = pitfalls.filter(isPublished)
  return [...new Map(found.map((pitfall) => [pitfall.text, pitfall])).values()]
}
