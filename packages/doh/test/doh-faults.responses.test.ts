/** A resolver that is there but answers badly: every fault is a failure, and never an absence. */
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

/** What one question comes to when the only resolver responds like this. */
async function askWhen(protocol: DohProtocol, respond: (exchange: DohExchange) => void) {
  const server = await startFixtureResolver(protocol)
  server.respond = respond
  const dns = createFixtureDns([server])
  return { answer: await queryDns(dns, 'A acme.test'), server, dns }
}

describe.each(DOH_PROTOCOLS)('over %s', (protocol) => {
  test('a sound reply is an answer', async () => {
    const { answer, server } = await askWhen(protocol, (exchange) => exchange.send())
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
    'the content type may be written %s',
    async (contentType) => {
      const { answer } = await askWhen(protocol, ({ response, packet }) => {
        response.writeHead(200, { 'content-type': contentType }).end(packet)
      })
      expect(answer).toMatchObject({ kind: 'records', records: FIXTURE_RECORDS })
    },
  )

  test.each([204, 301, 400, 404, 429, 500, 502, 503, 504])('HTTP %i', async (status) => {
    const { answer, server } = await askWhen(protocol, ({ response, packet }) => {
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
    'the content type %j is not ours, though the body be',
    async (contentType) => {
      const { answer, server } = await askWhen(protocol, ({ response, packet }) => {
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
    ['the answer to another question', encodeResponse('A evil.test')],
    ['the absence of another name', encodeResponse('A evil.test', { rcode: 3 })],
    ['an answer with another id', encodeResponse('A acme.test', { id: 7 })],
    ['a truncated message', encodeResponse('A acme.test', { flags: 0x0200 })],
  ])('%s is malformed', async (_, packet) => {
    const { answer, server } = await askWhen(protocol, (exchange) => exchange.send(packet))
    expect(answer).toMatchObject({ kind: 'failed', reason: 'malformed' })
    expect(server.queries).toEqual(['A acme.test'])
  })

  test('a message cut in the middle is malformed, though the HTTP be whole', async () => {
    const { answer } = await askWhen(protocol, (exchange) =>
      exchange.send(exchange.packet.subarray(0, -1)),
    )
    expect(answer).toMatchObject({ kind: 'failed', reason: 'malformed' })
  })

  test.each([
    [2, 'servfail'],
    [5, 'refused'],
  ])('response code %i is a failure of its own kind', async (rcode, reason) => {
    const { answer } = await askWhen(protocol, (exchange) =>
      exchange.send(encodeResponse('A acme.test', { rcode })),
    )
    expect(answer).toMatchObject({ kind: 'failed', reason })
  })

  test('a connection that closes before the whole body has come is no answer', async () => {
    const { answer } = await askWhen(protocol, (exchange) => {
      const open = exchange.startResponse({ 'content-length': exchange.packet.length + 10 })
      open.write(exchange.packet, () => exchange.response.socket?.destroy())
    })
    expect(answer).toMatchObject({ kind: 'failed', reason: 'unreachable' })
  })

  test('an endless body is cut off behind 64 KiB', async () => {
    const server = await startFixtureResolver(protocol)
    const nextQuestion = holdQueries(server)
    const dns = createFixtureDns([server])
    const answer = queryDns(dns, 'A acme.test')
    const exchange = await nextQuestion()
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

  test('64 KiB are not yet too much', async () => {
    const { answer } = await askWhen(protocol, (exchange) =>
      exchange.send(Buffer.concat([exchange.packet], 65_536)),
    )
    expect(answer).toMatchObject({ kind: 'records', records: FIXTURE_RECORDS })
  })

  test('a resolver that fails is asked again by the next question, over the same connection', async () => {
    const { server, dns } = await askWhen(protocol, ({ response }) => {
      response.writeHead(500).end()
    })
    const connections = server.connections()
    server.respond = (exchange) => exchange.send()
    expect(await queryDns(dns, 'A www.acme.test')).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.connections()).toBe(connections)
  })
})

describe('over h2 alone', () => {
  test('a stream that is refused is asked for once more', async () => {
    const server = await startFixtureResolver()
    const nextQuestion = holdQueries(server)
    const answer = queryDns(createFixtureDns([server]), 'A acme.test')
    ;(await nextQuestion()).stream.close(constants.NGHTTP2_REFUSED_STREAM)
    ;(await nextQuestion()).send()
    expect(await answer).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.connections()).toBe(1)
  })

  test.each([
    ['REFUSED_STREAM', constants.NGHTTP2_REFUSED_STREAM],
    ['INTERNAL_ERROR', constants.NGHTTP2_INTERNAL_ERROR],
    ['CANCEL', constants.NGHTTP2_CANCEL],
    ['NO_ERROR', constants.NGHTTP2_NO_ERROR],
  ])('every stream reset with %s: asked twice, then given up', async (_, code) => {
    const { answer, server } = await askWhen('h2', ({ stream }) => stream.close(code))
    expect(answer).toMatchObject({ kind: 'failed', reason: 'unreachable' })
    expect(server.queries).toEqual(['A acme.test', 'A acme.test'])
  })

  test.each([
    ['INTERNAL_ERROR', constants.NGHTTP2_INTERNAL_ERROR],
    // Node ends a stream that is reset with this code as if all were well.
    ['CANCEL', constants.NGHTTP2_CANCEL],
  ])('a stream reset with %s before its end is no answer', async (_, code) => {
    const { answer } = await askWhen('h2', (exchange) => {
      exchange.startResponse().write(exchange.packet, () => exchange.stream.close(code))
    })
    expect(answer).toMatchObject({ kind: 'failed', reason: 'unreachable' })
  })

  test('a body shorter than announced is no answer', async () => {
    const { answer } = await askWhen('h2', (exchange) => {
      exchange.startResponse({ 'content-length': exchange.packet.length + 10 }).end(exchange.packet)
    })
    expect(answer).toMatchObject({ kind: 'failed', reason: 'unreachable' })
  })

  test('a cut-off stream leaves the others on its session alone', async () => {
    const server = await startFixtureResolver()
    const nextQuestion = holdQueries(server)
    const dns = createFixtureDns([server])
    const [endless, sound] = [queryDns(dns, 'A a.acme.test'), queryDns(dns, 'A b.acme.test')]
    const [first, second] = [await nextQuestion(), await nextQuestion()]
    first.startResponse().end(Buffer.alloc(70_000))
    expect(await endless).toMatchObject({ kind: 'failed', reason: 'malformed' })
    second.send()
    expect(await sound).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.connections()).toBe(1)
  })

  test('what a resolver would push is not wanted', async () => {
    const { server } = await askWhen('h2', (exchange) => exchange.send())
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

describe('over HTTP/1.1 alone', () => {
  test.each<DohProtocol>(['http/1.1', 'http/1.1 over TLS'])(
    'an answer that is no HTTP is no answer (%s)',
    async (protocol) => {
      const { answer, server } = await askWhen(protocol, ({ response }) => {
        response.socket?.end('220 mail.acme.test ESMTP\r\n')
      })
      expect(answer).toMatchObject({ kind: 'failed', reason: 'unreachable' })
      expect(server.queries).toEqual(['A acme.test'])
    },
  )

  test('an upgrade nobody asked for is no answer', async () => {
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
