/** Several resolvers, some of them down, slow or overrun: who is asked, when, and who is not. */
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

describe('the first resolver', () => {
  test('is down: the second answers', async () => {
    const [nobody, second] = [await createClosedServer(), await startFixtureResolver()]
    expect(await queryDns(createFixtureDns([nobody, second]), 'A acme.test')).toMatchObject(
      from(second),
    )
  })

  test.each(DOH_PROTOCOLS)(
    'fails over %s: the second answers, and the first is asked once',
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

  test('answers SERVFAIL: another resolver may know better', async () => {
    const [first, second] = [await startFixtureResolver(), await startFixtureResolver()]
    first.respond = (exchange) => {
      exchange.packet.writeUInt8(0x82, 3)
      exchange.send()
    }
    expect(await queryDns(createFixtureDns([first, second]), 'A acme.test')).toMatchObject(
      from(second),
    )
  })

  test.each(DOH_PROTOCOLS)('is slow over %s: the hedge answers', async (protocol) => {
    const [first, second] = [
      await startFixtureResolver(protocol),
      await startFixtureResolver(protocol),
    ]
    holdQueries(first)
    const dns = createFixtureDns([first, second], { hedgeAfterMs: 20 })
    expect(await queryDns(dns, 'A acme.test')).toMatchObject(from(second))
  })

  test('says the name does not exist: it is believed, and nobody else is asked', async () => {
    const [first, second] = [await startFixtureResolver(), await startFixtureResolver()]
    expect(await queryDns(createFixtureDns([first, second]), 'A other.test')).toMatchObject({
      kind: 'nxdomain',
      resolver: first.url.host,
    })
    expect(second.queries).toEqual([])
  })
})

describe('every resolver', () => {
  test('is down: unreachable', async () => {
    const dns = createFixtureDns([await createClosedServer(), await createClosedServer()])
    expect(await queryDns(dns, 'A acme.test')).toMatchObject({
      kind: 'failed',
      reason: 'unreachable',
    })
  })

  test('has been down for a while: unreachable, without asking', async () => {
    const nobodies = [await createClosedServer(), await createClosedServer()]
    const dns = createFixtureDns(nobodies, { clock: createManualClock() })
    for (const question of distinctQueries(5)) await queryDns(dns, question)
    expect(await readResolverHealth(dns)).toEqual(
      nobodies.map(({ url }) => ({ name: url.host, isAnswering: false })),
    )
    expect(await queryDns(dns, 'A acme.test')).toMatchObject({
      kind: 'failed',
      reason: 'unreachable',
      resolver: nobodies[0]?.url.host,
    })
  })

  test.each(DOH_PROTOCOLS)('never answers over %s: a time-out', async (protocol) => {
    freezeTimeouts()
    const server = await startFixtureResolver(protocol)
    const nextQuestion = holdQueries(server)
    const answer = queryDns(createFixtureDns([server], { queryTimeoutMs: 50 }), 'A acme.test')
    const { outcome } = await nextQuestion()
    vi.advanceTimersByTime(50)
    expect(await answer).toMatchObject({
      kind: 'failed',
      reason: 'timeout',
      detail: `${server.url.host} did not answer within 50 ms`,
    })
    expect(await outcome).toBe('cancelled')
  })

  test('drips its answer: the time-out is for the whole of it', async () => {
    freezeTimeouts()
    const server = await startFixtureResolver()
    const nextQuestion = holdQueries(server)
    const answer = queryDns(createFixtureDns([server], { queryTimeoutMs: 50 }), 'A acme.test')
    const exchange = await nextQuestion()
    const drop = exchange.packet.subarray(0, 5)
    await new Promise((resolve) => exchange.startResponse().write(drop, resolve))
    vi.advanceTimersByTime(50)
    expect(await answer).toMatchObject({ kind: 'failed', reason: 'timeout' })
    expect(await exchange.outcome).toBe('cancelled')
  })

  test('fails differently: what was said of the name is told', async () => {
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
  /** A first resolver that has just failed five questions, and its probe; a second that answers. */
  async function failFiveTimes() {
    const [first, second] = [await startFixtureResolver(), await startFixtureResolver()]
    const clock = createManualClock()
    const dns = createFixtureDns([first, second], { clock })
    first.respond = fail
    for (const question of distinctQueries(5))
      expect(await queryDns(dns, question)).toMatchObject(from(second))
    await probed(dns)
    expect(first.queries).toEqual([...distinctQueries(5), PROBE])
    first.queries.length = 0
    return { first, second, clock, dns }
  }
  /** The health of a resolver under probe is known when the probe is over. */
  const probed = (dns: ReturnType<typeof createFixtureDns>) => readResolverHealth(dns)

  test('the first resolver is left alone', async () => {
    const { first, second, dns } = await failFiveTimes()
    expect(await queryDns(dns, 'A acme.test')).toMatchObject(from(second))
    expect(first.queries).toEqual([])
  })

  test.each<[string, (exchange: DohExchange) => void]>([
    ['garbage', (exchange) => exchange.send(Buffer.from('garbage'))],
    ['another question’s answer', (exchange) => exchange.send(encodeResponse('A evil.test'))],
    ['nothing but a reset', ({ stream }) => stream.close(constants.NGHTTP2_INTERNAL_ERROR)],
  ])('whatever the failure: %s', async (_, respond) => {
    const [first, second] = [await startFixtureResolver(), await startFixtureResolver()]
    const dns = createFixtureDns([first, second], { clock: createManualClock() })
    first.respond = respond
    for (const question of distinctQueries(5))
      expect(await queryDns(dns, question)).toMatchObject(from(second))
    await probed(dns)
    first.queries.length = 0
    expect(await queryDns(dns, 'A acme.test')).toMatchObject(from(second))
    expect(first.queries).toEqual([])
  })

  test('it comes back after a probe, not before', async () => {
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

  test('a failed probe keeps it out, for longer', async () => {
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

  test('a resolver without a second is asked as soon as its probe succeeds', async () => {
    const server = await startFixtureResolver()
    const clock = createManualClock()
    const dns = createFixtureDns([server], { clock })
    server.respond = fail
    for (const question of distinctQueries(5)) await queryDns(dns, question)
    await readResolverHealth(dns)
    clock.advance(1_000)
    server.respond = (exchange) => exchange.send()
    expect(await queryDns(dns, 'A acme.test')).toMatchObject(from(server))
    expect(server.queries.slice(-2)).toEqual([PROBE, 'A acme.test'])
  })

  test('names that never resolve say nothing against the resolver', async () => {
    const server = await startFixtureResolver()
    const dns = createFixtureDns([server])
    server.respond = (exchange) => {
      exchange.packet.writeUInt8(0x82, 3)
      exchange.send()
    }
    for (const question of distinctQueries(8)) {
      expect(await queryDns(dns, question)).toMatchObject({ kind: 'failed', reason: 'servfail' })
    }
    expect(server.queries).toEqual(distinctQueries(8))
  })

  test('a resolver that only hangs is found out, though the hedge always wins', async () => {
    freezeTimeouts()
    const [first, second] = [await startFixtureResolver(), await startFixtureResolver()]
    const nextQuestion = holdQueries(first)
    const dns = createFixtureDns([first, second], { hedgeAfterMs: 10, queryTimeoutMs: 1_500 })
    for (const question of distinctQueries(5)) {
      const answer = queryDns(dns, question)
      expect((await nextQuestion()).query).toBe(question)
      vi.advanceTimersByTime(10)
      expect(await answer).toMatchObject(from(second))
    }
    vi.advanceTimersByTime(1_500)
    // The fifth silence is answered with a probe: from now on it is known.
    expect((await nextQuestion()).query).toBe(PROBE)
    expect(await queryDns(dns, 'A acme.test')).toMatchObject(from(second))
    expect(first.queries).toEqual([...distinctQueries(5), PROBE])
  })
})

describe('an overrun resolver', () => {
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
    'is not asked again until its time has passed (%s)',
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

  test('may ask for rest with any server error, and is asked again at once if it does not', async () => {
    const resting = await setUp(overrun('7', 500))
    expect(await queryDns(resting.dns, 'A b.acme.test')).toMatchObject(from(resting.second))
    const merelyFailing = await setUp(fail)
    expect(await queryDns(merelyFailing.dns, 'A b.acme.test')).toMatchObject(
      from(merelyFailing.first),
    )
  })

  test('hands over to the second while it rests', async () => {
    const { first, second, clock, dns } = await setUp(overrun('7'))
    expect(await queryDns(dns, 'A b.acme.test')).toMatchObject(from(second))
    clock.advance(7_000)
    expect(await queryDns(dns, 'A c.acme.test')).toMatchObject(from(first))
    expect(first.queries).toEqual(['A a.acme.test', 'A c.acme.test'])
  })

  test('may give a date', async () => {
    const inNineSeconds = new Date(createManualClock().wallClock() + 9_000).toUTCString()
    const { first, second, clock, dns } = await setUp(overrun(inNineSeconds, 503))
    clock.advance(8_000)
    expect(await queryDns(dns, 'A b.acme.test')).toMatchObject(from(second))
    clock.advance(1_000)
    expect(await queryDns(dns, 'A c.acme.test')).toMatchObject(from(first))
  })

  test('is not probed either, though all of many questions at once were too many', async () => {
    const server = await startFixtureResolver()
    const clock = createManualClock()
    const dns = createFixtureDns([server], { clock })
    server.respond = overrun('7')
    await Promise.all(distinctQueries(20).map((question) => queryDns(dns, question)))
    expect(await readResolverHealth(dns)).toEqual([{ name: server.url.host, isAnswering: false }])
    expect([...server.queries].sort()).toEqual(distinctQueries(20).sort())

    clock.advance(7_000)
    server.respond = (exchange) => exchange.send()
    expect(await queryDns(dns, 'A acme.test')).toMatchObject(from(server))
    expect(server.queries.slice(20)).toEqual([PROBE, 'A acme.test'])
  })

  test('that says nothing of time is left alone for a second', async () => {
    const { first, second, clock, dns } = await setUp(({ response }) => {
      response.writeHead(429).end()
    })
    clock.advance(999)
    expect(await queryDns(dns, 'A b.acme.test')).toMatchObject(from(second))
    clock.advance(1)
    expect(await queryDns(dns, 'A c.acme.test')).toMatchObject(from(first))
  })

  test('is not asked by a question that was waiting to', async () => {
    const [first, second, third] = [
      await startFixtureResolver(),
      await startFixtureResolver(),
      await startFixtureResolver(),
    ]
    const dns = createFixtureDns([first, second, third], { clock: createManualClock() })
    const nextQuestion = holdQueries(first)
    const waiting = queryDns(dns, 'A waiting.acme.test')
    const held = await nextQuestion()
    first.respond = fail
    second.respond = overrun('7')
    expect(await queryDns(dns, 'A other.acme.test')).toMatchObject(from(third))
    fail(held)
    expect(await waiting).toMatchObject(from(third))
    expect(second.queries).toEqual(['A other.acme.test'])
  })
})

describe('health', () => {
  test('is told by asking, and for a while by the last answer', async () => {
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

  test('is asked for once, however many want to know', async () => {
    const server = await startFixtureResolver()
    const dns = createFixtureDns([server])
    await Promise.all(Array.from({ length: 100 }, () => readResolverHealth(dns)))
    expect(server.queries).toEqual([PROBE])
  })

  test.each([
    ['SERVFAIL, and cannot find the root', 2, false],
    ['REFUSED, since it knows only zones of its own', 5, true],
  ])('of a resolver that says %s', async (_, rcode, isAnswering) => {
    const server = await startFixtureResolver()
    server.respond = ({ send }) => send(encodeResponse('NS .', { rcode }))
    expect(await readResolverHealth(createFixtureDns([server]))).toEqual([
      { name: server.url.host, isAnswering },
    ])
  })
})
