/** Domains made of random pieces, in every kind of order and disorder. */

import { ED25519, SPKI } from '@mailgrade/testing/dkim-keys'
import fc from 'fast-check'
import type { ProposedRecord } from '../../src/checks/finding.js'
import { txt } from './dkim-story.js'

/** Below an organisation, so that policies can be inherited. */
export const DOMAIN = 'm.acme.test'

export interface Line {
  readonly owner: string
  readonly type: string
  readonly data: string
}

export const line = (owner: string, type: string, data: string): Line => ({ owner, type, data })
export const text = (owner: string, data: string) => line(owner, 'TXT', data)

/** What records may lead to, in every kind of order and disorder. */
export const SURROUNDINGS = [
  line(`mx.${DOMAIN}`, 'A', '192.0.2.1'),
  line(`mx.${DOMAIN}`, 'AAAA', '2001:db8::1'),
  line(`alias.${DOMAIN}`, 'CNAME', `mx.${DOMAIN}.`),
  text(`s.${DOMAIN}`, 'v=spf1 ip4:192.0.2.9 -all'),
  text('_spf.google.com', 'v=spf1 ip4:192.0.2.96/28 ~all'),
  text('open.test', 'v=spf1 +all'),
  text('two.test', 'v=spf1 a -all'),
  text('two.test', 'v=spf1 mx -all'),
  text('neutral.test', 'v=spf1 ip4:192.0.2.7 ?all'),
  text('kept.test', 'v=DMARC1; p=none'),
  line('reports.example', 'MX', `10 mx.${DOMAIN}.`),
  text(`*._report._dmarc.reports.example`, 'v=DMARC1'),
]

const term = fc.oneof(
  {
    arbitrary: fc.constantFrom('mx', 'a', 'ptr', `include:s.${DOMAIN}`, 'include:_spf.google.com'),
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
    `include:${DOMAIN}`,
  ),
  fc.constantFrom('ip4:0.0.0.0/0', 'ip4:0.0.0.0/1', 'ip4:128.0.0.0/1', 'ipv4:192.0.2.1', 'x=y'),
  fc.constantFrom('exists:%{i}.x.test', 'a:g1.test', 'a:g2.test', 'a:g3.test', 'mx:gone.test'),
)
const ending = fc.constantFrom(
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
        ending,
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
  .map((texts) => texts.map((each) => text(DOMAIN, each)))

const policy = fc.constantFrom('none', 'quarantine', 'reject')
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
/** The tags beside `p`. */
export const tags = fc
  .record({
    sp: maybe(fc.oneof(policy, fc.constant('bogus'))),
    np: maybe(policy),
    t: maybe(fc.constantFrom('y', 'n', 'x')),
    pct: maybe(fc.constantFrom('0', '1', '33', '50', '99', '100', '150')),
    rua: maybe(
      fc.constantFrom(
        `mailto:d@${DOMAIN}`,
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
  { arbitrary: fc.tuple(policy, tags).map(([p, rest]) => `v=DMARC1; p=${p}${rest}`), weight: 6 },
  tags.map((rest) => `v=DMARC1${rest}`),
  fc.constantFrom('v=DMARC1; p=none; p=reject', 'v=DMARC1; p=x; rua=mailto:d@acme.test'),
  fc.tuple(policy, tags).map(([p, rest]) => `v=dmarc1; p=${p}${rest}`),
)
export const dmarcAt = (name: string) =>
  fc.oneof(
    { arbitrary: dmarcText.map((each) => [text(name, each)]), weight: 5 },
    { arbitrary: fc.constant<Line[]>([]), weight: 2 },
    fc.tuple(dmarcText, dmarcText).map((both) => both.map((each) => text(name, each))),
    fc.constantFrom('kept.test.', 'gone.test.').map((target) => [line(name, 'CNAME', target)]),
  )

export const keyText = fc.oneof(
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
  .array(fc.tuple(selector, keyText), { maxLength: 3 })
  .map((keys) => keys.map(([each, data]) => text(`${each}._domainkey.${DOMAIN}`, data)))

const mx = fc.oneof(
  { arbitrary: fc.constant([line(DOMAIN, 'MX', `10 mx.${DOMAIN}.`)]), weight: 2 },
  fc.constantFrom(
    [line(DOMAIN, 'MX', '0 .')],
    [line(DOMAIN, 'MX', '0 .')],
    [line(DOMAIN, 'MX', '0 .'), line(DOMAIN, 'MX', `10 mx.${DOMAIN}.`)],
    [line(DOMAIN, 'MX', '10 gone.test.'), line(DOMAIN, 'MX', `10 alias.${DOMAIN}.`)],
    [line(DOMAIN, 'MX', '10 192.0.2.1.')],
    [line(DOMAIN, 'A', '192.0.2.1')],
    [],
  ),
)
const stray = fc.constantFrom<Line[]>([], [], [line(`*.${DOMAIN}`, 'A', '192.0.2.9')])

const own = dmarcAt(`_dmarc.${DOMAIN}`)
const parents = dmarcAt('_dmarc.acme.test')
export const others = fc
  .tuple(spf, dkim, mx, stray)
  .map((pieces) => [...SURROUNDINGS, ...pieces.flat()])
export const zone = fc.tuple(others, own, parents).map((pieces) => pieces.flat())

export function written(lines: readonly Line[]): string {
  return lines
    .map(({ owner, type, data }) =>
      type === 'TXT' ? txt(owner, data) : `${owner}. ${type} ${data}`,
    )
    .join('\n')
}

/** A record published in place of what stands there of its kind. */
export function laidOver(lines: readonly Line[], { type, name, value }: ProposedRecord): Line[] {
  const version = value.slice(0, value.search(/[ ;]|$/)).toLowerCase()
  const isKept = (each: Line) => {
    if (each.owner !== name) return true
    if (each.type === 'TXT' && type === 'TXT') return !each.data.toLowerCase().startsWith(version)
    return each.type !== type && each.type !== 'CNAME'
  }
  return [...lines.filter(isKept), line(name, type, value)]
}
