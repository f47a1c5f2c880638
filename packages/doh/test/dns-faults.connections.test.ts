/** Connections that break, are shared, and are closed. */
import { once } from 'node:events'
import { constants } from 'node:http2'
import { type AddressInfo, createServer, type LookupFunction, type Socket } from 'node:net'
import { holdQuestions, type Protocol } from '@mailgrade/testing/doh-server'
import { startRelay } from '@mailgrade/testing/relay'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  ADDRESS,
  ask,
  createDns,
  health,
  holdTimers,
  names,
  PROTOCOLS,
  startNobody,
  startServer,
} from './support/doh-story.js'

const HTTP1: Protocol[] = ['http/1.1 over TLS', 'http/1.1']

describe('no connection', () => {
  test('nobody listens: unreachable, and it says why', async () => {
    expect(await ask(createDns([await startNobody()]), 'A acme.test')).toMatchObject({
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
    const dns = createDns([await startNobody()], { tls: { lookup } })
    expect(await ask(dns, 'A acme.test')).toMatchObject({
      kind: 'failed',
      reason: 'unreachable',
      detail: expect.stringContaining('ECONNREFUSED'),
    })
  })

  test('nobody listens, without TLS', async () => {
    const { url } = await startNobody()
    const plain = { url: new URL(url.href.replace('https:', 'http:')) }
    expect(await ask(createDns([plain]), 'A acme.test')).toMatchObject({
      kind: 'failed',
      reason: 'unreachable',
      detail: expect.stringContaining('ECONNREFUSED'),
    })
  })

  test.each<Protocol>(['h2', 'http/1.1 over TLS'])(
    'a certificate from an authority we do not know: not a word is said (%s)',
    async (protocol) => {
      const server = await startServer(protocol)
      expect(await ask(createDns([server], { tls: {} }), 'A acme.test')).toMatchObject({
        kind: 'failed',
        reason: 'unreachable',
        detail: expect.stringContaining('certificate'),
      })
      expect(server.questions).toEqual([])
    },
  )

  test('a server that does not speak TLS', async () => {
    const server = await startServer('http/1.1')
    const wrong = { url: new URL(server.url.href.replace('http:', 'https:')) }
    expect(await ask(createDns([wrong]), 'A acme.test')).toMatchObject({
      kind: 'failed',
      reason: 'unreachable',
    })
  })

  test('a server that accepts and then says nothing: a time-out, and nothing stays open', async () => {
    holdTimers()
    const { url, nextSocket } = await startSilence()
    const dns = createDns([{ url }], { questionTimeoutMs: 50 })
    const answer = ask(dns, 'A acme.test')
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
    const server = await startServer()
    const dns = createDns([server])
    const answers = await Promise.all(names(100).map((question) => ask(dns, question)))
    expect(answers.map((answer) => answer.kind === 'records' && answer.records)).toEqual(
      Array(100).fill(ADDRESS),
    )
    expect([...server.questions].sort()).toEqual(names(100).sort())
    expect(server.connections()).toBe(1)
  })

  test('told to go away, still answers what is under way; the next question opens another', async () => {
    const server = await startServer()
    const nextQuestion = holdQuestions(server)
    const dns = createDns([server])
    const [slow, quick] = [ask(dns, 'A slow.acme.test'), ask(dns, 'A quick.acme.test')]
    const [first, second] = [await nextQuestion(), await nextQuestion()]
    first.stream.session?.goaway()
    // Whoever has this answer has heard the GOAWAY before it.
    second.send()
    expect(await quick).toMatchObject({ records: ADDRESS })

    const after = ask(dns, 'A after.acme.test')
    const third = await nextQuestion()
    expect(third.stream.session).not.toBe(first.stream.session)
    third.send()
    expect(await after).toMatchObject({ records: ADDRESS })
    first.send()
    expect(await slow).toMatchObject({ records: ADDRESS })
    expect(server.questions).toEqual(['A slow.acme.test', 'A quick.acme.test', 'A after.acme.test'])
    expect(server.connections()).toBe(2)
  })

  test('told to go away because of an error, has its questions asked again elsewhere', async () => {
    const server = await startServer()
    const nextQuestion = holdQuestions(server)
    const answer = ask(createDns([server]), 'A acme.test')
    ;(await nextQuestion()).stream.session?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM)
    ;(await nextQuestion()).send()
    expect(await answer).toMatchObject({ records: ADDRESS })
    expect(server.connections()).toBe(2)
  })

  test('killed in the middle of questions, has them all answered over a new one', async () => {
    const server = await startServer()
    const nextQuestion = holdQuestions(server)
    const dns = createDns([server])
    const answers = names(10).map((question) => ask(dns, question))
    for (const _ of answers) await nextQuestion()
    server.respond = (exchange) => exchange.send()
    server.dropConnections()
    for (const answer of answers) expect(await answer).toMatchObject({ records: ADDRESS })
    expect(server.connections()).toBe(2)
  })

  test('killed in the middle of an answer, has the question answered over a new one', async () => {
    const server = await startServer()
    const nextQuestion = holdQuestions(server)
    const answer = ask(createDns([server]), 'A acme.test')
    const first = await nextQuestion()
    first
      .begin({ 'content-length': first.packet.length })
      .write(first.packet.subarray(0, 20), () => server.dropConnections())
    ;(await nextQuestion()).send()
    expect(await answer).toMatchObject({ records: ADDRESS })
    expect(server.connections()).toBe(2)
  })

  test('killed by every question: asked twice, then given up', async () => {
    const server = await startServer()
    server.respond = () => server.dropConnections()
    const dns = createDns([server])
    expect(await ask(dns, 'A acme.test')).toMatchObject({ kind: 'failed', reason: 'unreachable' })
    expect(server.questions).toEqual(['A acme.test', 'A acme.test'])
    expect(server.connections()).toBe(2)
  })

  test('closed while idle, is replaced', async () => {
    const server = await startServer()
    const dns = createDns([server])
    await ask(dns, 'A a.acme.test')
    server.dropConnections()
    await server.allClosed()
    expect(await ask(dns, 'A b.acme.test')).toMatchObject({ records: ADDRESS })
    expect(server.questions).toEqual(['A a.acme.test', 'A b.acme.test'])
  })
})

describe('an HTTP/2 session that falls silent', () => {
  const QUESTION_MS = 20_000
  const PING_MS = 1_000

  test('is taken for dead when it does not answer a ping, and replaced', async () => {
    const server = await startServer()
    const relay = await startRelay(server)
    const dns = createDns([relay])
    await ask(dns, 'A a.acme.test')
    holdTimers()
    relay.freeze()
    const lost = ask(dns, 'A b.acme.test')
    vi.advanceTimersByTime(QUESTION_MS)
    expect(await lost).toMatchObject({ kind: 'failed', reason: 'timeout' })
    // Who asks meanwhile is not lost: the question moves to the new connection.
    const meanwhile = ask(dns, 'A c.acme.test')
    vi.advanceTimersByTime(PING_MS)
    expect(await meanwhile).toMatchObject({ records: ADDRESS })
    expect(relay.connections()).toBe(2)
    expect(server.questions).toEqual(['A a.acme.test', 'A c.acme.test'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('stays when it answers the ping: only the question was slow', async () => {
    const server = await startServer()
    const relay = await startRelay(server)
    const nextQuestion = holdQuestions(server)
    holdTimers()
    const dns = createDns([relay])
    const slow = ask(dns, 'A slow.acme.test')
    const { ending } = await nextQuestion()
    vi.advanceTimersByTime(QUESTION_MS)
    expect(await slow).toMatchObject({ kind: 'failed', reason: 'timeout' })
    expect(await ending).toBe('cancelled')
    server.respond = (exchange) => exchange.send()
    // The ping went out before this question, so it is answered before it.
    await ask(dns, 'A a.acme.test')
    expect(vi.getTimerCount()).toBe(0)
    vi.advanceTimersByTime(PING_MS)
    expect(await ask(dns, 'A b.acme.test')).toMatchObject({ records: ADDRESS })
    expect(relay.connections()).toBe(1)

    // And is suspected anew when it falls silent another time.
    relay.freeze()
    const lost = ask(dns, 'A c.acme.test')
    vi.advanceTimersByTime(QUESTION_MS)
    await lost
    vi.advanceTimersByTime(PING_MS)
    expect(await ask(dns, 'A d.acme.test')).toMatchObject({ records: ADDRESS })
    expect(relay.connections()).toBe(2)
  })

  test('is closed with everything else, ping or no ping', async () => {
    const relay = await startRelay(await startServer())
    const dns = createDns([relay])
    await ask(dns, 'A a.acme.test')
    holdTimers()
    relay.freeze()
    const lost = names(3).map((question) => ask(dns, question))
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
    const server = await startServer(protocol)
    const dns = createDns([server])
    await ask(dns, 'A a.acme.test')
    const connections = server.connections()
    for (const question of names(5)) await ask(dns, question)
    expect(server.connections()).toBe(connections)
  })

  test('that dies under a question has it asked again over a new one', async () => {
    const server = await startServer(protocol)
    const dns = createDns([server])
    await ask(dns, 'A a.acme.test')
    const nextQuestion = holdQuestions(server)
    const answer = ask(dns, 'A b.acme.test')
    await nextQuestion()
    server.dropConnections()
    ;(await nextQuestion()).send()
    expect(await answer).toMatchObject({ records: ADDRESS })
  })

  test('when every question kills it: never asked more than twice', async () => {
    const server = await startServer(protocol)
    const dns = createDns([server])
    await ask(dns, 'A a.acme.test')
    server.respond = () => server.dropConnections()
    const unreachable = { kind: 'failed', reason: 'unreachable' }
    expect(await ask(dns, 'A b.acme.test')).toMatchObject(unreachable)
    expect(server.questions.slice(1)).toEqual(['A b.acme.test', 'A b.acme.test'])
    // No kept-alive connection is left, so a new one's death cannot be blamed on its age.
    expect(await ask(dns, 'A c.acme.test')).toMatchObject(unreachable)
    expect(server.questions.slice(3)).toEqual(['A c.acme.test'])
  })

  test('is one of at most 64 for a hundred questions', async () => {
    const server = await startServer(protocol)
    const nextQuestion = holdQuestions(server)
    const dns = createDns([server])
    const answers = names(100).map((question) => ask(dns, question))
    const held = await Promise.all(Array.from({ length: 64 }, nextQuestion))
    expect(server.questions).toHaveLength(64)
    server.respond = (exchange) => exchange.send()
    for (const exchange of held) exchange.send()
    for (const answer of answers) expect(await answer).toMatchObject({ records: ADDRESS })
    expect(server.questions).toHaveLength(100)
  })
})

describe.each(PROTOCOLS)('over %s', (protocol) => {
  test('fifty equal questions at once are one to the resolver', async () => {
    const server = await startServer(protocol)
    const dns = createDns([server])
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(dns, 'A acme.test')))
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toMatchObject({ records: ADDRESS })
    expect(server.questions).toEqual(['A acme.test'])
  })

  test('however a name is spelt, it is the same question', async () => {
    const server = await startServer(protocol)
    const dns = createDns([server])
    const spellings = ['A acme.test', 'A ACME.test.', 'A \\097cme.test']
    const answers = await Promise.all(spellings.map((question) => ask(dns, question)))
    for (const answer of answers) expect(answer).toMatchObject({ records: ADDRESS })
    expect(server.questions).toEqual(['A acme.test'])
  })

  test('what is no name is not asked for', async () => {
    const server = await startServer(protocol)
    expect(await ask(createDns([server]), 'A acme..test')).toMatchObject({
      kind: 'failed',
      reason: 'bad-name',
      resolver: null,
    })
    expect(server.connections()).toBe(0)
  })

  test('closing closes what is idle', async () => {
    const server = await startServer(protocol)
    const dns = createDns([server])
    await ask(dns, 'A acme.test')
    dns.close()
    dns.close()
    await server.allClosed()
  })

  test('closing ends what is under way, and leaves neither timer nor connection', async () => {
    holdTimers()
    const server = await startServer(protocol)
    const nextQuestion = holdQuestions(server)
    const dns = createDns([server])
    // More than HTTP/1.1 has connections for, so that some have not even been sent.
    const answers = names(100).map((question) => ask(dns, question))
    const held = await Promise.all(Array.from({ length: 64 }, nextQuestion))
    const connections = server.connections()

    dns.close()

    for (const answer of answers) {
      expect(await answer).toMatchObject({ kind: 'failed', reason: 'unreachable' })
    }
    for (const { ending } of held) expect(await ending).toBe('cancelled')
    await server.allClosed()
    expect(vi.getTimerCount()).toBe(0)
    expect(server.connections()).toBe(connections)
  })

  test('closing is final', async () => {
    const server = await startServer(protocol)
    const dns = createDns([server])
    await ask(dns, 'A a.acme.test')
    const connections = server.connections()
    dns.close()
    expect(await ask(dns, 'A b.acme.test')).toMatchObject({
      kind: 'failed',
      reason: 'unreachable',
      detail: `${server.url.host}: the connection was closed by us`,
    })
    await server.allClosed()
    expect(server.connections()).toBe(connections)
    expect(server.questions).toEqual(['A a.acme.test'])
  })
})

describe('closing', () => {
  test('closes the connections to every resolver', async () => {
    const servers = [await startServer(), await startServer()]
    const dns = createDns(servers)
    await health(dns)
    expect(servers.map((server) => server.connections())).toEqual([1, 1])
    dns.close()
    for (const server of servers) await server.allClosed()
  })

  test('ends a session that was told to go away and still owes an answer', async () => {
    holdTimers()
    const server = await startServer()
    const nextQuestion = holdQuestions(server)
    const dns = createDns([server])
    const [slow, quick] = [ask(dns, 'A slow.acme.test'), ask(dns, 'A quick.acme.test')]
    const [first, second] = [await nextQuestion(), await nextQuestion()]
    first.stream.session?.goaway()
    second.send()
    await quick
    const after = ask(dns, 'A after.acme.test')
    await nextQuestion()

    dns.close()

    expect(await slow).toMatchObject({ kind: 'failed', reason: 'unreachable' })
    expect(await after).toMatchObject({ kind: 'failed', reason: 'unreachable' })
    await server.allClosed()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('does not wait for a connection that is still being made', async () => {
    holdTimers()
    const { url, nextSocket } = await startSilence()
    const dns = createDns([{ url }])
    const answer = ask(dns, 'A acme.test')
    const closed = once(await nextSocket(), 'close')
    dns.close()
    expect(await answer).toMatchObject({ kind: 'failed', reason: 'unreachable' })
    await closed
    expect(vi.getTimerCount()).toBe(0)
  })
})
