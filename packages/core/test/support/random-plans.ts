/** Random zones with real providers and senders, valid and broken. */
import fc from 'fast-check'
import { COMMON_SELECTORS } from '../../src/catalog/dkim-selectors.js'
import { DNS_HOSTS } from '../../src/catalog/find-dns-host.js'
import { SENDERS } from '../../src/catalog/mail-services.js'
import { MAILBOX_PROVIDERS } from '../../src/catalog/mailbox-providers.js'
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

/** The SPF records of the services, some with several lookups. */
const SERVICES: readonly ZoneLine[] = [
  ...providerHosts.flatMap((host) => [
    zoneLine(host, 'A', '192.0.2.77'),
    zoneLine(host, 'AAAA', '2001:db8::77'),
  ]),
  ...spfHosts.map((host, index) =>
    txtLine(
      host,
      `v=spf1 ip4:198.51.100.${index % 256} ${'a:mx.acme.test '.repeat(index % 4)}~all`,
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
)
const allTerm = fc.constantFrom(
  '-all',
  '~all',
  '~all',
  '?all',
  '+all',
  '',
  'redirect=neutral.test',
  '~all mx',
)

const spfAt = (name: string) =>
  fc
    .array(
      fc
        .tuple(fc.array(term, { maxLength: 12 }), allTerm)
        .map(([terms, last]) => txtLine(name, ['v=spf1', ...terms, last].join(' ').trim())),
      { maxLength: 2 },
    )
    .map((records) => [...records, txtLine(name, 'site-verification=1 "quoted" \\')])

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
    .uniqueArray(fc.constantFrom(...COMMON_SELECTORS), { maxLength: 3 })
    .chain((names) => fc.tuple(...names.map((selector) => keyAt(`${selector}._domainkey.${name}`))))
    .map((keys) => keys.flat())

const keyAt = (owner: string) =>
  fc.oneof(
    randomKeyText.map((data) => [txtLine(owner, data)]),
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
    )
    .map((pieces) => pieces.flat())

export const randomPlanZone = fc
  .tuple(
    fc.constant([...THIRD_PARTY_LINES, ...SERVICES]),
    recordsAt(ORGANIZATION),
    recordsAt(SUBDOMAIN),
    nameServers,
  )
  .map((pieces) => pieces.flat())
