/** Connections that break, are shared, and are closed. */
import { once } from 'node:events'
import { constants } from 'node:http2'
import { type AddressInfo, createServer, type LookupFunction, type Socket } from 'node:net'
import { type DohProtocol, holdQueries } from '@mailgrade/testing/doh-server'
import { startFreezableProxy } from '@mailgrade/testing/freezable-proxy'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  createClosedServer,
  createFixtureDns,
  DOH_PROTOCOLS,
  distinctQueries,
  FIXTURE_RECORDS,
  freezeTimeouts,
  queryDns,
  readResolverHealth,
  startFixtureResolver,
} from './support/doh-fixture.js'

const HTTP1: DohProtocol[] = ['http/1.1 over TLS', 'http/1.1']

describe('no connection', () => {
  test('nobody listens: unreachable, and it says why', async () => {
    expect(
      await queryDns(createFixtureDns([await createClosedServer()]), 'A acme.test'),
    ).toMatchObject({
      kind: 'failed',
      reason: 'unreachable',
      detail: expect.stringContaining('ECONNREFUSED'),
    })
  })

  test('nobody listens at any of its addresses', async () => {
    const lookup: LookupFunction = (_host, _options, found) =>
      found(null, [
        { address: '127.0.0.1', family: 4 },
        { address: '127.0.0.2', family: 4 },
      ])
    const dns = createFixtureDns([await createClosedServer()], { tls: { lookup } })
    expect(await queryDns(dns, 'A acme.test')).toMatchObject({
      kind: 'failed',
      reason: 'unreachable',
      detail: expect.stringContaining('ECONNREFUSED'),
    })
  })

  test('nobody listens, without TLS', async () => {
    const { url } = await createClosedServer()
    const plain = { url: new URL(url.href.replace('https:', 'http:')) }
    expect(await queryDns(createFixtureDns([plain]), 'A acme.test')).toMatchObject({
      kind: 'failed',
      reason: 'unreachable',
      detail: expect.stringContaining('ECONNREFUSED'),
    })
  })

  test.each<DohProtocol>(['h2', 'http/1.1 over TLS'])(
    'a certificate from an authority we do not know: not a word is said (%s)',
    async (protocol) => {
      const server = await startFixtureResolver(protocol)
      expect(await queryDns(createFixtureDns([server], { tls: {} }), 'A acme.test')).toMatchObject({
        kind: 'failed',
        reason: 'unreachable',
        detail: expect.stringContaining('certificate'),
      })
      expect(server.queries).toEqual([])
    },
  )

  test('a server that does not speak TLS', async () => {
    const server = await startFixtureResolver('http/1.1')
    const wrong = { url: new URL(server.url.href.replace('http:', 'https:')) }
    expect(await queryDns(createFixtureDns([wrong]), 'A acme.test')).toMatchObject({
      kind: 'failed',
      reason: 'unreachable',
    })
  })

  test('a server that accepts and then says nothing: a time-out, and nothing stays open', async () => {
    freezeTimeouts()
    const { url, nextSocket } = await startSilence()
    const dns = createFixtureDns([{ url }], { queryTimeoutMs: 50 })
    const answer = queryDns(dns, 'A acme.test')
    const socket = await nextSocket()
    const closed = once(socket, 'close')
    vi.advanceTimersByTime(50)
    expect(await answer).toMatchObject({ kind: 'failed', reason: 'timeout' })
    await closed
  })
})

/** A server that accepts connections and never says a word. */
async function startSilence() {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.resume()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const nextSocket = async () => ((await once(server, 'connection')) as [Socket])[0]
  return { url: new URL(`https://127.0.0.1:${port}/dns-query`), nextSocket }
}

describe('one HTTP/2 session', () => {
  test('carries a hundred questions at once', async () => {
    const server = await startFixtureResolver()
    const dns = createFixtureDns([server])
    const answers = await Promise.all(
      distinctQueries(100).map((question) => queryDns(dns, question)),
    )
    expect(answers.map((answer) => answer.kind === 'records' && answer.records)).toEqual(
      Array(100).fill(FIXTURE_RECORDS),
    )
    expect([...server.queries].sort()).toEqual(distinctQueries(100).sort())
    expect(server.connections()).toBe(1)
  })

  test('told to go away, still answers what is under way; the next question opens another', async () => {
    const server = await startFixtureResolver()
    const nextQuestion = holdQueries(server)
    const dns = createFixtureDns([server])
    const [slow, quick] = [queryDns(dns, 'A slow.acme.test'), queryDns(dns, 'A quick.acme.test')]
    const [first, second] = [await nextQuestion(), await nextQuestion()]
    first.stream.session?.goaway()
    // Whoever has this answer has heard the GOAWAY before it.
    second.send()
    expect(await quick).toMatchObject({ records: FIXTURE_RECORDS })

    const after = queryDns(dns, 'A after.acme.test')
    const third = await nextQuestion()
    expect(third.stream.session).not.toBe(first.stream.session)
    third.send()
    expect(await after).toMatchObject({ records: FIXTURE_RECORDS })
    first.send()
    expect(await slow).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.queries).toEqual(['A slow.acme.test', 'A quick.acme.test', 'A after.acme.test'])
    expect(server.connections()).toBe(2)
  })

  test('told to go away because of an error, has its questions asked again elsewhere', async () => {
    const server = await startFixtureResolver()
    const nextQuestion = holdQueries(server)
    const answer = queryDns(createFixtureDns([server]), 'A acme.test')
    ;(await nextQuestion()).stream.session?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM)
    ;(await nextQuestion()).send()
    expect(await answer).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.connections()).toBe(2)
  })

  test('killed in the middle of questions, has them all answered over a new one', async () => {
    const server = await startFixtureResolver()
    const nextQuestion = holdQueries(server)
    const dns = createFixtureDns([server])
    const answers = distinctQueries(10).map((question) => queryDns(dns, question))
    for (const _ of answers) await nextQuestion()
    server.respond = (exchange) => exchange.send()
    server.dropConnections()
    for (const answer of answers) expect(await answer).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.connections()).toBe(2)
  })

  test('killed in the middle of an answer, has the question answered over a new one', async () => {
    const server = await startFixtureResolver()
    const nextQuestion = holdQueries(server)
    const answer = queryDns(createFixtureDns([server]), 'A acme.test')
    const first = await nextQuestion()
    first
      .startResponse({ 'content-length': first.packet.length })
      .write(first.packet.subarray(0, 20), () => server.dropConnections())
    ;(await nextQuestion()).send()
    expect(await answer).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.connections()).toBe(2)
  })

  test('killed by every question: asked twice, then given up', async () => {
    const server = await startFixtureResolver()
    server.respond = () => server.dropConnections()
    const dns = createFixtureDns([server])
    expect(await queryDns(dns, 'A acme.test')).toMatchObject({
      kind: 'failed',
      reason: 'unreachable',
    })
    expect(server.queries).toEqual(['A acme.test', 'A acme.test'])
    expect(server.connections()).toBe(2)
  })

  test('closed while idle, is replaced', async () => {
    const server = await startFixtureResolver()
    const dns = createFixtureDns([server])
    await queryDns(dns, 'A a.acme.test')
    server.dropConnections()
    await server.allClosed()
    expect(await queryDns(dns, 'A b.acme.test')).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.queries).toEqual(['A a.acme.test', 'A b.acme.test'])
  })
})

describe('an HTTP/2 session that falls silent', () => {
  const QUESTION_MS = 20_000
  const PING_MS = 1_000

  test('is taken for dead when it does not answer a ping, and replaced', async () => {
    const server = await startFixtureResolver()
    const relay = await startFreezableProxy(server)
    const dns = createFixtureDns([relay])
    await queryDns(dns, 'A a.acme.test')
    freezeTimeouts()
    relay.freeze()
    const lost = queryDns(dns, 'A b.acme.test')
    vi.advanceTimersByTime(QUESTION_MS)
    expect(await lost).toMatchObject({ kind: 'failed', reason: 'timeout' })
    // Who asks meanwhile is not lost: the question moves to the new connection.
    const meanwhile = queryDns(dns, 'A c.acme.test')
    vi.advanceTimersByTime(PING_MS)
    expect(await meanwhile).toMatchObject({ records: FIXTURE_RECORDS })
    expect(relay.connections()).toBe(2)
    expect(server.queries).toEqual(['A a.acme.test', 'A c.acme.test'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('stays when it answers the ping: only the question was slow', async () => {
    const server = await startFixtureResolver()
    const relay = await startFreezableProxy(server)
    const nextQuestion = holdQueries(server)
    freezeTimeouts()
    const dns = createFixtureDns([relay])
    const slow = queryDns(dns, 'A slow.acme.test')
    const { outcome } = await nextQuestion()
    vi.advanceTimersByTime(QUESTION_MS)
    expect(await slow).toMatchObject({ kind: 'failed', reason: 'timeout' })
    expect(await outcome).toBe('cancelled')
    server.respond = (exchange) => exchange.send()
    // The ping went out before this question, so it is answered before it.
    await queryDns(dns, 'A a.acme.test')
    expect(vi.getTimerCount()).toBe(0)
    vi.advanceTimersByTime(PING_MS)
    expect(await queryDns(dns, 'A b.acme.test')).toMatchObject({ records: FIXTURE_RECORDS })
    expect(relay.connections()).toBe(1)

    // And is suspected anew when it falls silent another time.
    relay.freeze()
    const lost = queryDns(dns, 'A c.acme.test')
    vi.advanceTimersByTime(QUESTION_MS)
    await lost
    vi.advanceTimersByTime(PING_MS)
    expect(await queryDns(dns, 'A d.acme.test')).toMatchObject({ records: FIXTURE_RECORDS })
    expect(relay.connections()).toBe(2)
  })

  test('is closed with everything else, ping or no ping', async () => {
    const relay = await startFreezableProxy(await startFixtureResolver())
    const dns = createFixtureDns([relay])
    await queryDns(dns, 'A a.acme.test')
    freezeTimeouts()
    relay.freeze()
    const lost = distinctQueries(3).map((question) => queryDns(dns, question))
    vi.advanceTimersByTime(QUESTION_MS)
    await Promise.all(lost)
    // One ping for all three.
    expect(vi.getTimerCount()).toBe(1)
    dns.close()
    await relay.allClosed()
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe.each(HTTP1)('a kept-alive connection (%s)', (protocol) => {
  test('carries one question after the other', async () => {
    const server = await startFixtureResolver(protocol)
    const dns = createFixtureDns([server])
    await queryDns(dns, 'A a.acme.test')
    const connections = server.connections()
    for (const question of distinctQueries(5)) await queryDns(dns, question)
    expect(server.connections()).toBe(connections)
  })

  test('that dies under a question has it asked again over a new one', async () => {
    const server = await startFixtureResolver(protocol)
    const dns = createFixtureDns([server])
    await queryDns(dns, 'A a.acme.test')
    const nextQuestion = holdQueries(server)
    const answer = queryDns(dns, 'A b.acme.test')
    await nextQuestion()
    server.dropConnections()
    ;(await nextQuestion()).send()
    expect(await answer).toMatchObject({ records: FIXTURE_RECORDS })
  })

  test('when every question kills it: never asked more than twice', async () => {
    const server = await startFixtureResolver(protocol)
    const dns = createFixtureDns([server])
    await queryDns(dns, 'A a.acme.test')
    server.respond = () => server.dropConnections()
    const unreachable = { kind: 'failed', reason: 'unreachable' }
    expect(await queryDns(dns, 'A b.acme.test')).toMatchObject(unreachable)
    expect(server.queries.slice(1)).toEqual(['A b.acme.test', 'A b.acme.test'])
    // No kept-alive connection is left, so a new one's death cannot be blamed on its age.
    expect(await queryDns(dns, 'A c.acme.test')).toMatchObject(unreachable)
    expect(server.queries.slice(3)).toEqual(['A c.acme.test'])
  })

  test('is one of at most 64 for a hundred questions', async () => {
    const server = await startFixtureResolver(protocol)
    const nextQuestion = holdQueries(server)
    const dns = createFixtureDns([server])
    const answers = distinctQueries(100).map((question) => queryDns(dns, question))
    const held = await Promise.all(Array.from({ length: 64 }, nextQuestion))
    expect(server.queries).toHaveLength(64)
    server.respond = (exchange) => exchange.send()
    for (const exchange of held) exchange.send()
    for (const answer of answers) expect(await answer).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.queries).toHaveLength(100)
  })
})

describe.each(DOH_PROTOCOLS)('over %s', (protocol) => {
  test('fifty equal questions at once are one to the resolver', async () => {
    const server = await startFixtureResolver(protocol)
    const dns = createFixtureDns([server])
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => queryDns(dns, 'A acme.test')),
    )
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.queries).toEqual(['A acme.test'])
  })

  test('however a name is spelt, it is the same question', async () => {
    const server = await startFixtureResolver(protocol)
    const dns = createFixtureDns([server])
    const spellings = ['A acme.test', 'A ACME.test.', 'A \\097cme.test']
    const answers = await Promise.all(spellings.map((question) => queryDns(dns, question)))
    for (const answer of answers) expect(answer).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.queries).toEqual(['A acme.test'])
  })

  test('what is no name is not asked for', async () => {
    const server = await startFixtureResolver(protocol)
    expect(await queryDns(createFixtureDns([server]), 'A acme..test')).toMatchObject({
      kind: 'failed',
      reason: 'bad-name',
      resolver: null,
    })
    expect(server.connections()).toBe(0)
  })

  test('closing closes what is idle', async () => {
    const server = await startFixtureResolver(protocol)
    const dns = createFixtureDns([server])
    await queryDns(dns, 'A acme.test')
    dns.close()
    dns.close()
    await server.allClosed()
  })

  test('closing ends what is under way, and leaves neither timer nor connection', async () => {
    freezeTimeouts()
    const server = await startFixtureResolver(protocol)
    const nextQuestion = holdQueries(server)
    const dns = createFixtureDns([server])
    // More than HTTP/1.1 has connections for, so that some have not even been sent.
    const answers = distinctQueries(100).map((question) => queryDns(dns, question))
    const held = await Promise.all(Array.from({ length: 64 }, nextQuestion))
    const connections = server.connections()

    dns.close()

    for (const answer of answers) {
      expect(await answer).toMatchObject({ kind: 'failed', reason: 'unreachable' })
    }
    for (const { outcome } of held) expect(await outcome).toBe('cancelled')
    await server.allClosed()
    expect(vi.getTimerCount()).toBe(0)
    expect(server.connections()).toBe(connections)
  })

  test('closing is final', async () => {
    const server = await startFixtureResolver(protocol)
    const dns = createFixtureDns([server])
    await queryDns(dns, 'A a.acme.test')
    const connections = server.connections()
    dns.close()
    expect(await queryDns(dns, 'A b.acme.test')).toMatchObject({
      kind: 'failed',
      reason: 'unreachable',
      detail: `${server.url.host}: the connection was closed by the client`,
    })
    await server.allClosed()
    expect(server.connections()).toBe(connections)
    expect(server.queries).toEqual(['A a.acme.test'])
  })
})

describe('closing', () => {
  test('closes the connections to every resolver', async () => {
    const servers = [await startFixtureResolver(), await startFixtureResolver()]
    const dns = createFixtureDns(servers)
    await readResolverHealth(dns)
    expect(servers.map((server) => server.connections())).toEqual([1, 1])
    dns.close()
    for (const server of servers) await server.allClosed()
  })

  test('ends a session that was told to go away and still owes an answer', async () => {
    freezeTimeouts()
    const server = await startFixtureResolver()
    const nextQuestion = holdQueries(server)
    const dns = createFixtureDns([server])
    const [slow, quick] = [queryDns(dns, 'A slow.acme.test'), queryDns(dns, 'A quick.acme.test')]
    const [first, second] = [await nextQuestion(), await nextQuestion()]
    first.stream.session?.goaway()
    second.send()
    await quick
    const after = queryDns(dns, 'A after.acme.test')
    await nextQuestion()

    dns.close()

    expect(await slow).toMatchObject({ kind: 'failed', reason: 'unreachable' })
    expect(await after).toMatchObject({ kind: 'failed', reason: 'unreachable' })
    await server.allClosed()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('does not wait for a connection that is still being made', async () => {
    freezeTimeouts()
    const { url, nextSocket } = await startSilence()
    const dns = createFixtureDns([{ url }])
    const answer = queryDns(dns, 'A acme.test')
    const closed = once(await nextSocket(), 'close')
    dns.close()
    expect(await answer).toMatchObject({ kind: 'failed', reason: 'unreachable' })
    await closed
    expect(vi.getTimerCount()).toBe(0)
  })
})
