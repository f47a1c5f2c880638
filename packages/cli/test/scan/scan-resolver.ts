/** A DoH server that answers many queries with little CPU time, and fails in the ways of a resolver. */
import http2, { type ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { listenOnLoopback } from '@mailgrade/testing/listen-on-loopback'
import type { TestCertificate } from '@mailgrade/testing/server-directory'

export interface ScanResolver {
  readonly url: string
  /** What happens to each query; tests replace it. */
  handle: (exchange: ResolverExchange) => void
  /** Queries so far. */
  queries(): number
  close(): Promise<void>
}

export interface ResolverExchange {
  /** The number of the query, from 1. */
  readonly number: number
  /** The answer from the zone. */
  readonly message: Buffer
  readonly stream: ServerHttp2Stream
  send(message: Buffer): void
  refuse(status: number, headers: Record<string, string>): void
  dropConnection(): void
}

const HEADER_OCTETS = 12
const TYPES = { A: 1, MX: 15, TXT: 16 }
const POINTER_TO_QUESTION = Buffer.of(0xc0, 0x0c)

export async function startScanResolver({ cert, key }: TestCertificate): Promise<ScanResolver> {
  const sockets = new Set<Socket>()
  const server = http2.createSecureServer({ cert, key })
  let queries = 0
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
  })
  server.on('session', (session) => session.on('error', () => {}))
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    const path = headers[':path'] ?? ''
    const query = Buffer.from(path.slice(path.indexOf('=') + 1), 'base64url')
    queries++
    resolver.handle({
      number: queries,
      message: answerQuery(query),
      stream,
      send: (message) => sendMessage(stream, message),
      refuse(status, fields) {
        stream.respond({ ':status': status, ...fields }, { endStream: true })
      },
      dropConnection: () => stream.session?.destroy(),
    })
  })
  const port = await listenOnLoopback(server)
  const resolver: ScanResolver = {
    url: `https://localhost:${port}/dns-query`,
    handle: ({ send, message }) => send(message),
    queries: () => queries,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
  return resolver
}

function sendMessage(stream: ServerHttp2Stream, message: Buffer): void {
  if (stream.destroyed) return
  stream.respond({ ':status': 200, 'content-type': 'application/dns-message' })
  stream.end(message)
}

/**
 * The zone, by the number of the domain modulo 4. 0: all records, but a DKIM key only for every
 * twentieth domain. 1: sends no mail. 2: no DMARC record. 3: does not exist.
 */
function answerQuery(query: Buffer): Buffer {
  const { labels, end } = readName(query)
  const type = query.readUInt16BE(end)
  const name = labels.join('.')
  const number = Number(
    /^(?:(?:_dmarc|mx|(?:default\.)?_domainkey)\.)?d(\d+)\.test$/.exec(name)?.[1] ?? -1,
  )
  const records = number < 0 || number % 4 === 3 ? null : recordsOf(name, type, number)
  const question = query.subarray(HEADER_OCTETS, end + 4)
  const answers = (records ?? []).map((data) => encodeRecord(type, data))
  const header = Buffer.alloc(HEADER_OCTETS)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180 | (records === null && name !== '' && name !== 'test' ? 3 : 0), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(answers.length, 6)
  return Buffer.concat([header, question, ...answers])
}

const DKIM_KEY = Buffer.concat([
  encodeText(`v=DKIM1; k=rsa; p=${SPKI[2048].slice(0, 200)}`),
  encodeText(SPKI[2048].slice(200)),
])
const DMARC = encodeText('v=DMARC1; p=reject')
const NULL_MX = Buffer.of(0, 0, 0)
const OWN_MX = Buffer.concat([Buffer.of(0, 10, 2), Buffer.from('mx'), POINTER_TO_QUESTION])
const SPF = ['v=spf1 ip4:192.0.2.1 -all', 'v=spf1 -all', 'v=spf1 mx -all']

/** Null if the name does not exist; empty if it has no such record. */
function recordsOf(name: string, type: number, number: number): Buffer[] | null {
  const [label = ''] = name.split('.')
  const kind = number % 4
  const isSigned = number % 20 === 0
  const here = (wanted: number, data: Buffer) => (type === wanted ? [data] : [])
  switch (label) {
    case 'default':
      return isSigned ? here(TYPES.TXT, DKIM_KEY) : null
    case '_domainkey':
      return isSigned ? [] : null
    case '_dmarc':
      return kind === 2 ? null : here(TYPES.TXT, DMARC)
    case 'mx':
      return kind === 1 ? null : here(TYPES.A, Buffer.of(192, 0, 2, 1))
    default:
      return [
        ...here(TYPES.TXT, encodeText(SPF[kind] ?? '')),
        ...here(TYPES.MX, kind === 1 ? NULL_MX : OWN_MX),
      ]
  }
}

function encodeText(text: string): Buffer {
  return Buffer.concat([Buffer.of(text.length), Buffer.from(text)])
}

function encodeRecord(type: number, data: Buffer): Buffer {
  const head = Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 1, 44, 0, 0])
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

function readName(message: Buffer): { labels: string[]; end: number } {
  const labels: string[] = []
  let at = HEADER_OCTETS
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length).toLowerCase())
    at += length + 1
  }
  return { labels, end: at + 1 }
}
