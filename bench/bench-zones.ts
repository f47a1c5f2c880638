/** The eight mail setups of the check benchmark, each for as many domains as are checked at once. */
import { SPKI } from '@mailgrade/testing/dkim-keys'
import type { ServiceCheckReport } from './check-contestants.js'

const KEY = `"v=DKIM1; k=rsa; p=${SPKI[2048].slice(0, 200)}" "${SPKI[2048].slice(200)}"`

const OWN_SERVER = `
@     A   192.0.2.10
@     MX  10 mx
mx    A   192.0.2.11
`

/** Records outside the checked domains; the root is for the health check of the resolver. */
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

/** One domain with its zone. */
interface ZoneCopy {
  readonly checkedDomain: string
  /** Zone-file text with the domain as its origin. */
  readonly zoneText: string
  /** The longest chain of queries in which each name is known only from the answer before. */
  readonly longestQueryChain: readonly string[]
}

export interface BenchZone {
  readonly name: string
  readonly build: (domain: string) => ZoneCopy
  /** What a check must report: a fast but wrong result does not count. */
  readonly expected: {
    readonly status: ServiceCheckReport['status']
    readonly problems: readonly string[]
  }
}

/** Concurrent checks of one domain share their queries, so the benchmarks check different ones. */
export const ZONE_COPIES = 50

export const BENCH_ZONES: readonly BenchZone[] = [
  benchZone('workspace', googleWorkspaceZone, 'pass'),
  benchZone('microsoft365', microsoft365Zone, 'pass'),
  benchZone('flat', flatSpfZone, 'pass'),
  benchZone('chain', includeChainZone, 'warn', 'spf.at-lookup-limit'),
  benchZone('tree', includeTreeZone, 'fail', 'spf.too-many-lookups'),
  benchZone('no-mail', noMailZone, 'pass'),
  benchZone('wildcard', wildcardZone, 'warn', 'dkim.unknown'),
  benchZone('inherited', inheritedDmarcZone, 'pass'),
]

function benchZone(
  name: string,
  build: BenchZone['build'],
  status: ServiceCheckReport['status'],
  ...problems: string[]
): BenchZone {
  return { name, build, expected: { status, problems } }
}

export const copyZone = (zone: BenchZone, index: number) => zone.build(copyDomain(zone, index))

/** Every domain to check: the first copy of each zone, then the second, and so on. */
export function benchDomains(copies: number): string[] {
  return Array.from({ length: copies }, (_, index) =>
    BENCH_ZONES.map((zone) => copyZone(zone, index).checkedDomain),
  ).flat()
}

export const BENCH_DOMAINS: readonly string[] = benchDomains(ZONE_COPIES)

/** Every copy of every zone as one text. */
export function benchZoneText(count = ZONE_COPIES): string {
  const copies = BENCH_ZONES.flatMap((zone) =>
    Array.from({ length: count }, (_, index) => {
      const domain = copyDomain(zone, index)
      return `$ORIGIN ${domain}.\n${zone.build(domain).zoneText}`
    }),
  )
  return [...copies, PROVIDERS].join('\n')
}

function copyDomain({ name }: BenchZone, index: number): string {
  return `${name}-${index}.test`
}

function googleWorkspaceZone(domain: string): ZoneCopy {
  return {
    checkedDomain: domain,
    zoneText: `
@                 A   192.0.2.10
@                 MX  1 smtp.google.com.
@                 TXT "v=spf1 include:_spf.google.com ~all"
google._domainkey TXT ${KEY}
_dmarc            TXT "v=DMARC1; p=reject; rua=mailto:dmarc@${domain}"
_mta-sts          TXT "v=STSv1; id=20260901T000000"
_smtp._tls        TXT "v=TLSRPTv1; rua=mailto:tls@${domain}"
`,
    longestQueryChain: [`TXT ${domain}`, 'TXT _spf.google.com', 'TXT _netblocks.google.com'],
  }
}

function microsoft365Zone(domain: string): ZoneCopy {
  const tenant = domain.replaceAll('.', '-')
  const keys = `_domainkey.${tenant}.onmicrosoft.com.`
  return {
    checkedDomain: domain,
    zoneText: `
@                    A     192.0.2.10
@                    MX    0 ${tenant}.mail.protection.outlook.com.
@                    TXT   "v=spf1 include:spf.protection.outlook.com -all"
selector1._domainkey CNAME selector1-${tenant}.${keys}
selector2._domainkey CNAME selector2-${tenant}.${keys}
_dmarc               TXT   "v=DMARC1; p=quarantine; rua=mailto:dmarc@${domain}"
selector1-${tenant}.${keys} TXT ${KEY}
selector2-${tenant}.${keys} TXT ${KEY}
${tenant}.mail.protection.outlook.com. A 192.0.2.111
`,
    longestQueryChain: [`TXT ${domain}`, 'TXT spf.protection.outlook.com'],
  }
}

function flatSpfZone(domain: string): ZoneCopy {
  return {
    checkedDomain: domain,
    zoneText: `${OWN_SERVER}
@                  TXT "v=spf1 ip4:192.0.2.0/28 ip4:198.51.100.0/28 -all"
default._domainkey TXT ${KEY}
_dmarc             TXT "v=DMARC1; p=reject; rua=mailto:dmarc@${domain}"
`,
    longestQueryChain: [`MX ${domain}`, `A mx.${domain}`],
  }
}

/** Each record includes the next; the tenth lookup is the last one SPF allows (RFC 7208 §4.6.4). */
function includeChainZone(domain: string): ZoneCopy {
  const links = Array.from({ length: 10 }, (_, index) => `link${index + 1}`)
  const records = links.map((link, index) => {
    const next = links[index + 1]
    return `${link} TXT "v=spf1 ${next ? `include:${next}.${domain}` : 'ip4:192.0.2.0/28'} -all"`
  })
  return {
    checkedDomain: domain,
    zoneText: `${OWN_SERVER}${records.join('\n')}
@                  TXT "v=spf1 include:link1.${domain} -all"
default._domainkey TXT ${KEY}
_dmarc             TXT "v=DMARC1; p=reject; rua=mailto:dmarc@${domain}"
`,
    longestQueryChain: [`TXT ${domain}`, ...links.map((link) => `TXT ${link}.${domain}`)],
  }
}

/** Four records that include four each: twice the lookups SPF allows, in three levels. */
function includeTreeZone(domain: string): ZoneCopy {
  const four = [1, 2, 3, 4]
  const including = (names: readonly string[]) =>
    `"v=spf1 ${names.map((name) => `include:${name}.${domain}`).join(' ')} -all"`
  const records = four.flatMap((branch) => [
    `b${branch} TXT ${including(four.map((leaf) => `l${branch}${leaf}`))}`,
    ...four.map((leaf) => `l${branch}${leaf} TXT "v=spf1 ip4:192.0.2.${branch * 8 + leaf} -all"`),
  ])
  return {
    checkedDomain: domain,
    zoneText: `${OWN_SERVER}${records.join('\n')}
@                  TXT ${including(four.map((branch) => `b${branch}`))}
default._domainkey TXT ${KEY}
_dmarc             TXT "v=DMARC1; p=reject; rua=mailto:dmarc@${domain}"
`,
    longestQueryChain: [`TXT ${domain}`, `TXT b1.${domain}`, `TXT l11.${domain}`],
  }
}

function noMailZone(domain: string): ZoneCopy {
  return {
    checkedDomain: domain,
    zoneText: `
@      A   192.0.2.10
@      MX  0 .
@      TXT "v=spf1 -all"
_dmarc TXT "v=DMARC1; p=reject; rua=mailto:dmarc@reports.test"
`,
    longestQueryChain: [`TXT _dmarc.${domain}`, `TXT ${domain}._report._dmarc.reports.test`],
  }
}

/** Every name below the domain has records, also every DKIM selector that is tried. */
function wildcardZone(domain: string): ZoneCopy {
  return {
    checkedDomain: domain,
    zoneText: `${OWN_SERVER}
@      TXT "v=spf1 mx -all"
*      A   192.0.2.10
*      TXT "v=spf1 -all"
_dmarc TXT "v=DMARC1; p=reject; rua=mailto:dmarc@${domain}"
`,
    longestQueryChain: [`MX ${domain}`, `A mx.${domain}`],
  }
}

function inheritedDmarcZone(domain: string): ZoneCopy {
  return {
    checkedDomain: `team.${domain}`,
    zoneText: `
@                      A   192.0.2.10
team                   MX  1 smtp.google.com.
team                   TXT "v=spf1 include:_spf.google.com ~all"
google._domainkey.team TXT ${KEY}
_dmarc                 TXT "v=DMARC1; p=reject; sp=quarantine; rua=mailto:dmarc@reports.test"
`,
    longestQueryChain: [`TXT team.${domain}`, 'TXT _spf.google.com', 'TXT _netblocks.google.com'],
  }
}
