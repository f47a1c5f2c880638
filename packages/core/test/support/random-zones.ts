/** Random zones, valid and broken. */

import { ED25519, SPKI } from '@mailgrade/testing/dkim-keys'
import fc from 'fast-check'
import type { ProposedRecord } from '../../src/checks/finding.js'
import { txtZoneLine } from './dkim-fixture.js'

/** A subdomain, so policies can be inherited. */
export const RANDOM_ZONE_DOMAIN = 'm.acme.test'

export interface ZoneLine {
  readonly owner: string
  readonly type: string
  readonly data: string
  /** The strings of a text that is split in an unusual place. */
  readonly strings?: readonly string[]
}

export const zoneLine = (owner: string, type: string, data: string): ZoneLine => ({
  owner,
  type,
  data,
})
export const txtLine = (owner: string, data: string) => zoneLine(owner, 'TXT', data)

/** Targets of the random records, valid and broken. */
export const THIRD_PARTY_LINES = [
  zoneLine(`mx.${RANDOM_ZONE_DOMAIN}`, 'A', '192.0.2.1'),
  zoneLine(`mx.${RANDOM_ZONE_DOMAIN}`, 'AAAA', '2001:db8::1'),
  zoneLine(`alias.${RANDOM_ZONE_DOMAIN}`, 'CNAME', `mx.${RANDOM_ZONE_DOMAIN}.`),
  txtLine(`s.${RANDOM_ZONE_DOMAIN}`, 'v=spf1 ip4:192.0.2.9 -all'),
  txtLine('_spf.google.com', 'v=spf1 ip4:192.0.2.96/28 ~all'),
  txtLine('open.test', 'v=spf1 +all'),
  txtLine('two.test', 'v=spf1 a -all'),
  txtLine('two.test', 'v=spf1 mx -all'),
  txtLine('neutral.test', 'v=spf1 ip4:192.0.2.7 ?all'),
  txtLine('kept.test', 'v=DMARC1; p=none'),
  zoneLine('smtp.google.com', 'A', '192.0.2.101'),
  zoneLine('smtp.google.com', 'AAAA', '2001:db8::101'),
  zoneLine('reports.example', 'MX', `10 mx.${RANDOM_ZONE_DOMAIN}.`),
  txtLine(`*._report._dmarc.reports.example`, 'v=DMARC1'),
]

const term = fc.oneof(
  {
    arbitrary: fc.constantFrom(
      'mx',
      'a',
      'ptr',
      `include:s.${RANDOM_ZONE_DOMAIN}`,
      'include:_spf.google.com',
    ),
    weight: 3,
  },
  {
    arbitrary: fc.constantFrom(
      'ip4:192.0.2.1',
      'ip4:192.0.0.0/14',
      'ip6:2001:db8::/24',
      'a:gone.test',
    ),
    weight: 3,
  },
  fc.constantFrom(
    'include:open.test',
    'include:two.test',
    'include:gone.test',
    `include:${RANDOM_ZONE_DOMAIN}`,
  ),
  fc.constantFrom('ip4:0.0.0.0/0', 'ip4:0.0.0.0/1', 'ip4:128.0.0.0/1', 'ipv4:192.0.2.1', 'x=y'),
  fc.constantFrom('exists:%{i}.x.test', 'a:g1.test', 'a:g2.test', 'a:g3.test', 'mx:gone.test'),
)
const allTerm = fc.constantFrom(
  '-all',
  '-all',
  '~all',
  '~all',
  '?all',
  '+all',
  '',
  'redirect=neutral.test',
  'redirect=open.test',
)
const version = fc.constantFrom('v=spf1', 'v=spf1', 'v=spf1', 'v=spf1', 'v=spf1;', 'v=spf10')
const spfText = fc.oneof(
  { arbitrary: fc.constant('v=spf1 -all'), weight: 1 },
  {
    arbitrary: fc
      .tuple(
        version,
        fc.oneof(fc.array(term, { maxLength: 3 }), fc.array(term, { maxLength: 14 })),
        allTerm,
      )
      .map(([first, terms, last]) => [first, ...terms, last].join(' ').trim()),
    weight: 5,
  },
)
const spf = fc
  .oneof(
    { arbitrary: fc.array(spfText, { minLength: 1, maxLength: 1 }), weight: 6 },
    { arbitrary: fc.array(spfText, { maxLength: 2 }), weight: 2 },
  )
  .map((texts) => texts.map((each) => txtLine(RANDOM_ZONE_DOMAIN, each)))

const policy = fc.constantFrom('none', 'quarantine', 'reject')
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
/** The tags beside `p`. */
export const randomDmarcTags = fc
  .record({
    sp: maybe(fc.oneof(policy, fc.constant('bogus'))),
    np: maybe(policy),
    t: maybe(fc.constantFrom('y', 'n', 'x')),
    pct: maybe(fc.constantFrom('0', '1', '33', '50', '99', '100', '150')),
    rua: maybe(
      fc.constantFrom(
        `mailto:d@${RANDOM_ZONE_DOMAIN}`,
        'mailto:d@acme.test',
        'd@acme.test',
        'mailto:d@other.example',
        'mailto:d@reports.example',
        'https://x.test',
      ),
    ),
    adkim: maybe(fc.constantFrom('s', 'q')),
    psd: maybe(fc.constantFrom('n', 'u')),
    x: maybe(fc.constant('y')),
  })
  .map((given) =>
    Object.entries(given)
      .flatMap(([name, value]) => (value === undefined ? [] : [`; ${name}=${value}`]))
      .join(''),
  )
const dmarcText = fc.oneof(
  {
    arbitrary: fc.tuple(policy, randomDmarcTags).map(([p, rest]) => `v=DMARC1; p=${p}${rest}`),
    weight: 6,
  },
  randomDmarcTags.map((rest) => `v=DMARC1${rest}`),
  fc.constantFrom('v=DMARC1; p=none; p=reject', 'v=DMARC1; p=x; rua=mailto:d@acme.test'),
  fc.tuple(policy, randomDmarcTags).map(([p, rest]) => `v=dmarc1; p=${p}${rest}`),
)
export const randomDmarcAt = (name: string) =>
  fc.oneof(
    { arbitrary: dmarcText.map((each) => [txtLine(name, each)]), weight: 5 },
    { arbitrary: fc.constant<ZoneLine[]>([]), weight: 2 },
    fc.tuple(dmarcText, dmarcText).map((both) => both.map((each) => txtLine(name, each))),
    fc.constantFrom('kept.test.', 'gone.test.').map((target) => [zoneLine(name, 'CNAME', target)]),
  )

export const randomKeyText = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('', 't=y; ', 'h=sha1; ', 's=other; '),
      fc.constantFrom(512, 1024, 2048, 2048, 4096),
    )
    .map(([flags, bits]) => `v=DKIM1; ${flags}p=${SPKI[bits as keyof typeof SPKI]}`),
  fc.constantFrom(
    `v=DKIM1; k=ed25519; p=${ED25519}`,
    'v=DKIM1; p=',
    'v=DKIM1; p=!!!',
    'v=DKIM1; x',
  ),
)
const selector = fc.constantFrom('default', 'google', 's1', 'nobody-guesses-this', '*')
const dkim = fc
  .array(fc.tuple(selector, randomKeyText), { maxLength: 3 })
  .map((keys) =>
    keys.map(([each, data]) => txtLine(`${each}._domainkey.${RANDOM_ZONE_DOMAIN}`, data)),
  )

const mx = fc.oneof(
  {
    arbitrary: fc.constant([zoneLine(RANDOM_ZONE_DOMAIN, 'MX', `10 mx.${RANDOM_ZONE_DOMAIN}.`)]),
    weight: 2,
  },
  fc.constantFrom(
    [zoneLine(RANDOM_ZONE_DOMAIN, 'MX', '0 .')],
    [zoneLine(RANDOM_ZONE_DOMAIN, 'MX', '0 .')],
    [
      zoneLine(RANDOM_ZONE_DOMAIN, 'MX', '0 .'),
      zoneLine(RANDOM_ZONE_DOMAIN, 'MX', `10 mx.${RANDOM_ZONE_DOMAIN}.`),
    ],
    [
      zoneLine(RANDOM_ZONE_DOMAIN, 'MX', '10 gone.test.'),
      zoneLine(RANDOM_ZONE_DOMAIN, 'MX', `10 alias.${RANDOM_ZONE_DOMAIN}.`),
    ],
    [zoneLine(RANDOM_ZONE_DOMAIN, 'MX', '10 192.0.2.1.')],
    [zoneLine(RANDOM_ZONE_DOMAIN, 'MX', '1 smtp.google.com.')],
    [zoneLine(RANDOM_ZONE_DOMAIN, 'MX', '1 smtp.google.com.')],
    [zoneLine(RANDOM_ZONE_DOMAIN, 'A', '192.0.2.1')],
    [],
  ),
)
const stray = fc.constantFrom<ZoneLine[]>(
  [],
  [],
  [zoneLine(`*.${RANDOM_ZONE_DOMAIN}`, 'A', '192.0.2.9')],
)

const own = randomDmarcAt(`_dmarc.${RANDOM_ZONE_DOMAIN}`)
const parents = randomDmarcAt('_dmarc.acme.test')
export const randomZoneWithoutDmarc = fc
  .tuple(spf, dkim, mx, stray)
  .map((pieces) => [...THIRD_PARTY_LINES, ...pieces.flat()])
export const randomZone = fc
  .tuple(randomZoneWithoutDmarc, own, parents)
  .map((pieces) => pieces.flat())

export function formatZoneLines(lines: readonly ZoneLine[]): string {
  return lines
    .map(({ owner, type, data, strings = [data] }) =>
      type === 'TXT' ? txtZoneLine(owner, ...strings) : `${owner}. ${type} ${data}`,
    )
    .join('\n')
}

/** Publishes a record in place of the current one of its kind. */
export function replaceRecord(
  lines: readonly ZoneLine[],
  { type, name, value }: ProposedRecord,
): ZoneLine[] {
  const version = value.slice(0, value.search(/[ ;]|$/)).toLowerCase()
  const isKept = (each: ZoneLine) => {
    if (each.owner !== name) return true
    if (each.type === 'TXT' && type === 'TXT') return !each.data.toLowerCase().startsWith(version)
    return each.type !== type && each.type !== 'CNAME'
  }
  return [...lines.filter(isKept), zoneLine(name, type, value)]
}
