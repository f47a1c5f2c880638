/** Several resolvers, some of them down, slow or overrun: who is asked, when, and who is not. */
import { constants } from 'node:http2'
import { response } from '@mailgrade/testing/dns-message'
import { type DohServer, type Exchange, holdQuestions } from '@mailgrade/testing/doh-server'
import { describe, expect, test, vi } from 'vitest'
import {
  ADDRESS,
  ask,
  createClock,
  createDns,
  health,
  holdTimers,
  names,
  PROTOCOLS,
  startNobody,
  startServer,
} from './support/doh-story.js'

const PROBE = 'NS .'
const fail = ({ response }: Exchange) => {
  response.writeHead(500).end()
}
const from = (server: { url: URL }) => ({
  kind: 'records',
  records: ADDRESS,
  resolver: server.url.host,
})

describe('the first resolver', () => {
  test('is down: the second answers', async () => {
    const [nobody, second] = [await startNobody(), await startServer()]
    expect(await ask(createDns([nobody, second]), 'A acme.test')).toMatchObject(from(second))
  })

  test.each(PROTOCOLS)(
    'fails over %s: the second answers, and the first is asked once',
    async (protocol) => {
      const [first, second] = [await startServer(protocol), await startServer(protocol)]
      first.respond = fail
      expect(await ask(createDns([first, second]), 'A acme.test')).toMatchObject(from(second))
      expect(first.questions).toEqual(['A acme.test'])
    },
  )

  test('answers SERVFAIL: another resolver may know better', async () => {
    const [first, second] = [await startServer(), await startServer()]
    first.respond = (exchange) => {
      exchange.packet.writeUInt8(0x82, 3)
      exchange.send()
    }
    expect(await ask(createDns([first, second]), 'A acme.test')).toMatchObject(from(second))
  })

  test.each(PROTOCOLS)('is slow over %s: the hedge answers', async (protocol) => {
    const [first, second] = [await startServer(protocol), await startServer(protocol)]
    holdQuestions(first)
    const dns = createDns([first, second], { hedgeAfterMs: 20 })
    expect(await ask(dns, 'A acme.test')).toMatchObject(from(second))
  })

  test('says the name does not exist: it is believed, and nobody else is asked', async () => {
    const [first, second] = [await startServer(), await startServer()]
    expect(await ask(createDns([first, second]), 'A other.test')).toMatchObject({
      kind: 'nxdomain',
      resolver: first.url.host,
    })
    expect(second.questions).toEqual([])
  })
})

describe('every resolver', () => {
  test('is down: unreachable', async () => {
    const dns = createDns([await startNobody(), await startNobody()])
    expect(await ask(dns, 'A acme.test')).toMatchObject({ kind: 'failed', reason: 'unreachable' })
  })

  test('has been down for a while: unreachable, without asking', async () => {
    const nobodies = [await startNobody(), await startNobody()]
    const dns = createDns(nobodies, { clock: createClock() })
    for (const question of names(5)) await ask(dns, question)
    expect(await health(dns)).toEqual(
      nobodies.map(({ url }) => ({ name: url.host, isAnswering: false })),
    )
    expect(await ask(dns, 'A acme.test')).toMatchObject({
      kind: 'failed',
      reason: 'unreachable',
      resolver: nobodies[0]?.url.host,
    })
  })

  test.each(PROTOCOLS)('never answers over %s: a time-out', async (protocol) => {
    holdTimers()
    const server = await startServer(protocol)
    const nextQuestion = holdQuestions(server)
    const answer = ask(createDns([server], { questionTimeoutMs: 50 }), 'A acme.test')
    const { ending } = await nextQuestion()
    vi.advanceTimersByTime(50)
    expect(await answer).toMatchObject({
      kind: 'failed',
      reason: 'timeout',
      detail: `${server.url.host} did not answer within 50 ms`,
    })
    expect(await ending).toBe('cancelled')
  })

  test('drips its answer: the time-out is for the whole of it', async () => {
    holdTimers()
    const server = await startServer()
    const nextQuestion = holdQuestions(server)
    const answer = ask(createDns([server], { questionTimeoutMs: 50 }), 'A acme.test')
    const exchange = await nextQuestion()
    const drop = exchange.packet.subarray(0, 5)
    await new Promise((resolve) => exchange.begin().write(drop, resolve))
    vi.advanceTimersByTime(50)
    expect(await answer).toMatchObject({ kind: 'failed', reason: 'timeout' })
    expect(await exchange.ending).toBe('cancelled')
  })

  test('fails differently: what was said of the name is told', async () => {
    const [first, second] = [await startServer(), await startServer()]
    first.respond = (exchange) => {
      exchange.packet.writeUInt8(0x82, 3)
      exchange.send()
    }
    second.respond = fail
    expect(await ask(createDns([first, second]), 'A acme.test')).toMatchObject({
      kind: 'failed',
      reason: 'servfail',
      resolver: first.url.host,
    })
  })
})

describe('after five failures', () => {
  /** A first resolver that has just failed five questions, and its probe; a second that answers. */
  async function failFiveTimes() {
    const [first, second] = [await startServer(), await startServer()]
    const clock = createClock()
    const dns = createDns([first, second], { clock })
    first.respond = fail
    for (const question of names(5)) expect(await ask(dns, question)).toMatchObject(from(second))
    await probed(dns)
    expect(first.questions).toEqual([...names(5), PROBE])
    first.questions.length = 0
    return { first, second, clock, dns }
  }
  /** The health of a resolver under probe is known when the probe is over. */
  const probed = (dns: ReturnType<typeof createDns>) => health(dns)

  test('the first resolver is left alone', async () => {
    const { first, second, dns } = await failFiveTimes()
    expect(await ask(dns, 'A acme.test')).toMatchObject(from(second))
    expect(first.questions).toEqual([])
  })

  test.each<[string, (exchange: Exchange) => void]>([
    ['garbage', (exchange) => exchange.send(Buffer.from('garbage'))],
    ['another question’s answer', (exchange) => exchange.send(response('A evil.test'))],
    ['nothing but a reset', ({ stream }) => stream.close(constants.NGHTTP2_INTERNAL_ERROR)],
  ])('whatever the failure: %s', async (_, respond) => {
    const [first, second] = [await startServer(), await startServer()]
    const dns = createDns([first, second], { clock: createClock() })
    first.respond = respond
    for (const question of names(5)) expect(await ask(dns, question)).toMatchObject(from(second))
    await probed(dns)
    first.questions.length = 0
    expect(await ask(dns, 'A acme.test')).toMatchObject(from(second))
    expect(first.questions).toEqual([])
  })

  test('it comes back after a probe, not before', async () => {
    const { first, second, clock, dns } = await failFiveTimes()
    first.respond = (exchange) => exchange.send()
    clock.advance(999)
    await ask(dns, 'A a.acme.test')
    expect(first.questions).toEqual([])

    clock.advance(1)
    expect(await ask(dns, 'A b.acme.test')).toMatchObject(from(second))
    await probed(dns)
    expect(first.questions).toEqual([PROBE])
    expect(await ask(dns, 'A c.acme.test')).toMatchObject(from(first))
  })

  test('a failed probe keeps it out, for longer', async () => {
    const { first, clock, dns } = await failFiveTimes()
    clock.advance(1_000)
    await ask(dns, 'A a.acme.test')
    await probed(dns)
    clock.advance(1_999)
    await ask(dns, 'A b.acme.test')
    await probed(dns)
    expect(first.questions).toEqual([PROBE])
    clock.advance(1)
    await ask(dns, 'A c.acme.test')
    await probed(dns)
    expect(first.questions).toEqual([PROBE, PROBE])
  })

  test('a resolver without a second is asked as soon as its probe succeeds', async () => {
    const server = await startServer()
    const clock = createClock()
    const dns = createDns([server], { clock })
    server.respond = fail
    for (const question of names(5)) await ask(dns, question)
    await health(dns)
    clock.advance(1_000)
    server.respond = (exchange) => exchange.send()
    expect(await ask(dns, 'A acme.test')).toMatchObject(from(server))
    expect(server.questions.slice(-2)).toEqual([PROBE, 'A acme.test'])
  })

  test('names that never resolve say nothing against the resolver', async () => {
    const server = await startServer()
    const dns = createDns([server])
    server.respond = (exchange) => {
      exchange.packet.writeUInt8(0x82, 3)
      exchange.send()
    }
    for (const question of names(8)) {
      expect(await ask(dns, question)).toMatchObject({ kind: 'failed', reason: 'servfail' })
    }
    expect(server.questions).toEqual(names(8))
  })

  test('a resolver that only hangs is found out, though the hedge always wins', async () => {
    holdTimers()
    const [first, second] = [await startServer(), await startServer()]
    const nextQuestion = holdQuestions(first)
    const dns = createDns([first, second], { hedgeAfterMs: 10, questionTimeoutMs: 1_500 })
    for (const question of names(5)) {
      const answer = ask(dns, question)
      expect((await nextQuestion()).question).toBe(question)
      vi.advanceTimersByTime(10)
      expect(await answer).toMatchObject(from(second))
    }
    vi.advanceTimersByTime(1_500)
    // The fifth silence is answered with a probe: from now on it is known.
    expect((await nextQuestion()).question).toBe(PROBE)
    expect(await ask(dns, 'A acme.test')).toMatchObject(from(second))
    expect(first.questions).toEqual([...names(5), PROBE])
  })
})

describe('an overrun resolver', () => {
  const overrun =
    (retryAfter: string, status = 429) =>
    ({ response }: Exchange) => {
      response.writeHead(status, { 'retry-after': retryAfter }).end()
    }
  async function setUp(respond: DohServer['respond']) {
    const [first, second] = [await startServer(), await startServer()]
    const clock = createClock()
    const dns = createDns([first, second], { clock })
    first.respond = respond
    expect(await ask(dns, 'A a.acme.test')).toMatchObject(from(second))
    first.respond = (exchange) => exchange.send()
    return { first, second, clock, dns }
  }

  test.each(PROTOCOLS)('is not asked again until its time has passed (%s)', async (protocol) => {
    const server = await startServer(protocol)
    const clock = createClock()
    const dns = createDns([server], { clock })
    server.respond = overrun('7')
    expect(await ask(dns, 'A a.acme.test')).toMatchObject({ reason: 'http-status' })
    server.respond = (exchange) => exchange.send()

    clock.advance(6_999)
    expect(await ask(dns, 'A b.acme.test')).toMatchObject({ kind: 'failed', reason: 'http-status' })
    expect(server.questions).toEqual(['A a.acme.test'])
    clock.advance(1)
    expect(await ask(dns, 'A c.acme.test')).toMatchObject(from(server))
  })

  test('may ask for rest with any server error, and is asked again at once if it does not', async () => {
    const resting = await setUp(overrun('7', 500))
    expect(await ask(resting.dns, 'A b.acme.test')).toMatchObject(from(resting.second))
    const merelyFailing = await setUp(fail)
    expect(await ask(merelyFailing.dns, 'A b.acme.test')).toMatchObject(from(merelyFailing.first))
  })

  test('hands over to the second while it rests', async () => {
    const { first, second, clock, dns } = await setUp(overrun('7'))
    expect(await ask(dns, 'A b.acme.test')).toMatchObject(from(second))
    clock.advance(7_000)
    expect(await ask(dns, 'A c.acme.test')).toMatchObject(from(first))
    expect(first.questions).toEqual(['A a.acme.test', 'A c.acme.test'])
  })

  test('may give a date', async () => {
    const inNineSeconds = new Date(createClock().today() + 9_000).toUTCString()
    const { first, second, clock, dns } = await setUp(overrun(inNineSeconds, 503))
    clock.advance(8_000)
    expect(await ask(dns, 'A b.acme.test')).toMatchObject(from(second))
    clock.advance(1_000)
    expect(await ask(dns, 'A c.acme.test')).toMatchObject(from(first))
  })

  test('is not probed either, though all of many questions at once were too many', async () => {
    const server = await startServer()
    const clock = createClock()
    const dns = createDns([server], { clock })
    server.respond = overrun('7')
    await Promise.all(names(20).map((question) => ask(dns, question)))
    expect(await health(dns)).toEqual([{ name: server.url.host, isAnswering: false }])
    expect([...server.questions].sort()).toEqual(names(20).sort())

    clock.advance(7_000)
    server.respond = (exchange) => exchange.send()
    expect(await ask(dns, 'A acme.test')).toMatchObject(from(server))
    expect(server.questions.slice(20)).toEqual([PROBE, 'A acme.test'])
  })

  test('that says nothing of time is left alone for a second', async () => {
    const { first, second, clock, dns } = await setUp(({ response }) => {
      response.writeHead(429).end()
    })
    clock.advance(999)
    expect(await ask(dns, 'A b.acme.test')).toMatchObject(from(second))
    clock.advance(1)
    expect(await ask(dns, 'A c.acme.test')).toMatchObject(from(first))
  })

  test('is not asked by a question that was waiting to', async () => {
    const [first, second, third] = [await startServer(), await startServer(), await startServer()]
    const dns = createDns([first, second, third], { clock: createClock() })
    const nextQuestion = holdQuestions(first)
    const waiting = ask(dns, 'A waiting.acme.test')
    const held = await nextQuestion()
    first.respond = fail
    second.respond = overrun('7')
    expect(await ask(dns, 'A other.acme.test')).toMatchObject(from(third))
    fail(held)
    expect(await waiting).toMatchObject(from(third))
    expect(second.questions).toEqual(['A other.acme.test'])
  })
})

describe('health', () => {
  test('is told by asking, and for a while by the last answer', async () => {
    const server = await startServer()
    const clock = createClock()
    const dns = createDns([server], { clock })
    const healthy = [{ name: server.url.host, isAnswering: true }]
    expect(await health(dns)).toEqual(healthy)
    expect(await health(dns)).toEqual(healthy)
    expect(server.questions).toEqual([PROBE])
    clock.advance(5_000)
    server.respond = fail
    expect(await health(dns)).toEqual([{ name: server.url.host, isAnswering: false }])
    expect(server.questions).toEqual([PROBE, PROBE])
  })

  test('is asked for once, however many want to know', async () => {
    const server = await startServer()
    const dns = createDns([server])
    await Promise.all(Array.from({ length: 100 }, () => health(dns)))
    expect(server.questions).toEqual([PROBE])
  })

  test.each([
    ['SERVFAIL, and cannot find the root', 2, false],
    ['REFUSED, since it knows only zones of its own', 5, true],
  ])('of a resolver that says %s', async (_, rcode, isAnswering) => {
    const server = await startServer()
    server.respond = ({ send }) => send(response('NS .', { rcode }))
    expect(await health(createDns([server]))).toEqual([{ name: server.url.host, isAnswering }])
  })
})
