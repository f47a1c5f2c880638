/**
 * A DoH server whose faults a test decides. It answers from zone text, in messages written by an
 * independent encoder, so that our decoder is not judged by our own reading of the RFC.
 */
import http from 'node:http'
import http2, {
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Stream,
} from 'node:http2'
import https from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import type { Writable } from 'node:stream'
import type { DnsAnswer, RecordType, Soa } from '@mailgrade/doh/dns'
import { createZoneDns } from '@mailgrade/doh/zone'
import { decode, encode, type Answer as PacketAnswer, type StringAnswer } from 'dns-packet'
import type { TestCertificate } from './test-certificate.js'

export type DohProtocol = 'h2' | 'http/1.1 over TLS' | 'http/1.1'

export interface DohExchange {
  /** Such as `MX acme.test`. */
  readonly query: string
  readonly packet: Buffer
  readonly request: http.IncomingMessage | Http2ServerRequest
  readonly response: http.ServerResponse | Http2ServerResponse
  /** The HTTP/2 stream; a story about HTTP/1.1 has none and must not ask. */
  readonly stream: ServerHttp2Stream
  /** How the exchange ended, once it has. */
  readonly outcome: Promise<'answered' | 'cancelled'>
  /** Sends the header of a proper answer, and leaves the body to be written. */
  startResponse(headers?: Record<string, number>): Writable
  /** Answers properly, with `packet` unless told otherwise. */
  send(packet?: Buffer): void
}

export interface DohServer {
  readonly url: URL
  /** Every question that arrived, in order. */
  readonly queries: string[]
  /** How many connections were opened. */
  connections(): number
  /** Resolves when no connection is open, at once if none is. */
  allClosed(): Promise<void>
  /** What happens to a question; tests replace it. */
  respond: (exchange: DohExchange) => void
  /** Drops every connection without a word. */
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
  let tellAllClosed = () => {}
  const questions: string[] = []

  const handle = async (
    request: http.IncomingMessage | Http2ServerRequest,
    response: http.ServerResponse | Http2ServerResponse,
  ) => {
    const query = new URL(request.url ?? '', 'http://localhost').searchParams.get('dns') ?? ''
    const [asked] = decode(Buffer.from(query, 'base64url')).questions ?? []
    const { name = '.', type = 'A' } = asked ?? {}
    const question = `${type} ${name}`
    questions.push(question)
    const packet = encodeAnswer(name, type as RecordType, await dns.query(name, type as RecordType))
    const begin = (headers: Record<string, number> = {}): Writable => {
      response.writeHead(200, { 'content-type': 'application/dns-message', ...headers })
      return response
    }
    server.respond({
      query: question,
      packet,
      request,
      response,
      get stream() {
        return (request as Http2ServerRequest).stream
      },
      outcome: endingOf(response),
      startResponse: begin,
      send(bytes = packet) {
        begin({ 'content-length': bytes.length }).end(bytes)
      },
    })
  }

  const listener = createListener(protocol, certificate, handle)
  listener.on(protocol === 'http/1.1' ? 'connection' : 'secureConnection', (socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => {
      sockets.delete(socket)
      if (sockets.size === 0) tellAllClosed()
    })
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as AddressInfo

  const dropConnections = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server: DohServer = {
    url: new URL(`${protocol === 'http/1.1' ? 'http' : 'https'}://localhost:${port}/dns-query`),
    queries: questions,
    connections: () => connections,
    allClosed: () =>
      new Promise((resolve) => {
        tellAllClosed = resolve
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

/** From now on leaves every question unanswered, and hands them over one by one as they come. */
export function holdQueries(server: DohServer): () => Promise<DohExchange> {
  const held: DohExchange[] = []
  const takers: ((exchange: DohExchange) => void)[] = []
  server.respond = (exchange) => {
    const taker = takers.shift()
    if (taker) taker(exchange)
    else held.push(exchange)
  }
  return () =>
    new Promise((resolve) => {
      const exchange = held.shift()
      if (exchange) resolve(exchange)
      else takers.push(resolve)
    })
}

function endingOf(response: http.ServerResponse | Http2ServerResponse): DohExchange['outcome'] {
  // After the end of an HTTP/2 stream its response has forgotten it.
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
  handle: (request: never, response: never) => void,
): Server {
  const tls = { cert: certificate?.cert ?? '', key: certificate?.key ?? '' }
  const onRequest = handle as unknown as http.RequestListener
  if (protocol === 'http/1.1') return http.createServer(onRequest)
  if (protocol === 'http/1.1 over TLS') return https.createServer(tls, onRequest)
  return http2.createSecureServer(
    tls,
    handle as unknown as Parameters<typeof http2.createServer>[1],
  )
}

const RCODES = { records: 0, nodata: 0, nxdomain: 3, failed: 2 }

/** The packet a resolver would send for this answer. */
function encodeAnswer(name: string, type: RecordType, answer: DnsAnswer): Buffer {
  const owners = [name, ...answer.cnames]
  const aliases: StringAnswer[] = answer.cnames.map((data, index) => ({
    type: 'CNAME',
    name: owners[index] ?? '',
    ttl: 60,
    data,
  }))
  const records =
    answer.kind === 'records'
      ? answer.records.map((data) => ({
          type,
          name: owners.at(-1),
          ttl: answer.ttl,
          data: packetData(type, data),
        }))
      : []
  return encode({
    type: 'response',
    id: 0,
    flags: 0x0180 | RCODES[answer.kind],
    questions: [{ type: type as 'A', name }],
    answers: [...aliases, ...(records as PacketAnswer[])],
  })
}

function packetData(type: RecordType, data: unknown): unknown {
  if (Array.isArray(data)) {
    const strings = data.map((text: string) => Buffer.from(text, 'latin1'))
    // To dns-packet SPF is a type like any unknown one, whose data it writes as they are.
    return type === 'SPF'
      ? Buffer.concat(strings.flatMap((text) => [Buffer.of(text.length), text]))
      : strings
  }
  if (type === 'SOA') {
    const { primary, mailbox, serial, minimum } = data as Soa
    return { mname: primary, rname: mailbox, serial, minimum }
  }
  return data
}
