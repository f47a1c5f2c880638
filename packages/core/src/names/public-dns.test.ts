import { type AbortableDns, type DnsAnswer, type DnsQuery, failed } from '@mailgrade/doh/dns'
import { describe, expect, test } from 'vitest'
import { withoutPrivateNames } from './public-dns.js'

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
