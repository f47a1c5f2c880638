/** Random zones with real providers and senders, valid and broken. */
import { SPKI } from '@mailgrade/testing/dkim-keys'
import fc from 'fast-check'
import { DNS_HOSTS } from '../../src/catalog/dns-hosts.js'
import { LISTS } from '../../src/catalog/generated/lists.js'
import { ALL_SERVICES, MAILBOX_PROVIDERS, SENDERS } from '../../src/catalog/mail-services.js'
import {
  randomDmarcAt,
  randomKeyText,
  THIRD_PARTY_LINES,
  txtLine,
  type ZoneLine,
  zoneLine,
} from './random-zones.js'

const ORGANIZATION = 'acme.test'
const SUBDOMAIN = 'mail.acme.test'
/** The organizational domain or a subdomain. */
export const randomPlanDomain = fc.constantFrom(ORGANIZATION, ORGANIZATION, ORGANIZATION, SUBDOMAIN)

const concrete = (pattern: string) => pattern.replaceAll('*', 'eu-west-1')
const providerHosts = MAILBOX_PROVIDERS.flatMap(({ mx }) =>
  mx.map((each) => `in.${concrete(each)}`),
)
const spfHosts = [...MAILBOX_PROVIDERS, ...SENDERS].flatMap(({ spf }) => spf.map(concrete))
const dkimTargets = [...MAILBOX_PROVIDERS, ...SENDERS].flatMap(({ dkimTargets: all }) => all)
const evidence = ALL_SERVICES.map((service) => service.evidence)
const cnameTargets = evidence.flatMap((each) => each.cnameTargets?.map(concrete) ?? [])
const mxHosts = evidence.flatMap((each) => each.mxHosts?.map(concrete) ?? [])
const tokens = evidence.flatMap((each) => each.texts ?? [])

/** The SPF records of the services, some with several lookups. */
const SERVICES: readonly ZoneLine[] = [
  ...providerHosts.flatMap((host) => [
    zoneLine(host, 'A', '192.0.2.77'),
    zoneLine(host, 'AAAA', '2001:db8::77'),
  ]),
  ...spfHosts.map((host, index) =>
    txtLine(
      host,
      `v=spf1 ip4:198.18.${index >> 8}.${index % 256} ${'a:mx.acme.test '.repeat(index % 4)}~all`,
    ),
  ),
  zoneLine('mx.acme.test', 'A', '192.0.2.1'),
  zoneLine('mx.acme.test', 'AAAA', '2001:db8::1'),
  txtLine('_spf.acme.test', 'v=spf1 ip4:192.0.2.9 a:mx.acme.test ptr -all'),
  txtLine('_lost.acme.test', 'v=spf1 ip4:192.0.2.10 include:gone.test a:gone.test -all'),
  txtLine('_round.acme.test', 'v=spf1 ip4:192.0.2.11 include:_trip.acme.test -all'),
  txtLine('_trip.acme.test', 'v=spf1 ip4:192.0.2.12 include:_round.acme.test -all'),
]

const term = fc.oneof(
  { arbitrary: fc.constantFrom(...spfHosts).map((host) => `include:${host}`), weight: 6 },
  fc.constantFrom('a', 'mx', 'ptr', 'ip4:192.0.2.5', 'ipv4:192.0.2.6', 'include=_spf.google.com'),
  fc.constantFrom('_spf', '_lost', '_round').map((label) => `include:${label}.acme.test`),
  fc.constantFrom(
    'include:open.test',
    'include:two.test',
    '?include:neutral.test',
    'exists:%{i}.x.test',
  ),
  // Without the space between two terms.
  fc.constantFrom(...spfHosts).map((host) => `ip4:192.0.2.8include:${host}`),
)
const allTerm = fc.oneof(
  {
    arbitrary: fc.constantFrom('-all', '~all', '~all', '?all', '+all', '', 'redirect=neutral.test'),
    weight: 7,
  },
  // Receivers ignore what follows `all`, and a redirect beside it.
  fc.constantFrom('~all mx', '-all ip4:192.0.2.13', '~all redirect=_spf.acme.test'),
  fc.constantFrom(...spfHosts).map((host) => `~all include:${host}`),
)

const spfAt = (name: string) =>
  fc
    .tuple(
      fc.array(
        fc
          .tuple(fc.array(term, { maxLength: 12 }), allTerm, fc.nat({ max: 12 }))
          .map(([terms, last, split]) => spfLine(name, [...terms, last], split)),
        { maxLength: 2 },
      ),
      fc.array(fc.constantFrom(...tokens), { maxLength: 2 }),
    )
    .map(([records, shown]) => [
      ...records,
      txtLine(name, 'site-verification=1 "quoted" \\'),
      ...[...new Set(shown)].map((prefix) => txtLine(name, `${prefix}1234`)),
    ])

/** Sometimes in two strings, without a space between them. */
function spfLine(name: string, terms: readonly string[], split: number): ZoneLine {
  const text = ['v=spf1', ...terms].join(' ').trim()
  if (split === 0 || split >= terms.length) return txtLine(name, text)
  const strings = [['v=spf1', ...terms.slice(0, split)], terms.slice(split)].map((each) =>
    each.join(' ').trim(),
  )
  return { ...txtLine(name, strings.join('')), strings }
}

const mxAt = (name: string) =>
  fc.oneof(
    {
      arbitrary: fc
        .uniqueArray(fc.constantFrom(...providerHosts), { minLength: 1, maxLength: 2 })
        .map((hosts) => hosts.map((host, index) => zoneLine(name, 'MX', `${index}0 ${host}.`))),
      weight: 5,
    },
    fc.constantFrom<ZoneLine[]>(
      [],
      [zoneLine(name, 'MX', '0 .')],
      [zoneLine(name, 'A', '192.0.2.3')],
      [zoneLine(name, 'MX', '10 mx.acme.test.'), zoneLine(name, 'MX', '20 gone.test.')],
    ),
  )

const keysAt = (name: string) =>
  fc
    // Other selectors are queried only for known senders.
    .uniqueArray(fc.constantFrom(...LISTS.dkimSelectors.common), { maxLength: 3 })
    .chain((names) => fc.tuple(...names.map((selector) => keyAt(`${selector}._domainkey.${name}`))))
    .map((keys) => keys.flat())

const keyAt = (owner: string) =>
  fc.oneof(
    randomKeyText.map((data) => [txtLine(owner, data)]),
    fc.constant([txtLine(owner, `v=DKIM1; k=rsa; p=${SPKI[1024]}`)]),
    fc
      .tuple(fc.constantFrom(...dkimTargets), randomKeyText, fc.boolean())
      .map(([target, data, exists]) => {
        const key = `${owner.replaceAll('.', '-')}.${target}`
        return [zoneLine(owner, 'CNAME', `${key}.`), ...(exists ? [txtLine(key, data)] : [])]
      }),
  )

const transportAt = (name: string) =>
  fc.constantFrom<ZoneLine[]>(
    [],
    [],
    [txtLine(`_mta-sts.${name}`, 'v=STSv1; id=1')],
    [
      txtLine(`_mta-sts.${name}`, 'v=STSv1; id=not-valid'),
      txtLine(`_smtp._tls.${name}`, 'v=TLSRPTv1'),
    ],
    [zoneLine(`_smtp._tls.${name}`, 'CNAME', 'gone.test.')],
  )

/** Names below the domain that send, and those that a service uses for bounces. */
const belowAt = (name: string) => {
  const at = (label: string) => `${label}.${name}`
  const label = fc.constantFrom('news', 'send', 'bounces', 'em', 'mg', 'pm-bounces')
  return fc.oneof(
    { arbitrary: fc.constant<ZoneLine[]>([]), weight: 3 },
    fc
      .tuple(label, fc.constantFrom(...spfHosts))
      .map(([each, host]) => [txtLine(at(each), `v=spf1 include:${host} -all`)]),
    fc
      .tuple(label, fc.constantFrom(...mxHosts))
      .map(([each, host]) => [zoneLine(at(each), 'MX', `10 in.${host}.`)]),
    fc
      .tuple(label, fc.constantFrom(...cnameTargets))
      .map(([each, host]) => [zoneLine(at(each), 'CNAME', `u1.${host}.`)]),
    label.map((each) => [
      txtLine(at(each), 'other'),
      txtLine(`s1._domainkey.${at(each)}`, `v=DKIM1; k=rsa; p=${SPKI[2048]}`),
    ]),
    fc
      .constantFrom(...cnameTargets)
      .map((host) => [zoneLine(at('autodiscover'), 'CNAME', `${host}.`)]),
  )
}

const nameServers = fc
  .uniqueArray(fc.constantFrom(...DNS_HOSTS.flatMap(({ ns }) => ns.map(concrete))), {
    maxLength: 2,
  })
  .map((hosts) => hosts.map((host) => zoneLine(ORGANIZATION, 'NS', `ns1.${host}.`)))

const recordsAt = (name: string) =>
  fc
    .tuple(
      spfAt(name),
      mxAt(name),
      keysAt(name),
      randomDmarcAt(`_dmarc.${name}`),
      transportAt(name),
      belowAt(name),
    )
    .map((pieces) => pieces.flat())

const SERVICE_LINES: ReadonlySet<ZoneLine> = new Set(SERVICES)

/** Without the hundreds of services that no other line names, which take time to parse. */
export function withoutOtherServices(zone: readonly ZoneLine[]): ZoneLine[] {
  const own = zone.filter((line) => !SERVICE_LINES.has(line))
  const texts = own.map(({ data }) => data.toLowerCase()).join('\n')
  const isUsed = ({ owner }: ZoneLine) => owner.endsWith(ORGANIZATION) || texts.includes(owner)
  return [...zone.filter((line) => SERVICE_LINES.has(line) && isUsed(line)), ...own]
}

export const randomPlanZone = fc
  .tuple(
    fc.constant([...THIRD_PARTY_LINES, ...SERVICES]),
    recordsAt(ORGANIZATION),
    recordsAt(SUBDOMAIN),
    nameServers,
  )
  .map((pieces) => pieces.flat())
