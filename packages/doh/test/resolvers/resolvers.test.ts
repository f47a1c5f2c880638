/** Our DoH client against BIND, Unbound and dnsdist. */
import type { ConnectionOptions } from 'node:tls'
import { beforeAll, describe, expect, test } from 'vitest'
import type { FailureReason, RecordType } from '../../src/dns.js'
import { createDohDns, type DohDns } from '../../src/doh-dns.js'
import { failedAnswer, recordsAnswer, toComparableAnswer } from './comparable-answer.js'
import { RESOLVER_CASES } from './resolver-cases.js'
import {
  RESOLVER_NAMES,
  type ResolverName,
  type ResolverServers,
  startResolverServers,
} from './resolver-servers.js'
import { startTcpProxy } from './tcp-proxy.js'

/**
 * BIND returns the CNAME records that it followed, and dnsdist forwards them. Unbound returns
 * SERVFAIL without records, so the loop is not visible.
 */
const LOOP_REASONS: Record<ResolverName, FailureReason> = {
  BIND: 'cname-loop',
  Unbound: 'servfail',
  dnsdist: 'cname-loop',
  'dnsdist behind TLS': 'cname-loop',
}

/**
 * One HTTP/2 connection carries all queries, although BIND allows 256 streams at a time and
 * Unbound 100. HTTP/1.1 uses 64 sockets, and over TLS one more for the protocol negotiation.
 */
const MAX_CONNECTIONS: Record<ResolverName, number> = {
  BIND: 1,
  Unbound: 1,
  dnsdist: 64,
  'dnsdist behind TLS': 65,
}

let servers: ResolverServers
const clients: DohDns[] = []

beforeAll(async () => {
  servers = await startResolverServers()
  return async () => {
    for (const client of clients) client.close()
    await servers.stop()
  }
})

function connect(url: URL, tls: ConnectionOptions = { ca: servers.ca }): DohDns {
  // A long timeout, because the machine may be busy.
  const dns = createDohDns({
    urls: [url],
    tls,
    queryTimeoutMs: 10_000,
  })
  clients.push(dns)
  return dns
}

describe.each(RESOLVER_NAMES)('%s', (server) => {
  let dns: DohDns
  beforeAll(() => {
    dns = connect(servers.urls[server])
  })

  test.each(RESOLVER_CASES)('answers for %s', async (_, query, answer) => {
    const [type, name] = query.split(' ') as [RecordType, string]
    expect(toComparableAnswer(await dns.query(name, type))).toEqual(answer)
  })

  test.each(['loop', 'itself'])('fails on the CNAME loop of %s', async (label) => {
    const answer = await dns.query(`${label}.world.test`, 'A')
    expect(toComparableAnswer(answer)).toEqual(failedAnswer(LOOP_REASONS[server]))
  })

  test('fails on a CNAME chain that is too long', async () => {
    const answer = await dns.query('link-20.limits.test', 'A')
    expect(answer).toMatchObject({ kind: 'failed', reason: 'servfail' })
  })

  test('answers 300 queries at once', async () => {
    const url = new URL(servers.urls[server])
    const proxy = await startTcpProxy(Number(url.port))
    url.port = String(proxy.port)
    const manyQueries = connect(url)
    const names = Array.from({ length: 300 }, (_, index) => `n${index}.wild.world.test`)
    const answers = await Promise.all(names.map((name) => manyQueries.query(name, 'A')))
    await proxy.stop()

    expect(answers.map(toComparableAnswer)).toEqual(names.map(() => recordsAnswer(['192.0.2.40'])))
    expect(proxy.connections()).toBeLessThanOrEqual(MAX_CONNECTIONS[server])
  })

  test('fails at another path', async () => {
    const answer = await connect(new URL('/elsewhere', servers.urls[server])).query(
      'world.test',
      'A',
    )
    expect(toComparableAnswer(answer)).toEqual(failedAnswer('http-status'))
  })
})

describe('BIND', () => {
  test.each([
    ['returns the TTL of a record', 'mx1.world.test', 60],
    ['returns the lowest TTL of a chain', 'www.world.test', 30],
    ['returns the negative TTL for NXDOMAIN', 'nothing.world.test', 120],
    ['returns the negative TTL for NODATA', 'world.test', 120],
  ])('%s', async (_, name, ttl) => {
    expect(await connect(servers.urls.BIND).query(name, 'A')).toMatchObject({ ttl })
  })

  test('does not set AD for its own zone, even a signed one', async () => {
    const answer = await connect(servers.urls.BIND).query('signed.test', 'TXT')
    expect(answer).toMatchObject({ kind: 'records', authenticated: false })
  })

  test.each(RESOLVER_NAMES.filter((name) => name !== 'Unbound'))(
    'returns the extended error Prohibited through %s (RFC 8914 §4.19)',
    async (server) => {
      const answer = await connect(servers.urls[server]).query('forbidden.test', 'SOA')
      expect(answer).toMatchObject({ reason: 'refused', extendedError: { code: 18, text: '' } })
    },
  )

  test('is rejected when its certificate is not trusted', async () => {
    const answer = await connect(servers.urls.BIND, {}).query('world.test', 'TXT')
    expect(toComparableAnswer(answer)).toEqual(failedAnswer('unreachable'))
  })
})

describe('Unbound', () => {
  test.each([
    ['sets AD for records of a signed zone', 'signed.test', 'records', true],
    ['sets AD for an absence in a signed zone', 'nothing.signed.test', 'nxdomain', true],
    ['does not set AD for an unsigned zone', 'world.test', 'records', false],
  ])('%s', async (_, name, kind, authenticated) => {
    const answer = await connect(servers.urls.Unbound).query(name, 'TXT')
    expect(answer).toMatchObject({ kind, authenticated })
  })

  test('returns the extended error DNSKEY Missing (RFC 8914 §4.10)', async () => {
    const answer = await connect(servers.urls.Unbound).query('bogus.test', 'SOA')
    expect(answer).toMatchObject({ reason: 'servfail', extendedError: { code: 9, text: '' } })
  })
})
