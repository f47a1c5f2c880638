import { expect, test } from 'vitest'
import { type Dns, type DnsAnswer, queryAll, toQueryAllMethod, toQueryMethod } from './dns.js'

const answerOf = (name: string): DnsAnswer => ({
  kind: 'records',
  records: [[name]],
  ttl: 60,
  authenticated: false,
  cnames: [],
  extendedError: null,
  resolver: 'resolver.test',
})
const QUERIES = [
  { name: 'a.test', type: 'TXT' },
  { name: 'b.test', type: 'TXT' },
] as const

test('queryAll sends the queries of a Dns that knows only query one by one, in order', async () => {
  const sent: string[] = []
  const dns: Dns = {
    query: toQueryMethod(async (name, type) => {
      sent.push(`${type} ${name}`)
      return answerOf(name)
    }),
  }
  expect(await queryAll(dns, QUERIES)).toEqual([answerOf('a.test'), answerOf('b.test')])
  expect(sent).toEqual(['TXT a.test', 'TXT b.test'])
})

test('queryAll passes the queries on together if the Dns can send them so', async () => {
  const waves: unknown[] = []
  const dns: Dns = {
    query: () => Promise.reject(new Error('not alone')),
    queryAll: toQueryAllMethod(async (queries) => {
      waves.push(queries)
      return queries.map(({ name }) => answerOf(name))
    }),
  }
  expect(await queryAll(dns, QUERIES)).toEqual([answerOf('a.test'), answerOf('b.test')])
  expect(waves).toEqual([QUERIES])
})
