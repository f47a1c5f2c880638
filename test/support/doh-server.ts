/**
 * A DoH server whose faults a test decides. It answers from zone text, in messages written by an
 * independent encoder, so that our decoder is not judged by our own reading of the RFC.
 */
import http from 'node:http'
import http2, { type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import https from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { decode, encode, type Answer as PacketAnswer, type StringAnswer } from 'dns-packet'
import type { Answer, RecordType } from '../../src/dns/dns.js'
import { createZoneDns } from '../../src/dns/zone/zone-dns.js'
import type { TestCertificate } from './certificate.js'

export type Protocol = 'h2' | 'http/1.1 over TLS' | 'http/1.1'

export interface Exchange {
  /** Such as `MX acme.test`. */
  readonly question: string
  readonly packet: Buffer
  readonly request: http.IncomingMessage | Http2ServerRequest
  readonly response: http.ServerResponse | Http2ServerResponse
  /** Answers properly, with `packet` unless told otherwise. */
  send(packet?: Buffer): void
}

export interface DohServer {
  readonly url: URL
  /** Every question that arrived, in order. */
  readonly questions: string[]
  /** How many connections were opened. */
  connections(): number
  /** What happens to a question; tests replace it. */
  respond: (exchange: Exchange) => void
  /** Drops every connection without a word. */
  dropConnections(): void
  close(): Promise<void>
}

export async function startDohServer(
  zone: string,
  protocol: Protocol = 'h2',
  certificate?: TestCertificate,
): Promise<DohServer> {
  const dns = createZoneDns('zone', zone)
  const sockets = new Set<{ destroy(): void }>()
  let connections = 0
  const questions: string[] = []

  const handle = async (
    request: http.IncomingMessage | Http2ServerRequest,
    response: http.ServerResponse | Http2ServerResponse,
  ) => {
    const query = new URL(request.url ?? '', 'http://localhost').searchParams.get('dns') ?? ''
    const [asked] = decode(Buffer.from(query, 'base64url')).questions ?? []
    const { name = '', type = 'A' } = asked ?? {}
    const question = `${type} ${name || '.'}`
    questions.push(question)
    const packet = encodeAnswer(name, type as RecordType, await dns.ask(name, type as RecordType))
    server.respond({
      question,
      packet,
      request,
      response,
      send(bytes = packet) {
        response.writeHead(200, {
          'content-type': 'application/dns-message',
          'content-length': bytes.length,
        })
        response.end(bytes)
      },
    })
  }

  const listener = createListener(protocol, certificate, handle)
  listener.on(protocol === 'http/1.1' ? 'connection' : 'secureConnection', (socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as AddressInfo

  const dropConnections = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server: DohServer = {
    url: new URL(`${protocol === 'http/1.1' ? 'http' : 'https'}://localhost:${port}/dns-query`),
    questions,
    connections: () => connections,
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

function createListener(
  protocol: Protocol,
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
export function encodeAnswer(name: string, type: RecordType, answer: Answer): Buffer {
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
          data: packetData(data),
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

function packetData(data: unknown): unknown {
  return Array.isArray(data) ? data.map((text: string) => Buffer.from(text, 'latin1')) : data
}
