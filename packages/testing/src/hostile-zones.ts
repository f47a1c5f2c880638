/** Zones that cost a check as much work as their owners can cause, and an ordinary one. */
import { SPKI } from './dkim-keys.js'

export interface HostileZone {
  readonly name: string
  /** What to check at a domain that holds this zone. */
  readonly checkedName: (domain: string) => string
  /** Zone-file text of a domain. */
  readonly zoneText: (domain: string) => string
}

/** A message has at most 65,535 octets; this leaves room for its header and owner names. */
const MAX_RECORD_OCTETS = 60_000
/** Records of one type that fit in a message beside their uncompressed owners. */
const MANY = 500

const KEY = `v=DKIM1; k=rsa; p=${SPKI[2048]}`

export const ORDINARY_ZONE = zone(
  'ordinary',
  (domain) => `
@                 MX  20 mx2
mx2               A   192.0.2.12
@                 TXT "v=spf1 mx include:spf1.${domain} include:spf2.${domain} ~all"
@                 TXT "site-verification=0123456789abcdef"
spf1              TXT "v=spf1 ip4:192.0.2.0/28 ~all"
spf2              TXT "v=spf1 ip4:198.51.100.0/28 ~all"
google._domainkey TXT ${toStrings(KEY)}
_dmarc            TXT "v=DMARC1; p=reject; rua=mailto:dmarc@${domain}"
_mta-sts          TXT "v=STSv1; id=20260901T000000"
_smtp._tls        TXT "v=TLSRPTv1; rua=mailto:tls@${domain}"`,
)

export const HOSTILE_ZONES: readonly HostileZone[] = [
  zone('TXT wildcard, 2-octet strings', () => wildcardTxt(2)),
  zone('TXT wildcard, 1-octet strings', () => wildcardTxt(1)),
  zone('TXT wildcard, empty strings', emptyStrings),
  zone('TXT wildcard, 255-octet strings', () => wildcardTxt(255)),
  zone('TXT wildcard, octets beyond ASCII', () => wildcardTxt(255, '\\255')),
  zone('TXT wildcard, 500 records', () => list(MANY, (at) => `@ TXT n${at}\n* TXT n${at}`, '\n')),
  zone('SPF of 500 ip4', () => spf(list(MANY, (at) => `ip4:${ipv4(at)}`))),
  zone('SPF of 500 ip4 and -ip4', () => spf(list(MANY, mixedTerm))),
  zone('SPF of 500 ip4 and -ip4, ten times', manyLongRecords),
  zone('SPF of 500 include', (domain) => spf(list(MANY, (at) => `include:i${at}.bomb.${domain}`))),
  zone('SPF include bomb', includeBomb),
  zone('SPF of 500 a', (domain) => spf(list(MANY, (at) => `a:a${at}.bomb.${domain}`))),
  zone('SPF of 500 exists with macros', (domain) => spf(list(MANY, macroTerm(domain)))),
  zone('SPF of 60 KB in one term', () => spf(`include:${'%{d}'.repeat(13_000)}`)),
  zone('SPF of 60 KB in short terms', () => spf('a '.repeat(28_000))),
  zone('SPF of 60 KB in invalid terms', () => spf('! '.repeat(28_000))),
  zone('SPF: 500 records', (domain) => list(MANY, shortRecord(domain), '\n')),
  zone('MX of 500 hosts', manyMailServers),
  zone('DKIM: 500 keys under a wildcard', () => list(MANY, emptyKey('*'), '\n')),
  zone('DKIM: 200 keys at nine selectors', manyKeys),
  zone('DKIM key of 60 KB', () => txt('*._domainkey', `v=DKIM1; p=${'A'.repeat(58_000)}`)),
  zone('DMARC of 5,000 tags', () => dmarc(list(5_000, (at) => `t${at}=x`, '; '))),
  zone('DMARC with one tag 9,000 times', () => dmarc(list(9_000, () => 'p=x', ';'))),
  zone('DMARC of 2,500 addresses', () => dmarc(`rua=${reportUris(2_500, 'test')}`)),
  zone('DMARC: 500 records', () => list(MANY, shortPolicy, '\n')),
  zone('MTA-STS, TLS-RPT and BIMI of 60 KB', longTransportRecords),
  zone('CNAME chains of 200', cnameChain),
  zone('escaped names', () => list(200, (at) => `@ MX 10 ${'\\\\'.repeat(30)}.m${at}`, '\n')),
  zone(
    '126 labels',
    (domain) => `${wildcardTxt(2)}\n${'a.'.repeat(60)}${domain}. MX 10 mx`,
    (domain) => `${'a.'.repeat(60)}${domain}`,
  ),
  zone('all at once', everything),
]

/** Enough of an ordinary zone that every check gets to the part that is hostile. */
const BASE = `
@  A  192.0.2.10
@  MX 10 mx
mx A  192.0.2.11
`

function zone(
  name: string,
  build: (domain: string) => string,
  checkedName = (domain: string) => domain,
): HostileZone {
  const zoneText = (domain: string) => `$ORIGIN ${domain}.\n${BASE}${build(domain)}\n`
  return { name, checkedName, zoneText }
}

function list(count: number, item: (at: number) => string, separator = ' '): string {
  return Array.from({ length: count }, (_, at) => item(at)).join(separator)
}

/** Quoted character-strings, as many as fit in a message. */
function toStrings(value: string, stringOctets = 255): string {
  const strings = value.match(new RegExp(`(?:\\\\\\d{3}|[^]){1,${stringOctets}}`, 'g')) ?? []
  const fitting = strings.slice(0, Math.floor(MAX_RECORD_OCTETS / (stringOctets + 1)))
  return fitting.map((string) => `"${string}"`).join(' ')
}

function emptyStrings(): string {
  const strings = '"" '.repeat(MAX_RECORD_OCTETS)
  return `@ TXT ${strings}\n* TXT ${strings}`
}

function txt(owner: string, value: string): string {
  return `${owner} TXT ${toStrings(value)}`
}

function wildcardTxt(stringOctets: number, octet = 'x'): string {
  const strings = toStrings(octet.repeat(MAX_RECORD_OCTETS), stringOctets)
  return `@ TXT ${strings}\n* TXT ${strings}`
}

/** The names that its terms lead to exist. */
function spf(terms: string): string {
  return `${txt('@', `v=spf1 ${terms} ~all`)}\n*.bomb A 192.0.2.1\n*.bomb TXT "v=spf1 -all"`
}

function ipv4(at: number): string {
  return `11.${at >> 7}.${(at & 127) * 2}.1`
}

function mixedTerm(at: number): string {
  return `${at % 2 ? '-' : ''}ip4:${ipv4(at)}`
}

function macroTerm(domain: string) {
  return (at: number) => `exists:%{i}.%{l1r-+}.%{d2}.e${at}.bomb.${domain}`
}

function manyLongRecords(domain: string): string {
  return `@ TXT ${toStrings(`v=spf1 ${list(10, (at) => `include:i${at}.bomb.${domain}`)} ~all`)}
${txt('*.bomb', `v=spf1 ${list(MANY, mixedTerm)} ~all`)}`
}

/** Each record includes 40 others. */
function includeBomb(domain: string): string {
  const record = (at: number) =>
    toStrings(`v=spf1 ${list(40, (to) => `include:b${(at * 7 + to) % 90}.${domain}`)} ~all`)
  return `@ TXT ${record(0)}\n${list(90, (at) => `b${at} TXT ${record(at)}`, '\n')}`
}

function shortRecord(domain: string) {
  return (at: number) => `@ TXT "v=spf1 -ip4:${ipv4(at)} a:h${at}.${domain} ~all"`
}

function manyMailServers(): string {
  const parent = 'x'.repeat(40)
  return `${list(MANY, (at) => `@ MX ${at} m${at}.${parent}`, '\n')}
${list(MANY, (at) => `*.${parent} A ${ipv4(at)}`, '\n')}
${list(MANY, (at) => `*.${parent} AAAA 2001:db8::${at.toString(16)}`, '\n')}
${spf('mx')}`
}

function emptyKey(selector: string) {
  return (at: number) => `${selector}._domainkey TXT "v=DKIM1; n=${at}; p="`
}

function manyKeys(): string {
  const selectors = ['google', 'selector1', 'selector2', 's1', 's2', 'k1', 'k2', 'k3', 'default']
  const keys = (selector: string) =>
    list(200, (at) => `${selector}._domainkey TXT ${toStrings(`${KEY}; n=${at}`)}`, '\n')
  return selectors.map(keys).join('\n')
}

function dmarc(tags: string): string {
  return txt('_dmarc', `v=DMARC1; p=none; ${tags}`)
}

function reportUris(count: number, parent: string): string {
  return list(count, (at) => `mailto:a@r${at}.${parent}`, ',')
}

function shortPolicy(at: number): string {
  return `_dmarc TXT "v=DMARC1; p=none; rua=mailto:a@r${at}.test"`
}

function longTransportRecords(): string {
  const fields = list(9_000, (at) => `a${at}=x`, '; ')
  return [
    txt('_mta-sts', `v=STSv1; ${fields}; id=1;`),
    txt('_smtp._tls', `v=TLSRPTv1; rua=${reportUris(4_000, 'test')};`),
    txt('default._bimi', `v=BIMI1; ${fields}; l=`),
  ].join('\n')
}

function cnameChain(): string {
  return `*._domainkey CNAME c0.chain
${list(200, (at) => `c${at}.chain CNAME c${at + 1}.chain`, '\n')}
c200.chain TXT "v=DKIM1; p="`
}

/** As many queries as a check makes, each with a large answer. */
function everything(domain: string): string {
  const bomb = `bomb.${domain}`
  return `${list(100, (at) => `@ MX ${at} m${at}.bomb`, '\n')}
${txt('@', `v=spf1 ${list(60, (at) => `include:i${at}.${bomb} a:a${at}.${bomb}`)} ~all`)}
${dmarc(`rua=${reportUris(100, bomb)}`)}
${list(400, (at) => `*.bomb A ${ipv4(at)}`, '\n')}
${list(400, (at) => `*.bomb AAAA 2001:db8::${at.toString(16)}`, '\n')}
${list(400, (at) => `*.bomb MX ${at} m${at}.bomb`, '\n')}
${txt('*.bomb', `v=spf1 ${list(MANY, mixedTerm)} ~all`)}
${txt('*', `v=DKIM1; n=${'x'.repeat(50_000)}; p=`)}`
}
