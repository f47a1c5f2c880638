/** A resolver that answers badly: every fault is a failure, never an absence. */
import { constants } from 'node:http2'
import { encodeResponse } from '@mailgrade/testing/dns-message'
import { type DohExchange, type DohProtocol, holdQueries } from '@mailgrade/testing/doh-server'
import { describe, expect, test } from 'vitest'
import {
  createFixtureDns,
  DOH_PROTOCOLS,
  FIXTURE_RECORDS,
  queryDns,
  startFixtureResolver,
} from './support/doh-fixture.js'

/** The answer to one query when the only resolver responds like this. */
async function queryWith(protocol: DohProtocol, respond: (exchange: DohExchange) => void) {
  const server = await startFixtureResolver(protocol)
  server.respond = respond
  const dns = createFixtureDns([server])
  return { answer: await queryDns(dns, 'A acme.test'), server, dns }
}

describe.each(DOH_PROTOCOLS)('over %s', (protocol) => {
  test('returns records for a valid response', async () => {
    const { answer, server } = await queryWith(protocol, (exchange) => exchange.send())
    expect(answer).toEqual({
      kind: 'records',
      records: FIXTURE_RECORDS,
      ttl: 60,
      authenticated: false,
      cnames: [],
      extendedError: null,
      resolver: server.url.host,
    })
    expect(server.queries).toEqual(['A acme.test'])
  })

  test.each(['Application/DNS-Message', 'application/dns-message; charset=utf-8'])(
    'accepts the content type %s',
    async (contentType) => {
      const { answer } = await queryWith(protocol, ({ response, packet }) => {
        response.writeHead(200, { 'content-type': contentType }).end(packet)
      })
      expect(answer).toMatchObject({ kind: 'records', records: FIXTURE_RECORDS })
    },
  )

  test.each([204, 301, 400, 404, 429, 500, 502, 503, 504])('fails on HTTP %i', async (status) => {
    const { answer, server } = await queryWith(protocol, ({ response, packet }) => {
      response.writeHead(status, { 'content-type': 'application/dns-message' })
      response.end(status === 204 ? '' : packet)
    })
    expect(answer).toMatchObject({
      kind: 'failed',
      reason: 'http-status',
      detail: `${server.url.host} answered with HTTP ${status}`,
      resolver: server.url.host,
    })
    expect(server.queries).toEqual(['A acme.test'])
  })

  test.each(['text/html', 'application/dns-json', ''])(
    'rejects the content type %j',
    async (contentType) => {
      const { answer, server } = await queryWith(protocol, ({ response, packet }) => {
        response.writeHead(200, contentType ? { 'content-type': contentType } : {}).end(packet)
      })
      expect(answer).toMatchObject({
        kind: 'failed',
        reason: 'malformed',
        detail: `${server.url.host} did not send a DNS message`,
      })
    },
  )

  test.each([
    ['garbage', Buffer.from('<html>all is well</html>')],
    ['an empty body', Buffer.alloc(0)],
    ['the answer to another query', encodeResponse('A evil.test')],
    ['the absence of another name', encodeResponse('A evil.test', { rcode: 3 })],
    ['an answer with another id', encodeResponse('A acme.test', { id: 7 })],
    ['a truncated message', encodeResponse('A acme.test', { flags: 0x0200 })],
  ])('rejects %s', async (_, packet) => {
    const { answer, server } = await queryWith(protocol, (exchange) => exchange.send(packet))
    expect(answer).toMatchObject({ kind: 'failed', reason: 'malformed' })
    expect(server.queries).toEqual(['A acme.test'])
  })

  test('rejects a truncated message in a complete HTTP response', async () => {
    const { answer } = await queryWith(protocol, (exchange) =>
      exchange.send(exchange.packet.subarray(0, -1)),
    )
    expect(answer).toMatchObject({ kind: 'failed', reason: 'malformed' })
  })

  test.each([
    [2, 'servfail'],
    [5, 'refused'],
  ])('maps response code %i to a reason of its own', async (rcode, reason) => {
    const { answer } = await queryWith(protocol, (exchange) =>
      exchange.send(encodeResponse('A acme.test', { rcode })),
    )
    expect(answer).toMatchObject({ kind: 'failed', reason })
  })

  test('fails when the connection closes before the whole body has arrived', async () => {
    const { answer } = await queryWith(protocol, (exchange) => {
      const open = exchange.startResponse({ 'content-length': exchange.packet.length + 10 })
      open.write(exchange.packet, () => exchange.response.socket?.destroy())
    })
    expect(answer).toMatchObject({ kind: 'failed', reason: 'unreachable' })
  })

  test('cuts off an endless body after 64 KiB', async () => {
    const server = await startFixtureResolver(protocol)
    const nextQuery = holdQueries(server)
    const dns = createFixtureDns([server])
    const answer = queryDns(dns, 'A acme.test')
    const exchange = await nextQuery()
    const open = exchange.startResponse()
    const pour = () => {
      while (open.writable && open.write(Buffer.alloc(16_384)));
    }
    open.on('drain', pour)
    pour()

    expect(await answer).toMatchObject({
      kind: 'failed',
      reason: 'malformed',
      detail: `${server.url.host}: the resolver sent more than 65536 bytes`,
    })
    expect(await exchange.outcome).toBe('cancelled')
  })

  test('accepts a body of 64 KiB', async () => {
    const { answer } = await queryWith(protocol, (exchange) =>
      exchange.send(Buffer.concat([exchange.packet], 65_536)),
    )
    expect(answer).toMatchObject({ kind: 'records', records: FIXTURE_RECORDS })
  })

  test('sends the next query over the same connection after a failure', async () => {
    const { server, dns } = await queryWith(protocol, ({ response }) => {
      response.writeHead(500).end()
    })
    const connections = server.connections()
    server.respond = (exchange) => exchange.send()
    expect(await queryDns(dns, 'A www.acme.test')).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.connections()).toBe(connections)
  })
})

describe('HTTP/2', () => {
  test('repeats a query on another connection when its stream is refused', async () => {
    const server = await startFixtureResolver()
    const nextQuery = holdQueries(server)
    const dns = createFixtureDns([server])
    const [refused, other] = [queryDns(dns, 'A acme.test'), queryDns(dns, 'A www.acme.test')]
    const [first, second] = [await nextQuery(), await nextQuery()]
    first.stream.close(constants.NGHTTP2_REFUSED_STREAM)
    ;(await nextQuery()).send()
    expect(await refused).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.connections()).toBe(2)
    // The first connection stays open for the other query.
    second.send()
    expect(await other).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.queries).toEqual(['A acme.test', 'A www.acme.test', 'A acme.test'])
  })

  test('repeats a query on another connection after HTTP 421', async () => {
    const server = await startFixtureResolver()
    const nextQuery = holdQueries(server)
    const answer = queryDns(createFixtureDns([server]), 'A acme.test')
    ;(await nextQuery()).response.writeHead(421).end()
    ;(await nextQuery()).send()
    expect(await answer).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.connections()).toBe(2)
  })

  test('fails after two attempts when both connections answer with HTTP 421', async () => {
    const { answer, server } = await queryWith('h2', ({ response }) => {
      response.writeHead(421).end()
    })
    expect(answer).toMatchObject({
      kind: 'failed',
      reason: 'http-status',
      detail: `${server.url.host} answered with HTTP 421`,
    })
    expect(server.queries).toEqual(['A acme.test', 'A acme.test'])
    expect(server.connections()).toBe(2)
  })

  test.each([
    ['REFUSED_STREAM', constants.NGHTTP2_REFUSED_STREAM],
    ['INTERNAL_ERROR', constants.NGHTTP2_INTERNAL_ERROR],
    ['CANCEL', constants.NGHTTP2_CANCEL],
    ['NO_ERROR', constants.NGHTTP2_NO_ERROR],
  ])('fails after two attempts when every stream is reset with %s', async (_, code) => {
    const { answer, server } = await queryWith('h2', ({ stream }) => stream.close(code))
    expect(answer).toMatchObject({ kind: 'failed', reason: 'unreachable' })
    expect(server.queries).toEqual(['A acme.test', 'A acme.test'])
  })

  test.each([
    ['INTERNAL_ERROR', constants.NGHTTP2_INTERNAL_ERROR],
    // Node emits `end` for a stream that is reset with this code.
    ['CANCEL', constants.NGHTTP2_CANCEL],
  ])('fails when the stream is reset with %s before its end', async (_, code) => {
    const { answer } = await queryWith('h2', (exchange) => {
      exchange.startResponse().write(exchange.packet, () => exchange.stream.close(code))
    })
    expect(answer).toMatchObject({ kind: 'failed', reason: 'unreachable' })
  })

  test('fails when the body is shorter than its content-length', async () => {
    const { answer } = await queryWith('h2', (exchange) => {
      exchange.startResponse({ 'content-length': exchange.packet.length + 10 }).end(exchange.packet)
    })
    expect(answer).toMatchObject({ kind: 'failed', reason: 'malformed' })
  })

  test('does not affect other streams when one is cut off', async () => {
    const server = await startFixtureResolver()
    const nextQuery = holdQueries(server)
    const dns = createFixtureDns([server])
    const [endless, sound] = [queryDns(dns, 'A a.acme.test'), queryDns(dns, 'A b.acme.test')]
    const [first, second] = [await nextQuery(), await nextQuery()]
    first.startResponse().end(Buffer.alloc(70_000))
    expect(await endless).toMatchObject({ kind: 'failed', reason: 'malformed' })
    second.send()
    expect(await sound).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.connections()).toBe(1)
  })

  test('does not allow server push', async () => {
    const { server } = await queryWith('h2', (exchange) => exchange.send())
    server.respond = (exchange) =>
      exchange.send(
        encodeResponse('A acme.test', {
          answers: [
            {
              type: 'A',
              name: 'acme.test',
              ttl: 60,
              data: exchange.stream.pushAllowed ? '192.0.2.255' : '192.0.2.1',
            },
          ],
        }),
      )
    expect(await queryDns(createFixtureDns([server]), 'A acme.test')).toMatchObject({
      records: ['192.0.2.1'],
    })
  })
})

describe('HTTP/1.1', () => {
  test.each<DohProtocol>(['http/1.1', 'http/1.1 over TLS'])(
    'fails when the response is not HTTP (%s)',
    async (protocol) => {
      const { answer, server } = await queryWith(protocol, ({ response }) => {
        response.socket?.end('220 mail.acme.test ESMTP\r\n')
      })
      expect(answer).toMatchObject({ kind: 'failed', reason: 'unreachable' })
      expect(server.queries).toEqual(['A acme.test'])
    },
  )

  test('fails when the server upgrades the connection', async () => {
    const server = await startFixtureResolver('http/1.1')
    server.respond = ({ response }) => {
      response.socket?.write(
        'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
      )
    }
    const dns = createFixtureDns([server], { queryTimeoutMs: 50 })
    expect(await queryDns(dns, 'A acme.test')).toMatchObject({ kind: 'failed', reason: 'timeout' })
    await server.allClosed()
  })
})
