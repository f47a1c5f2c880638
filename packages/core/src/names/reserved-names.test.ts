import { type AbortableDns, type DnsAnswer, type DnsQuery, failed } from '@mailgrade/doh/dns'
import { describe, expect, test } from 'vitest'
import { parseDomain } from './domain-name.js'
import { withoutPrivateNames } from './reserved-names.js'

const ENTER = 'enter a public domain name, such as example.com.'
const PRIVATE = `is a name for private networks, so public DNS has no records for it; ${ENTER}`
const UNUSED = `is a reserved name without DNS records; ${ENTER}`
const INFRASTRUCTURE = `is a name that DNS uses for itself, not for mail; ${ENTER}`

const PRIVATE_NAMES = [
  ...['nas.internal', 'internal', 'NAS.Internal.', 'a.b.internal', 'ｎａｓ.internal'],
  ...['router.home.arpa', 'home.arpa', 'printer.local', 'mx.corp', 'nas.home', 'mx.mail', 'pc.lan'],
  ...['wiki.intranet', 'db.private'],
]

const PRIVATE_REVERSE_NAMES = [
  ...['1.31.172', '168.192', '0.0.0.0', '1.0.0.127', '1.0.254.169', '255.255.255.255'].map(
    (name) => `${name}.in-addr.arpa`,
  ),
  ...['1.0.64.100.in-addr.arpa', '255.127.100.in-addr.arpa'],
  ...['1.c.f', '0.d.f', '8.e.f', '1.9.e.f', 'a.e.f', 'b.e.f'].map((name) => `${name}.ip6.arpa`),
]
const PUBLIC_REVERSE_NAMES = [
  ...['1.32.172', '1.15.172', '1.63.100', '1.128.100', '1.2.0.192', '1.1', '169', '254.255'].map(
    (name) => `${name}.in-addr.arpa`,
  ),
  ...['8.b.d.0.1.0.0.2.ip6.arpa', '7.e.f.ip6.arpa', 'c.e.f.ip6.arpa', 'f.ip6.arpa'],
]

describe('a reserved name is refused', () => {
  test.each([
    ...PRIVATE_NAMES.map((name) => [name, PRIVATE]),
    ...['localhost', 'LOCALHOST.', 'a.localhost', 'ｌｏｃａｌｈｏｓｔ'].map((name) => [
      name,
      UNUSED,
    ]),
    ...['abc.onion', 'shop.invalid', 'a.alt', '1.0.0.10.in-addr.arpa'].map((name) => [
      name,
      UNUSED,
    ]),
    ...PRIVATE_REVERSE_NAMES.map((name) => [name, UNUSED]),
    ...['arpa', 'in-addr.arpa', 'ip6.arpa', ...PUBLIC_REVERSE_NAMES].map((name) => [
      name,
      INFRASTRUCTURE,
    ]),
  ])('%s %s', (name, problem) => {
    expect(parseDomain(name ?? '')).toEqual({ kind: 'refused', reason: `${name} ${problem}` })
  })

  test('in an address and in a URL', () => {
    const reason = `nas.internal ${PRIVATE}`
    expect(parseDomain('ann@nas.internal')).toEqual({ kind: 'refused', reason })
    expect(parseDomain('https://nas.internal:8443/x')).toEqual({ kind: 'refused', reason })
  })

  test('without the credentials of a URL', () => {
    const refused = { kind: 'refused', reason: `The name ${PRIVATE}` }
    expect(parseDomain('https://ann:secret@nas.internal/')).toEqual(refused)
  })
})

describe('allowPrivateNames', () => {
  const options = { allowPrivateNames: true }

  test.each(PRIVATE_NAMES.filter((name) => name.includes('.')))('lets %s through', (name) => {
    const domain = name.normalize('NFKC').toLowerCase().replace(/\.$/, '')
    expect(parseDomain(name, options)).toEqual({ kind: 'domain', domain })
  })

  test.each(['a.localhost', 'abc.onion', 'shop.invalid', 'a.alt', '1.0.0.10.in-addr.arpa'])(
    'does not let %s through, which no DNS should answer',
    (name) => {
      expect(parseDomain(name, options)).toEqual({ kind: 'refused', reason: `${name} ${UNUSED}` })
    },
  )
})

test.each(['acme.test', 'acme.example', 'internal.example.com', 'corporation.com', 'homearpa.com'])(
  '%s is a name like any other',
  (domain) => {
    expect(parseDomain(domain)).toEqual({ kind: 'domain', domain })
  },
)

/** CNAME records of public names. */
const ALIASES: Readonly<Record<string, string[]>> = {
  'alias.test': ['target.test'],
  'inward.test': ['also.test', 'NAS.internal', 'nas2.internal'],
}
const ZEROS = `${'0.'.repeat(31)}ip6.arpa`

const found = (name: string): DnsAnswer => ({
  kind: 'records',
  records: [name],
  ttl: 60,
  authenticated: true,
  cnames: ALIASES[name] ?? [],
  extendedError: null,
  resolver: 'dns.test',
})

/** Has a record for every name, and lists what it was asked. */
function setUp() {
  const asked: string[] = []
  const answer = ({ name }: DnsQuery) => {
    asked.push(name)
    return found(name)
  }
  const dns: AbortableDns = {
    query: async (name, type) => answer({ name, type }) as never,
    queryEach(queries, onAnswer) {
      for (const [at, query] of queries.entries()) onAnswer(answer(query), at)
    },
  }
  return { asked, dns: withoutPrivateNames(dns) }
}

test.each([
  ...['nas.internal', 'a.NAS.Internal', '_dmarc.x.home.arpa', '5.0.0.10.in-addr.arpa'],
  ...['1.0.0.127.in-addr.arpa', `1.0.${'0.'.repeat(28)}D.F.IP6.ARPA`],
  // `::` and `::1`
  ...[`0.${ZEROS}`, `1.${ZEROS}`],
])('%s does not exist, and nobody is asked', async (name) => {
  const { asked, dns } = setUp()
  expect(await dns.query(name, 'A')).toMatchObject({ kind: 'nxdomain', resolver: null })
  expect(asked).toEqual([])
})

test('other names that are asked for with them keep their places', () => {
  const { asked, dns } = setUp()
  const names = ['a.test', 'nas.internal', 'b.test', 'nas.lan', `2.${ZEROS}`]
  const answers: string[] = []
  dns.queryEach?.(
    names.map((name) => ({ name, type: 'A' })),
    (answer, at) => {
      answers[at] = answer.kind === 'records' ? String(answer.records[0]) : answer.kind
    },
  )
  expect(answers).toEqual(['a.test', 'nxdomain', 'b.test', 'nxdomain', `2.${ZEROS}`])
  expect(asked).toEqual(['a.test', 'b.test', `2.${ZEROS}`])
})

describe('a public name whose CNAME record names a private one', () => {
  const ABSENT = {
    kind: 'nxdomain',
    ttl: null,
    authenticated: false,
    cnames: ['also.test', 'NAS.internal'],
    extendedError: null,
    resolver: 'dns.test',
  }

  test('has no records, and shows nothing from inside the network', async () => {
    const { dns } = setUp()
    expect(await dns.query('inward.test', 'A')).toEqual(ABSENT)
    expect(await dns.query('alias.test', 'A')).toEqual(found('alias.test'))
  })

  test('has none either when it is asked for with others', () => {
    const { dns } = setUp()
    const answers: DnsAnswer[] = []
    const names = ['alias.test', 'nas.internal', 'inward.test', 'a.test']
    dns.queryEach?.(
      names.map((name) => ({ name, type: 'A' })),
      (answer, at) => {
        answers[at] = answer
      },
    )
    expect(answers).toEqual([
      found('alias.test'),
      expect.objectContaining({ kind: 'nxdomain', cnames: [] }),
      ABSENT,
      found('a.test'),
    ])
  })

  test('is absent also if the resolver fails at the private name', async () => {
    const failing: AbortableDns = {
      query: async () => failed('servfail', 'no answer', { cnames: ['nas.lan'] }),
    }
    const answer = await withoutPrivateNames(failing).query('inward.test', 'TXT')
    expect(answer).toMatchObject({ kind: 'nxdomain', cnames: ['nas.lan'] })
  })
})
