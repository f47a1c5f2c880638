import type { AbortableDns, DnsAnswer, DnsQuery } from '@mailgrade/doh'
import { expect, test } from 'vitest'
import { withoutPrivateNames } from './public-dns.js'

const found = (name: string): DnsAnswer => ({
  kind: 'records',
  records: [name],
  ttl: 60,
  authenticated: false,
  cnames: [],
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

test.each(['nas.internal', 'a.NAS.Internal', '_dmarc.x.home.arpa', '5.0.0.10.in-addr.arpa'])(
  '%s does not exist, and nobody is asked',
  async (name) => {
    const { asked, dns } = setUp()
    expect(await dns.query(name, 'A')).toMatchObject({ kind: 'nxdomain', resolver: null })
    expect(asked).toEqual([])
  },
)

test('other names that are asked for with them keep their places', () => {
  const { asked, dns } = setUp()
  const names = ['a.test', 'nas.internal', 'b.test', 'nas.lan', '8.8.8.8.in-addr.arpa']
  const answers: string[] = []
  dns.queryEach?.(
    names.map((name) => ({ name, type: 'A' })),
    (answer, at) => {
      answers[at] = answer.kind === 'records' ? String(answer.records[0]) : answer.kind
    },
  )
  expect(answers).toEqual(['a.test', 'nxdomain', 'b.test', 'nxdomain', '8.8.8.8.in-addr.arpa'])
  expect(asked).toEqual(['a.test', 'b.test', '8.8.8.8.in-addr.arpa'])
})
