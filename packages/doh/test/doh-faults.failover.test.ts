/** Several resolvers, some of them down, slow or overloaded: which ones are queried and when. */
import { constants } from 'node:http2'
import { encodeResponse } from '@mailgrade/testing/dns-message'
import { type DohExchange, type DohServer, holdQueries } from '@mailgrade/testing/doh-server'
import { describe, expect, test, vi } from 'vitest'
import {
  createClosedServer,
  createFixtureDns,
  createManualClock,
  DOH_PROTOCOLS,
  distinctQueries,
  FIXTURE_RECORDS,
  freezeTimeouts,
  queryDns,
  readResolverHealth,
  startFixtureResolver,
} from './support/doh-fixture.js'

const PROBE = 'NS .'
const fail = ({ response }: DohExchange) => {
  response.writeHead(500).end()
}
const from = (server: { url: URL }) => ({
  kind: 'records',
  records: FIXTURE_RECORDS,
  resolver: server.url.host,
})

describe('when the first resolver', () => {
  test('is down, the second answers', async () => {
    const [closed, second] = [await createClosedServer(), await startFixtureResolver()]
    expect(await queryDns(createFixtureDns([closed, second]), 'A acme.test')).toMatchObject(
      from(second),
    )
  })

  test.each(DOH_PROTOCOLS)(
    'fails over %s, the second answers and the first is queried once',
    async (protocol) => {
      const [first, second] = [
        await startFixtureResolver(protocol),
        await startFixtureResolver(protocol),
      ]
      first.respond = fail
      expect(await queryDns(createFixtureDns([first, second]), 'A acme.test')).toMatchObject(
        from(second),
      )
      expect(first.queries).toEqual(['A acme.test'])
    },
  )

  test.each(['http/1.1', 'http/1.1 over TLS'] as const)(
    'answers with HTTP 421 over %s, the second answers',
    async (protocol) => {
      const [first, second] = [await startFixtureResolver(protocol), await startFixtureResolver()]
      first.respond = ({ response }) => {
        response.writeHead(421).end()
      }
      expect(await queryDns(createFixtureDns([first, second]), 'A acme.test')).toMatchObject(
        from(second),
      )
      expect(first.queries).toEqual(['A acme.test'])
    },
  )

  test('floods the connection, the second answers and the first gets no query for a second', async () => {
    const [first, second] = [await startFixtureResolver(), await startFixtureResolver()]
    first.respond = ({ stream }) => {
      stream.on('error', () => {})
      for (let count = 0; count <= 10_010; count++) stream.additionalHeaders({ ':status': 103 })
    }
    const clock = createManualClock()
    const dns = createFixtureDns([first, second], { clock })
    expect(await queryDns(dns, 'A a.acme.test')).toMatchObject(from(second))
    expect(first.queries).toEqual(['A a.acme.test', 'A a.acme.test'])
    expect(dns.resolvers.map(({ isPaused }) => isPaused())).toEqual([true, false])
    first.respond = (exchange) => exchange.send()
    clock.advance(999)
    expect(await queryDns(dns, 'A b.acme.test')).toMatchObject(from(second))
    clock.advance(1)
    expect(await queryDns(dns, 'A c.acme.test')).toMatchObject(from(first))
    expect(first.queries).toEqual(['A a.acme.test', 'A a.acme.test', 'A c.acme.test'])
  })

  test('answers SERVFAIL, the second answers', async () => {
    const [first, second] = [await startFixtureResolver(), await startFixtureResolver()]
    first.respond = (exchange) => {
      exchange.packet.writeUInt8(0x82, 3)
      exchange.send()
    }
    expect(await queryDns(createFixtureDns([first, second]), 'A acme.test')).toMatchObject(
      from(second),
    )
  })

  test.each(DOH_PROTOCOLS)('is slow over %s, the hedge answers', async (protocol) => {
    const [first, second] = [
      await startFixtureResolver(protocol),
      await startFixtureResolver(protocol),
    ]
    holdQueries(first)
    const dns = createFixtureDns([first, second], { hedgeAfterMs: 20 })
    expect(await queryDns(dns, 'A acme.test')).toMatchObject(from(second))
  })

  test('answers NXDOMAIN, no other resolver is queried', async () => {
    const [first, second] = [await startFixtureResolver(), await startFixtureResolver()]
    expect(await queryDns(createFixtureDns([first, second]), 'A other.test')).toMatchObject({
      kind: 'nxdomain',
      resolver: first.url.host,
    })
    expect(second.queries).toEqual([])
  })
})

describe('when every resolver', () => {
  test('is down, the query fails as unreachable', async () => {
    const dns = createFixtureDns([await createClosedServer(), await createClosedServer()])
    expect(await queryDns(dns, 'A acme.test')).toMatchObject({
      kind: 'failed',
      reason: 'unreachable',
    })
  })

  test('has been down for a while, the query fails without being sent', async () => {
    const nobodies = [await createClosedServer(), await createClosedServer()]
    const dns = createFixtureDns(nobodies, { clock: createManualClock() })
    for (const query of distinctQueries(5)) await queryDns(dns, query)
    expect(await readResolverHealth(dns)).toEqual(
      nobodies.map(({ url }) => ({ name: url.host, isAnswering: false })),
    )
    expect(await queryDns(dns, 'A acme.test')).toMatchObject({
      kind: 'failed',
      reason: 'unreachable',
      resolver: nobodies[0]?.url.host,
    })
  })

  test.each(DOH_PROTOCOLS)('never answers over %s, the query times out', async (protocol) => {
    freezeTimeouts()
    const server = await startFixtureResolver(protocol)
    const nextQuery = holdQueries(server)
    const answer = queryDns(createFixtureDns([server], { queryTimeoutMs: 50 }), 'A acme.test')
    const { outcome } = await nextQuery()
    vi.advanceTimersByTime(50)
    expect(await answer).toMatchObject({
      kind: 'failed',
      reason: 'timeout',
      detail: `${server.url.host} did not answer within 50 ms`,
    })
    expect(await outcome).toBe('cancelled')
  })

  test('sends its answer slowly, the timeout covers the whole answer', async () => {
    freezeTimeouts()
    const server = await startFixtureResolver()
    const nextQuery = holdQueries(server)
    const answer = queryDns(createFixtureDns([server], { queryTimeoutMs: 50 }), 'A acme.test')
    const exchange = await nextQuery()
    const drop = exchange.packet.subarray(0, 5)
    await new Promise((resolve) => exchange.startResponse().write(drop, resolve))
    vi.advanceTimersByTime(50)
    expect(await answer).toMatchObject({ kind: 'failed', reason: 'timeout' })
    expect(await exchange.outcome).toBe('cancelled')
  })

  test('fails differently, the failure about the name is returned', async () => {
    const [first, second] = [await startFixtureResolver(), await startFixtureResolver()]
    first.respond = (exchange) => {
      exchange.packet.writeUInt8(0x82, 3)
      exchange.send()
    }
    second.respond = fail
    expect(await queryDns(createFixtureDns([first, second]), 'A acme.test')).toMatchObject({
      kind: 'failed',
      reason: 'servfail',
      resolver: first.url.host,
    })
  })
})

describe('after five failures', () => {
  /** A first resolver that failed five queries and its probe; a second that answers. */
  async function failFiveTimes() {
    const [first, second] = [await startFixtureResolver(), await startFixtureResolver()]
    const clock = createManualClock()
    const dns = createFixtureDns([first, second], { clock })
    first.respond = fail
    for (const query of distinctQueries(5))
      expect(await queryDns(dns, query)).toMatchObject(from(second))
    await probed(dns)
    expect(first.queries).toEqual([...distinctQueries(5), PROBE])
    first.queries.length = 0
    return { first, second, clock, dns }
  }
  /** Waits for the probe under way. */
  const probed = (dns: ReturnType<typeof createFixtureDns>) => readResolverHealth(dns)

  test('the first resolver gets no queries', async () => {
    const { first, second, dns } = await failFiveTimes()
    expect(await queryDns(dns, 'A acme.test')).toMatchObject(from(second))
    expect(first.queries).toEqual([])
  })

  test.each<[string, (exchange: DohExchange) => void]>([
    ['garbage', (exchange) => exchange.send(Buffer.from('garbage'))],
    ['the answer to another query', (exchange) => exchange.send(encodeResponse('A evil.test'))],
    ['only a reset', ({ stream }) => stream.close(constants.NGHTTP2_INTERNAL_ERROR)],
  ])('whatever the failure: %s', async (_, respond) => {
    const [first, second] = [await startFixtureResolver(), await startFixtureResolver()]
    const dns = createFixtureDns([first, second], { clock: createManualClock() })
    first.respond = respond
    for (const query of distinctQueries(5))
      expect(await queryDns(dns, query)).toMatchObject(from(second))
    await probed(dns)
    first.queries.length = 0
    expect(await queryDns(dns, 'A acme.test')).toMatchObject(from(second))
    expect(first.queries).toEqual([])
  })

  test('a resolver gets queries again after a successful probe', async () => {
    const { first, second, clock, dns } = await failFiveTimes()
    first.respond = (exchange) => exchange.send()
    clock.advance(999)
    await queryDns(dns, 'A a.acme.test')
    expect(first.queries).toEqual([])

    clock.advance(1)
    expect(await queryDns(dns, 'A b.acme.test')).toMatchObject(from(second))
    await probed(dns)
    expect(first.queries).toEqual([PROBE])
    expect(await queryDns(dns, 'A c.acme.test')).toMatchObject(from(first))
  })

  test('a failed probe doubles the pause', async () => {
    const { first, clock, dns } = await failFiveTimes()
    clock.advance(1_000)
    await queryDns(dns, 'A a.acme.test')
    await probed(dns)
    clock.advance(1_999)
    await queryDns(dns, 'A b.acme.test')
    await probed(dns)
    expect(first.queries).toEqual([PROBE])
    clock.advance(1)
    await queryDns(dns, 'A c.acme.test')
    await probed(dns)
    expect(first.queries).toEqual([PROBE, PROBE])
  })

  test('a single resolver is queried as soon as its probe succeeds', async () => {
    const server = await startFixtureResolver()
    const clock = createManualClock()
    const dns = createFixtureDns([server], { clock })
    server.respond = fail
    for (const query of distinctQueries(5)) await queryDns(dns, query)
    await readResolverHealth(dns)
    clock.advance(1_000)
    server.respond = (exchange) => exchange.send()
    expect(await queryDns(dns, 'A acme.test')).toMatchObject(from(server))
    expect(server.queries.slice(-2)).toEqual([PROBE, 'A acme.test'])
  })

  test('SERVFAIL does not count as a failure of the resolver', async () => {
    const server = await startFixtureResolver()
    const dns = createFixtureDns([server])
    server.respond = (exchange) => {
      exchange.packet.writeUInt8(0x82, 3)
      exchange.send()
    }
    for (const query of distinctQueries(8)) {
      expect(await queryDns(dns, query)).toMatchObject({ kind: 'failed', reason: 'servfail' })
    }
    expect(server.queries).toEqual(distinctQueries(8))
  })

  test('a resolver that hangs is paused although the hedge always wins', async () => {
    freezeTimeouts()
    const [first, second] = [await startFixtureResolver(), await startFixtureResolver()]
    const nextQuery = holdQueries(first)
    const dns = createFixtureDns([first, second], { hedgeAfterMs: 10, queryTimeoutMs: 1_500 })
    for (const query of distinctQueries(5)) {
      const answer = queryDns(dns, query)
      expect((await nextQuery()).query).toBe(query)
      vi.advanceTimersByTime(10)
      expect(await answer).toMatchObject(from(second))
    }
    vi.advanceTimersByTime(1_500)
    // The fifth timeout starts a probe.
    expect((await nextQuery()).query).toBe(PROBE)
    expect(await queryDns(dns, 'A acme.test')).toMatchObject(from(second))
    expect(first.queries).toEqual([...distinctQueries(5), PROBE])
  })
})

describe('an overloaded resolver', () => {
  const overrun =
    (retryAfter: string, status = 429) =>
    ({ response }: DohExchange) => {
      response.writeHead(status, { 'retry-after': retryAfter }).end()
    }
  async function setUp(respond: DohServer['respond']) {
    const [first, second] = [await startFixtureResolver(), await startFixtureResolver()]
    const clock = createManualClock()
    const dns = createFixtureDns([first, second], { clock })
    first.respond = respond
    expect(await queryDns(dns, 'A a.acme.test')).toMatchObject(from(second))
    first.respond = (exchange) => exchange.send()
    return { first, second, clock, dns }
  }

  test.each(DOH_PROTOCOLS)(
    'is not queried before its Retry-After has passed (%s)',
    async (protocol) => {
      const server = await startFixtureResolver(protocol)
      const clock = createManualClock()
      const dns = createFixtureDns([server], { clock })
      server.respond = overrun('7')
      expect(await queryDns(dns, 'A a.acme.test')).toMatchObject({ reason: 'http-status' })
      server.respond = (exchange) => exchange.send()

      clock.advance(6_999)
      expect(await queryDns(dns, 'A b.acme.test')).toMatchObject({
        kind: 'failed',
        reason: 'http-status',
      })
      expect(server.queries).toEqual(['A a.acme.test'])
      clock.advance(1)
      expect(await queryDns(dns, 'A c.acme.test')).toMatchObject(from(server))
    },
  )

  test('is paused for any 5xx with Retry-After, and not without', async () => {
    const resting = await setUp(overrun('7', 500))
    expect(await queryDns(resting.dns, 'A b.acme.test')).toMatchObject(from(resting.second))
    const merelyFailing = await setUp(fail)
    expect(await queryDns(merelyFailing.dns, 'A b.acme.test')).toMatchObject(
      from(merelyFailing.first),
    )
  })

  test('is replaced by the second while it is paused', async () => {
    const { first, second, clock, dns } = await setUp(overrun('7'))
    expect(await queryDns(dns, 'A b.acme.test')).toMatchObject(from(second))
    clock.advance(7_000)
    expect(await queryDns(dns, 'A c.acme.test')).toMatchObject(from(first))
    expect(first.queries).toEqual(['A a.acme.test', 'A c.acme.test'])
  })

  test('may send a date', async () => {
    const inNineSeconds = new Date(createManualClock().wallClock() + 9_000).toUTCString()
    const { first, second, clock, dns } = await setUp(overrun(inNineSeconds, 503))
    clock.advance(8_000)
    expect(await queryDns(dns, 'A b.acme.test')).toMatchObject(from(second))
    clock.advance(1_000)
    expect(await queryDns(dns, 'A c.acme.test')).toMatchObject(from(first))
  })

  test('gets no probe while it is paused', async () => {
    const server = await startFixtureResolver()
    const clock = createManualClock()
    const dns = createFixtureDns([server], { clock })
    server.respond = overrun('7')
    await Promise.all(distinctQueries(20).map((query) => queryDns(dns, query)))
    expect(await readResolverHealth(dns)).toEqual([{ name: server.url.host, isAnswering: false }])
    expect([...server.queries].sort()).toEqual(distinctQueries(20).sort())

    clock.advance(7_000)
    server.respond = (exchange) => exchange.send()
    expect(await queryDns(dns, 'A acme.test')).toMatchObject(from(server))
    expect(server.queries.slice(20)).toEqual([PROBE, 'A acme.test'])
  })

  test('is paused for one second after 429 without Retry-After', async () => {
    const { first, second, clock, dns } = await setUp(({ response }) => {
      response.writeHead(429).end()
    })
    clock.advance(999)
    expect(await queryDns(dns, 'A b.acme.test')).toMatchObject(from(second))
    clock.advance(1)
    expect(await queryDns(dns, 'A c.acme.test')).toMatchObject(from(first))
  })

  test('is skipped by a hedge that was waiting', async () => {
    const [first, second, third] = [
      await startFixtureResolver(),
      await startFixtureResolver(),
      await startFixtureResolver(),
    ]
    const dns = createFixtureDns([first, second, third], { clock: createManualClock() })
    const nextQuery = holdQueries(first)
    const waiting = queryDns(dns, 'A waiting.acme.test')
    const held = await nextQuery()
    first.respond = fail
    second.respond = overrun('7')
    expect(await queryDns(dns, 'A other.acme.test')).toMatchObject(from(third))
    fail(held)
    expect(await waiting).toMatchObject(from(third))
    expect(second.queries).toEqual(['A other.acme.test'])
  })
})

describe('health', () => {
  test('comes from a probe, or from an answer of the last five seconds', async () => {
    const server = await startFixtureResolver()
    const clock = createManualClock()
    const dns = createFixtureDns([server], { clock })
    const healthy = [{ name: server.url.host, isAnswering: true }]
    expect(await readResolverHealth(dns)).toEqual(healthy)
    expect(await readResolverHealth(dns)).toEqual(healthy)
    expect(server.queries).toEqual([PROBE])
    clock.advance(5_000)
    server.respond = fail
    expect(await readResolverHealth(dns)).toEqual([{ name: server.url.host, isAnswering: false }])
    expect(server.queries).toEqual([PROBE, PROBE])
  })

  test('uses one probe for concurrent calls', async () => {
    const server = await startFixtureResolver()
    const dns = createFixtureDns([server])
    await Promise.all(Array.from({ length: 100 }, () => readResolverHealth(dns)))
    expect(server.queries).toEqual([PROBE])
  })

  test.each([
    ['SERVFAIL: it cannot find the root', 2, false],
    ['REFUSED: it knows only its own zones', 5, true],
  ])('of a resolver that says %s', async (_, rcode, isAnswering) => {
    const server = await startFixtureResolver()
    server.respond = ({ send }) => send(encodeResponse('NS .', { rcode }))
    expect(await readResolverHealth(createFixtureDns([server]))).toEqual([
      { name: server.url.host, isAnswering },
    ])
  })
})
