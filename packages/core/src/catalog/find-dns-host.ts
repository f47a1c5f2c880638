/** Whose name servers are these, and how does one enter records there? */
import { DEFAULT_PANEL, type DnsHost, type DnsPanel } from './dns-host.js'
import { DNS_SERVICES } from './dns-services.js'
import { createHostMatcher } from './host-pattern.js'
import { REGISTRARS } from './registrars.js'

export type { DnsHost, DnsPanel, TrapSubject } from './dns-host.js'

/** For a zone at somebody we do not know. */
export const GENERIC_PANEL: DnsPanel = {
  ...DEFAULT_PANEL,
  menu: 'the DNS settings of your domain',
  traps: [
    'Most panels add the domain to the name: if you type the whole name there, the domain stands there twice.',
  ],
}

const PARKING: DnsHost = {
  id: 'parking',
  name: 'Parking service',
  ns: [
    'sedoparking.com',
    'parkingcrew.net',
    'bodis.com',
    'above.com',
    'afternic.com',
    'dan.com',
    'undeveloped.com',
    'parklogic.com',
    'cashparking.com',
  ],
  isParking: true,
  panel: GENERIC_PANEL,
}

export const DNS_HOSTS: readonly DnsHost[] = [...DNS_SERVICES, ...REGISTRARS, PARKING]

const byName = createHostMatcher(DNS_HOSTS, (host) => host.ns)

/** Who runs a name server; null when we do not know. */
export function findDnsHost(nameServer: string): DnsHost | null {
  const name = nameServer.toLowerCase().replace(/\.$/, '')
  const byForm = DNS_HOSTS.find(({ nsRegExps = [] }) => nsRegExps.some((form) => form.test(name)))
  return byForm ?? byName(name)
}

/** Who keeps a zone with these name servers, each once; more than one when they share it. */
export function findDnsHosts(nameServers: readonly string[]): DnsHost[] {
  const hosts = [...new Set(nameServers.flatMap((name) => findDnsHost(name) ?? []))]
  const lenders = hosts.flatMap((host) => host.usesNameServersOf ?? [])
  return hosts.filter((host) => !lenders.includes(host.id))
}
