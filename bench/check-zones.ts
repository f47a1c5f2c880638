/** The zones of the check benchmark, each in as many copies as are checked at once. */
import type { Report } from './check-contestants.js'
import {
  type Copy,
  chain,
  flat,
  inherited,
  microsoft365,
  noMail,
  tree,
  wildcard,
  workspace,
} from './check-domains.js'

export interface BenchZone {
  readonly name: string
  readonly copy: (domain: string) => Copy
  /** What a check has to say; a fast answer that is wrong is worth nothing. */
  readonly expected: { readonly status: Report['status']; readonly faults: readonly string[] }
}

/** Those who ask the same question at the same moment share the answer, so domains must differ. */
export const COPIES = 50

export const ZONES: readonly BenchZone[] = [
  zone('workspace', workspace, 'pass'),
  zone('microsoft365', microsoft365, 'warn', 'dmarc.policy-quarantine'),
  zone('flat', flat, 'pass'),
  zone('chain', chain, 'warn', 'spf.at-lookup-limit'),
  zone('tree', tree, 'fail', 'spf.too-many-lookups'),
  zone('no-mail', noMail, 'pass'),
  zone('wildcard', wildcard, 'warn', 'dkim.unknown'),
  zone('inherited', inherited, 'warn', 'dmarc.policy-quarantine'),
]

function zone(
  name: string,
  copy: BenchZone['copy'],
  status: Report['status'],
  ...faults: string[]
): BenchZone {
  return { name, copy, expected: { status, faults } }
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

export const copyOf = (zone: BenchZone, index: number) => zone.copy(domainOf(zone, index))

/** Every copy of every zone, as one text. */
export function worldText(): string {
  const copies = ZONES.flatMap((zone) =>
    Array.from({ length: COPIES }, (_, index) => {
      const domain = domainOf(zone, index)
      return `$ORIGIN ${domain}.\n${zone.copy(domain).text}`
    }),
  )
  return [...copies, PROVIDERS].join('\n')
}
