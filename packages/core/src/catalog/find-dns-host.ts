/** Finds the host of a zone from its name servers. */
import { createPanel, type DnsHost, type DnsPanel } from './dns-host.js'
import { DNS_SERVICES } from './dns-services.js'
import { createHostMatcher } from './host-pattern.js'
import { REGISTRARS } from './registrars.js'

export type { DnsHost, DnsPanel } from './dns-host.js'

/** For an unknown host. */
export const GENERIC_PANEL: DnsPanel = createPanel('the DNS settings of your domain', null, {
  formNotes: {
    below: 'Most panels add the domain to the name. If yours does not, enter the full name.',
  },
})

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
    'hugedomains.com',
    'hugedomainsdns.com',
    'ztomy.com',
  ],
  isParking: true,
  panel: GENERIC_PANEL,
}

export const DNS_HOSTS: readonly DnsHost[] = [...DNS_SERVICES, ...REGISTRARS, PARKING]

const byName = createHostMatcher(DNS_HOSTS, (host) => host.ns)

/** The host that runs a name server; null when unknown. */
export function findDnsHost(nameServer: string): DnsHost | null {
  const name = nameServer.toLowerCase().replace(/\.$/, '')
  const byRegExp = DNS_HOSTS.find(({ nsRegExps = [] }) =>
    nsRegExps.some((pattern) => pattern.test(name)),
  )
  return byRegExp ?? byName(name)
}

/** The hosts of a zone with these name servers; more than one when they share it. */
export function findDnsHosts(nameServers: readonly string[]): DnsHost[] {
  const hosts = [...new Set(nameServers.flatMap((name) => findDnsHost(name) ?? []))]
  const lenders = hosts.flatMap((host) => host.usesNameServersOf ?? [])
  return hosts.filter((host) => !lenders.includes(host.id))
}
