/** Our DoH engine against the servers of others: BIND, Unbound and dnsdist. */
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
 * BIND sends the CNAMEs that it followed before it gave up, and dnsdist hands them on. Unbound
 * gives up with a bare SERVFAIL, in which there is no loop to be seen.
 */
const LOOP_REASONS: Record<ResolverName, FailureReason> = {
  BIND: 'cname-loop',
  Unbound: 'servfail',
  dnsdist: 'cname-loop',
  'dnsdist behind TLS': 'cname-loop',
}

/**
 * One HTTP/2 session carries everything, though BIND takes 256 streams at a time and Unbound 100.
 * HTTP/1.1 has 64 sockets, and over TLS one more, on which it learns that there is no HTTP/2.
 */
const MOST_CONNECTIONS: Record<ResolverName, number> = {
  BIND: 1,
  Unbound: 1,
  dnsdist: 64,
  'dnsdist behind TLS': 65,
}

let servers: ResolverServers
const engines: DohDns[] = []

beforeAll(async () => {
  servers = await startResolverServers()
  return async () => {
    for (const engine of engines) engine.close()
    await servers.stop()
  }
})

function connect(url: URL, tls: ConnectionOptions = { ca: servers.ca }): DohDns {
  // Patient, so that a busy machine is not taken for a silent server.
  const dns = createDohDns({ urls: [url], tls, queryTimeoutMs: 10_000 })
  engines.push(dns)
  return dns
}

describe.each(RESOLVER_NAMES)('%s', (server) => {
  let dns: DohDns
  beforeAll(() => {
    dns = connect(servers.urls[server])
  })

  test.each(RESOLVER_CASES)('answers for %s', async (_, question, answer) => {
    const [type, name] = question.split(' ') as [RecordType, string]
    expect(toComparableAnswer(await dns.query(name, type))).toEqual(answer)
  })

  test.each(['loop', 'itself'])('fails on the CNAMEs of %s, which never end', async (label) => {
    const answer = await dns.query(`${label}.world.test`, 'A')
    expect(toComparableAnswer(answer)).toEqual(failedAnswer(LOOP_REASONS[server]))
  })

  test('fails on a chain of CNAMEs that is too long for it', async () => {
    const answer = await dns.query('link-20.limits.test', 'A')
    expect(answer).toMatchObject({ kind: 'failed', reason: 'servfail' })
  })

  test('answers three hundred questions at once', async () => {
    const url = new URL(servers.urls[server])
    const relay = await startTcpProxy(Number(url.port))
    url.port = String(relay.port)
    const crowd = connect(url)
    const names = Array.from({ length: 300 }, (_, index) => `n${index}.wild.world.test`)
    const answers = await Promise.all(names.map((name) => crowd.query(name, 'A')))
    await relay.stop()

    expect(answers.map(toComparableAnswer)).toEqual(names.map(() => recordsAnswer(['192.0.2.40'])))
    expect(relay.connections()).toBeLessThanOrEqual(MOST_CONNECTIONS[server])
  })

  test('has nothing to say at another path', async () => {
    const answer = await connect(new URL('/elsewhere', servers.urls[server])).query(
      'world.test',
      'A',
    )
    expect(toComparableAnswer(answer)).toEqual(failedAnswer('http-status'))
  })
})

describe('BIND', () => {
  test.each([
    ['a record lives as long as it says', 'mx1.world.test', 60],
    ['a chain lives as long as its shortest-lived link', 'www.world.test', 30],
    ['the absence of a name lives as long as the SOA says', 'nothing.world.test', 120],
    ['the absence of a type lives as long as the SOA says', 'world.test', 120],
  ])('%s', async (_, name, ttl) => {
    expect(await connect(servers.urls.BIND).query(name, 'A')).toMatchObject({ ttl })
  })

  test('does not vouch for its own zone, even a signed one', async () => {
    const answer = await connect(servers.urls.BIND).query('signed.test', 'TXT')
    expect(answer).toMatchObject({ kind: 'records', authenticated: false })
  })

  test.each(RESOLVER_NAMES.filter((name) => name !== 'Unbound'))(
    'says, through %s, that a question is prohibited (RFC 8914 §4.19)',
    async (server) => {
      const answer = await connect(servers.urls[server]).query('forbidden.test', 'SOA')
      expect(answer).toMatchObject({ reason: 'refused', extendedError: { code: 18, text: '' } })
    },
  )

  test('is not believed when nobody vouches for its certificate', async () => {
    const answer = await connect(servers.urls.BIND, {}).query('world.test', 'TXT')
    expect(toComparableAnswer(answer)).toEqual(failedAnswer('unreachable'))
  })
})

describe('Unbound', () => {
  test.each([
    ['vouches for the records of a signed zone', 'signed.test', 'records', true],
    ['vouches for an absence from a signed zone', 'nothing.signed.test', 'nxdomain', true],
    ['does not vouch for an unsigned zone', 'world.test', 'records', false],
  ])('%s', async (_, name, kind, authenticated) => {
    const answer = await connect(servers.urls.Unbound).query(name, 'TXT')
    expect(answer).toMatchObject({ kind, authenticated })
  })

  test('says that a zone lacks the key it should have (RFC 8914 §4.10)', async () => {
    const answer = await connect(servers.urls.Unbound).query('bogus.test', 'SOA')
    expect(answer).toMatchObject({ reason: 'servfail', extendedError: { code: 9, text: '' } })
  })
})
