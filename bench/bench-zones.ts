/** The zones of the check benchmark, each in as many copies as are checked at once. */
import type { ServiceCheckReport } from './check-contestants.js'
import {
  flatSpfZone,
  googleWorkspaceZone,
  includeChainZone,
  includeTreeZone,
  inheritedDmarcZone,
  microsoft365Zone,
  noMailZone,
  wildcardZone,
  type ZoneCopy,
} from './check-domains.js'

export interface BenchZone {
  readonly name: string
  readonly build: (domain: string) => ZoneCopy
  /** What a check has to say; a fast answer that is wrong is worth nothing. */
  readonly expected: {
    readonly status: ServiceCheckReport['status']
    readonly faults: readonly string[]
  }
}

/** Those who ask the same question at the same moment share the answer, so domains must differ. */
export const ZONE_COPIES = 50

export const BENCH_ZONES: readonly BenchZone[] = [
  zone('workspace', googleWorkspaceZone, 'pass'),
  zone('microsoft365', microsoft365Zone, 'warn', 'dmarc.policy-quarantine'),
  zone('flat', flatSpfZone, 'pass'),
  zone('chain', includeChainZone, 'warn', 'spf.at-lookup-limit'),
  zone('tree', includeTreeZone, 'fail', 'spf.too-many-lookups'),
  zone('no-mail', noMailZone, 'pass'),
  zone('wildcard', wildcardZone, 'warn', 'dkim.unknown'),
  zone('inherited', inheritedDmarcZone, 'warn', 'dmarc.policy-quarantine'),
]

function zone(
  name: string,
  copy: BenchZone['build'],
  status: ServiceCheckReport['status'],
  ...faults: string[]
): BenchZone {
  return { name, build: copy, expected: { status, faults } }
}

/** What lies outside the domains; the root for whoever asks whether the server is alive. */
const PROVIDERS = `
$ORIGIN .
.                           NS   ns.reports.test.
smtp.google.com.            A    192.0.2.101
smtp.google.com.            AAAA 2001:db8::101
_spf.google.com.            TXT  "v=spf1 include:_netblocks.google.com include:_netblocks2.google.com include:_netblocks3.google.com ~all"
_netblocks.google.com.      TXT  "v=spf1 ip4:192.0.2.96/28 ~all"
_netblocks2.google.com.     TXT  "v=spf1 ip6:2001:db8:100::/40 ~all"
_netblocks3.google.com.     TXT  "v=spf1 ip4:198.51.100.0/28 ~all"
spf.protection.outlook.com. TXT  "v=spf1 ip4:192.0.2.112/28 ip6:2001:db8:200::/40 -all"
reports.test.               MX   10 mx.reports.test.
mx.reports.test.            A    192.0.2.120
*._report._dmarc.reports.test. TXT "v=DMARC1"
`

const domainOf = ({ name }: BenchZone, index: number) => `${name}-${index}.test`

export const copyZone = (zone: BenchZone, index: number) => zone.build(domainOf(zone, index))

/** Every copy of every zone, as one text. */
export function benchZoneText(): string {
  const copies = BENCH_ZONES.flatMap((zone) =>
    Array.from({ length: ZONE_COPIES }, (_, index) => {
      const domain = domainOf(zone, index)
      return `$ORIGIN ${domain}.\n${zone.build(domain).zoneText}`
    }),
  )
  return [...copies, PROVIDERS].join('\n')
}
