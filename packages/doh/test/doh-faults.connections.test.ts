/** Connections that fail, are shared and are closed. */
import { once } from 'node:events'
import { constants } from 'node:http2'
import { type AddressInfo, createServer, type LookupFunction, type Socket } from 'node:net'
import { type DohProtocol, holdQueries } from '@mailgrade/testing/doh-server'
import { startFreezableProxy } from '@mailgrade/testing/freezable-proxy'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  allTimeoutsStopped,
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

describe('without a connection', () => {
  test('fails as unreachable with the reason when no server listens', async () => {
    expect(
      await queryDns(createFixtureDns([await createClosedServer()]), 'A acme.test'),
    ).toMatchObject({
      kind: 'failed',
      reason: 'unreachable',
      detail: expect.stringContaining('ECONNREFUSED'),
    })
  })

  test('fails as unreachable when every IP address refuses', async () => {
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

  test('fails as unreachable without TLS', async () => {
    const { url } = await createClosedServer()
    const plain = { url: new URL(url.href.replace('https:', 'http:')) }
    expect(await queryDns(createFixtureDns([plain]), 'A acme.test')).toMatchObject({
      kind: 'failed',
      reason: 'unreachable',
      detail: expect.stringContaining('ECONNREFUSED'),
    })
  })

  test.each<DohProtocol>(['h2', 'http/1.1 over TLS'])(
    'sends nothing to a server with an untrusted certificate (%s)',
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

  test('fails as unreachable when the server does not speak TLS', async () => {
    const server = await startFixtureResolver('http/1.1')
    const wrong = { url: new URL(server.url.href.replace('http:', 'https:')) }
    expect(await queryDns(createFixtureDns([wrong]), 'A acme.test')).toMatchObject({
      kind: 'failed',
      reason: 'unreachable',
    })
  })

  test('times out and closes the socket when the server never answers', async () => {
    freezeTimeouts()
    const { url, nextSocket } = await startSilentServer()
    const dns = createFixtureDns([{ url }], { queryTimeoutMs: 50 })
    const answer = queryDns(dns, 'A acme.test')
    const socket = await nextSocket()
    const closed = once(socket, 'close')
    vi.advanceTimersByTime(50)
    expect(await answer).toMatchObject({ kind: 'failed', reason: 'timeout' })
    await closed
  })
})

/** A server that accepts connections and never sends anything. */
async function startSilentServer() {
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

describe('one HTTP/2 connection', () => {
  test('carries 100 queries at once', async () => {
    const server = await startFixtureResolver()
    const dns = createFixtureDns([server])
    const answers = await Promise.all(distinctQueries(100).map((query) => queryDns(dns, query)))
    expect(answers.map((answer) => answer.kind === 'records' && answer.records)).toEqual(
      Array(100).fill(FIXTURE_RECORDS),
    )
    expect([...server.queries].sort()).toEqual(distinctQueries(100).sort())
    expect(server.connections()).toBe(1)
  })

  test('answers queries in flight after GOAWAY; the next query opens another connection', async () => {
    const server = await startFixtureResolver()
    const nextQuery = holdQueries(server)
    const dns = createFixtureDns([server])
    const [slow, quick] = [queryDns(dns, 'A slow.acme.test'), queryDns(dns, 'A quick.acme.test')]
    const [first, second] = [await nextQuery(), await nextQuery()]
    first.stream.session?.goaway()
    // The GOAWAY arrives before this answer.
    second.send()
    expect(await quick).toMatchObject({ records: FIXTURE_RECORDS })

    const after = queryDns(dns, 'A after.acme.test')
    const third = await nextQuery()
    expect(third.stream.session).not.toBe(first.stream.session)
    third.send()
    expect(await after).toMatchObject({ records: FIXTURE_RECORDS })
    first.send()
    expect(await slow).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.queries).toEqual(['A slow.acme.test', 'A quick.acme.test', 'A after.acme.test'])
    expect(server.connections()).toBe(2)
  })

  test('repeats queries after the last stream of a GOAWAY on another connection', async () => {
    const server = await startFixtureResolver()
    const nextQuery = holdQueries(server)
    const dns = createFixtureDns([server])
    const [kept, moved] = [queryDns(dns, 'A kept.acme.test'), queryDns(dns, 'A moved.acme.test')]
    const [first, second] = [await nextQuery(), await nextQuery()]
    first.stream.session?.goaway(constants.NGHTTP2_NO_ERROR, first.stream.id)
    const again = await nextQuery()
    expect(again.query).toBe('A moved.acme.test')
    expect(again.stream.session).not.toBe(second.stream.session)
    again.send()
    expect(await moved).toMatchObject({ records: FIXTURE_RECORDS })
    first.send()
    expect(await kept).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.connections()).toBe(2)
  })

  test('repeats queries on another connection after GOAWAY with an error', async () => {
    const server = await startFixtureResolver()
    const nextQuery = holdQueries(server)
    const answer = queryDns(createFixtureDns([server]), 'A acme.test')
    ;(await nextQuery()).stream.session?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM)
    ;(await nextQuery()).send()
    expect(await answer).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.connections()).toBe(2)
  })

  test('repeats all queries on a new connection when it is lost', async () => {
    const server = await startFixtureResolver()
    const nextQuery = holdQueries(server)
    const dns = createFixtureDns([server])
    const answers = distinctQueries(10).map((query) => queryDns(dns, query))
    for (const _ of answers) await nextQuery()
    server.respond = (exchange) => exchange.send()
    server.dropConnections()
    for (const answer of answers) expect(await answer).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.connections()).toBe(2)
  })

  test('repeats a query on a new connection when it is lost inside an answer', async () => {
    const server = await startFixtureResolver()
    const nextQuery = holdQueries(server)
    const answer = queryDns(createFixtureDns([server]), 'A acme.test')
    const first = await nextQuery()
    first
      .startResponse({ 'content-length': first.packet.length })
      .write(first.packet.subarray(0, 20), () => server.dropConnections())
    ;(await nextQuery()).send()
    expect(await answer).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.connections()).toBe(2)
  })

  test('fails after two attempts when every query loses the connection', async () => {
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

  test('is replaced when it was closed while idle', async () => {
    const server = await startFixtureResolver()
    const dns = createFixtureDns([server])
    await queryDns(dns, 'A a.acme.test')
    server.dropConnections()
    await server.allClosed()
    expect(await queryDns(dns, 'A b.acme.test')).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.queries).toEqual(['A a.acme.test', 'A b.acme.test'])
  })
})

describe('a silent HTTP/2 connection', () => {
  const QUERY_MS = 20_000
  const PING_MS = 1_000

  test('is replaced when it does not answer a PING', async () => {
    const server = await startFixtureResolver()
    const proxy = await startFreezableProxy(server)
    const dns = createFixtureDns([proxy])
    await queryDns(dns, 'A a.acme.test')
    freezeTimeouts()
    proxy.freeze()
    const lost = queryDns(dns, 'A b.acme.test')
    vi.advanceTimersByTime(QUERY_MS)
    expect(await lost).toMatchObject({ kind: 'failed', reason: 'timeout' })
    // A query sent in the meantime moves to the new connection.
    const meanwhile = queryDns(dns, 'A c.acme.test')
    vi.advanceTimersByTime(PING_MS)
    expect(await meanwhile).toMatchObject({ records: FIXTURE_RECORDS })
    expect(proxy.connections()).toBe(2)
    expect(server.queries).toEqual(['A a.acme.test', 'A c.acme.test'])
    await allTimeoutsStopped()
  })

  test('is kept when it answers the PING', async () => {
    const server = await startFixtureResolver()
    const proxy = await startFreezableProxy(server)
    const dns = createFixtureDns([proxy])
    await queryDns(dns, 'A first.acme.test')
    freezeTimeouts()
    const nextQuery = holdQueries(server)
    const slow = queryDns(dns, 'A slow.acme.test')
    const { outcome } = await nextQuery()
    vi.advanceTimersByTime(QUERY_MS)
    expect(await slow).toMatchObject({ kind: 'failed', reason: 'timeout' })
    expect(await outcome).toBe('cancelled')
    server.respond = (exchange) => exchange.send()
    // The PING was sent before this query, so it is answered before it.
    await queryDns(dns, 'A a.acme.test')
    expect(vi.getTimerCount()).toBe(0)
    vi.advanceTimersByTime(PING_MS)
    expect(await queryDns(dns, 'A b.acme.test')).toMatchObject({ records: FIXTURE_RECORDS })
    expect(proxy.connections()).toBe(1)

    // It is checked again when it falls silent again.
    proxy.freeze()
    const lost = queryDns(dns, 'A c.acme.test')
    vi.advanceTimersByTime(QUERY_MS)
    await lost
    vi.advanceTimersByTime(PING_MS)
    expect(await queryDns(dns, 'A d.acme.test')).toMatchObject({ records: FIXTURE_RECORDS })
    expect(proxy.connections()).toBe(2)
  })

  test('is closed by `close` while a PING is pending', async () => {
    const proxy = await startFreezableProxy(await startFixtureResolver())
    const dns = createFixtureDns([proxy])
    await queryDns(dns, 'A a.acme.test')
    freezeTimeouts()
    proxy.freeze()
    const lost = distinctQueries(3).map((query) => queryDns(dns, query))
    vi.advanceTimersByTime(QUERY_MS)
    await Promise.all(lost)
    // One PING for all three.
    expect(vi.getTimerCount()).toBe(1)
    dns.close()
    await proxy.allClosed()
    await allTimeoutsStopped()
  })
})

describe.each(HTTP1)('a keep-alive connection (%s)', (protocol) => {
  test('carries one query after another', async () => {
    const server = await startFixtureResolver(protocol)
    const dns = createFixtureDns([server])
    await queryDns(dns, 'A a.acme.test')
    const connections = server.connections()
    for (const query of distinctQueries(5)) await queryDns(dns, query)
    expect(server.connections()).toBe(connections)
  })

  test('is replaced and the query repeated when it is lost', async () => {
    const server = await startFixtureResolver(protocol)
    const dns = createFixtureDns([server])
    await queryDns(dns, 'A a.acme.test')
    const nextQuery = holdQueries(server)
    const answer = queryDns(dns, 'A b.acme.test')
    await nextQuery()
    server.dropConnections()
    ;(await nextQuery()).send()
    expect(await answer).toMatchObject({ records: FIXTURE_RECORDS })
  })

  test('fails after two attempts when every query loses it', async () => {
    const server = await startFixtureResolver(protocol)
    const dns = createFixtureDns([server])
    await queryDns(dns, 'A a.acme.test')
    server.respond = () => server.dropConnections()
    const unreachable = { kind: 'failed', reason: 'unreachable' }
    expect(await queryDns(dns, 'A b.acme.test')).toMatchObject(unreachable)
    expect(server.queries.slice(1)).toEqual(['A b.acme.test', 'A b.acme.test'])
    // No reused connection is left, so the loss is not blamed on its age.
    expect(await queryDns(dns, 'A c.acme.test')).toMatchObject(unreachable)
    expect(server.queries.slice(3)).toEqual(['A c.acme.test'])
  })

  test('is one of at most 64 for 100 queries', async () => {
    const server = await startFixtureResolver(protocol)
    const nextQuery = holdQueries(server)
    const dns = createFixtureDns([server])
    const answers = distinctQueries(100).map((query) => queryDns(dns, query))
    const held = await Promise.all(Array.from({ length: 64 }, nextQuery))
    expect(server.queries).toHaveLength(64)
    server.respond = (exchange) => exchange.send()
    for (const exchange of held) exchange.send()
    for (const answer of answers) expect(await answer).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.queries).toHaveLength(100)
  })
})

describe.each(DOH_PROTOCOLS)('over %s', (protocol) => {
  test('sends 50 equal queries once', async () => {
    const server = await startFixtureResolver(protocol)
    const dns = createFixtureDns([server])
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => queryDns(dns, 'A acme.test')),
    )
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.queries).toEqual(['A acme.test'])
  })

  test('treats all spellings of a name as one query', async () => {
    const server = await startFixtureResolver(protocol)
    const dns = createFixtureDns([server])
    const spellings = ['A acme.test', 'A ACME.test.', 'A \\097cme.test']
    const answers = await Promise.all(spellings.map((query) => queryDns(dns, query)))
    for (const answer of answers) expect(answer).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.queries).toEqual(['A acme.test'])
  })

  test('sends nothing for an invalid name', async () => {
    const server = await startFixtureResolver(protocol)
    expect(await queryDns(createFixtureDns([server]), 'A acme..test')).toMatchObject({
      kind: 'failed',
      reason: 'bad-name',
      resolver: null,
    })
    expect(server.connections()).toBe(0)
  })

  test('close() closes idle connections', async () => {
    const server = await startFixtureResolver(protocol)
    const dns = createFixtureDns([server])
    await queryDns(dns, 'A acme.test')
    dns.close()
    dns.close()
    await server.allClosed()
  })

  test('close() fails queries in flight and leaves no timer or connection', async () => {
    freezeTimeouts()
    const server = await startFixtureResolver(protocol)
    const nextQuery = holdQueries(server)
    const dns = createFixtureDns([server])
    // More than HTTP/1.1 has connections for, so some are not sent.
    const answers = distinctQueries(100).map((query) => queryDns(dns, query))
    const held = await Promise.all(Array.from({ length: 64 }, nextQuery))
    const connections = server.connections()

    dns.close()

    for (const answer of answers) {
      expect(await answer).toMatchObject({ kind: 'failed', reason: 'unreachable' })
    }
    for (const { outcome } of held) expect(await outcome).toBe('cancelled')
    await server.allClosed()
    await allTimeoutsStopped()
    expect(server.connections()).toBe(connections)
  })

  test('queries after close() fail', async () => {
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

describe('close()', () => {
  test('closes the connections to every resolver', async () => {
    const servers = [await startFixtureResolver(), await startFixtureResolver()]
    const dns = createFixtureDns(servers)
    await readResolverHealth(dns)
    expect(servers.map((server) => server.connections())).toEqual([1, 1])
    dns.close()
    for (const server of servers) await server.allClosed()
  })

  test('ends a connection that is draining after GOAWAY', async () => {
    freezeTimeouts()
    const server = await startFixtureResolver()
    const nextQuery = holdQueries(server)
    const dns = createFixtureDns([server])
    const [slow, quick] = [queryDns(dns, 'A slow.acme.test'), queryDns(dns, 'A quick.acme.test')]
    const [first, second] = [await nextQuery(), await nextQuery()]
    first.stream.session?.goaway()
    second.send()
    await quick
    const after = queryDns(dns, 'A after.acme.test')
    await nextQuery()

    dns.close()

    expect(await slow).toMatchObject({ kind: 'failed', reason: 'unreachable' })
    expect(await after).toMatchObject({ kind: 'failed', reason: 'unreachable' })
    await server.allClosed()
    await allTimeoutsStopped()
  })

  test('does not wait for a connection that is still opening', async () => {
    freezeTimeouts()
    const { url, nextSocket } = await startSilentServer()
    const dns = createFixtureDns([{ url }])
    const answer = queryDns(dns, 'A acme.test')
    const closed = once(await nextSocket(), 'close')
    dns.close()
    expect(await answer).toMatchObject({ kind: 'failed', reason: 'unreachable' })
    await closed
    expect(vi.getTimerCount()).toBe(0)
  })
})
