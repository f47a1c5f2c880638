/**
 * A DoH server whose faults a test controls. It answers from zone text with messages from an
 * independent encoder, so our decoder is not tested against our own encoder.
 */
import http from 'node:http'
import http2, {
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Stream,
} from 'node:http2'
import https from 'node:https'
import type { Server } from 'node:net'
import type { Writable } from 'node:stream'
import type { RecordType } from '@mailgrade/doh/dns'
import { createZoneDns } from '@mailgrade/doh/zone'
import { decode } from 'dns-packet'
import { encodeAnswer } from './dns-message.js'
import { listenOnLoopback } from './listen-on-loopback.js'
import type { TestCertificate } from './server-directory.js'

export type DohProtocol = 'h2' | 'http/1.1 over TLS' | 'http/1.1'

export interface DohExchange {
  /** Such as `MX acme.test`. */
  readonly query: string
  readonly packet: Buffer
  readonly request: http.IncomingMessage | Http2ServerRequest
  readonly response: http.ServerResponse | Http2ServerResponse
  /** The HTTP/2 stream; undefined over HTTP/1.1. */
  readonly stream: ServerHttp2Stream
  /** How the exchange ended. */
  readonly outcome: Promise<'answered' | 'cancelled'>
  /** Sends the header of a valid response; the test writes the body. */
  startResponse(headers?: Record<string, number>): Writable
  /** Sends a valid response, with `packet` by default. */
  send(packet?: Buffer): void
}

export interface DohServer {
  readonly url: URL
  /** Every query received, in order. */
  readonly queries: string[]
  /** The number of connections opened so far. */
  connections(): number
  /** Resolves when no connection is open. */
  allClosed(): Promise<void>
  /** Handles a query; tests replace it. */
  respond: (exchange: DohExchange) => void
  /** Destroys every connection. */
  dropConnections(): void
  close(): Promise<void>
}

export async function startDohServer(
  zone: string,
  protocol: DohProtocol = 'h2',
  certificate?: TestCertificate,
): Promise<DohServer> {
  const dns = createZoneDns('zone', zone)
  const sockets = new Set<{ destroy(): void }>()
  let connections = 0
  let onAllClosed = () => {}
  const queries: string[] = []

  const handle = async (
    request: http.IncomingMessage | Http2ServerRequest,
    response: http.ServerResponse | Http2ServerResponse,
  ) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost')
    const message = decode(Buffer.from(searchParams.get('dns') ?? '', 'base64url'))
    const { name = '.', type = 'A' } = message.questions?.[0] ?? {}
    const query = `${type} ${name}`
    queries.push(query)
    const packet = encodeAnswer(name, type as RecordType, await dns.query(name, type as RecordType))
    const startResponse = (headers: Record<string, number> = {}): Writable => {
      response.writeHead(200, { 'content-type': 'application/dns-message', ...headers })
      return response
    }
    server.respond({
      query,
      packet,
      request,
      response,
      get stream() {
        return (request as Http2ServerRequest).stream
      },
      outcome: watchOutcome(response),
      startResponse,
      send(bytes = packet) {
        startResponse({ 'content-length': bytes.length }).end(bytes)
      },
    })
  }

  const listener = createListener(protocol, certificate, handle)
  listener.on(protocol === 'http/1.1' ? 'connection' : 'secureConnection', (socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => {
      sockets.delete(socket)
      if (sockets.size === 0) onAllClosed()
    })
    socket.on('error', () => {})
  })
  const port = await listenOnLoopback(listener)

  const dropConnections = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server: DohServer = {
    url: new URL(`${protocol === 'http/1.1' ? 'http' : 'https'}://localhost:${port}/dns-query`),
    queries,
    connections: () => connections,
    allClosed: () =>
      new Promise((resolve) => {
        onAllClosed = resolve
        if (sockets.size === 0) resolve()
      }),
    respond: (exchange) => exchange.send(),
    dropConnections,
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve())
        dropConnections()
      }),
  }
  return server
}

/** Leaves every further query unanswered; the returned function returns them one by one. */
export function holdQueries(server: DohServer): () => Promise<DohExchange> {
  const held: DohExchange[] = []
  const waiters: ((exchange: DohExchange) => void)[] = []
  server.respond = (exchange) => {
    const waiter = waiters.shift()
    if (waiter) waiter(exchange)
    else held.push(exchange)
  }
  return () =>
    new Promise((resolve) => {
      const exchange = held.shift()
      if (exchange) resolve(exchange)
      else waiters.push(resolve)
    })
}

function watchOutcome(response: http.ServerResponse | Http2ServerResponse): DohExchange['outcome'] {
  // The response drops its HTTP/2 stream when the stream ends.
  const stream = 'stream' in response ? response.stream : null
  return new Promise((resolve) => {
    response.on('close', () => {
      const isWhole = stream
        ? stream.rstCode === http2.constants.NGHTTP2_NO_ERROR
        : response.writableFinished
      resolve(response.writableEnded && isWhole ? 'answered' : 'cancelled')
    })
  })
}

function createListener(
  protocol: DohProtocol,
  certificate: TestCertificate | undefined,
  handle: (
    request: http.IncomingMessage | Http2ServerRequest,
    response: http.ServerResponse | Http2ServerResponse,
  ) => void,
): Server {
  const tls = { cert: certificate?.cert ?? '', key: certificate?.key ?? '' }
  if (protocol === 'http/1.1') return http.createServer(handle)
  if (protocol === 'http/1.1 over TLS') return https.createServer(tls, handle)
  return http2.createSecureServer(tls, handle)
}
