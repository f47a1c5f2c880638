/**
 * A DoH server that needs next to no CPU time, so the benchmarks measure only the service. It
 * speaks HTTP/2 over TLS without a library, encodes each response once, and delays responses like
 * a network.
 */
import { createSocket } from 'node:dgram'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createServer, type TLSSocket } from 'node:tls'
import type { DnsAnswer, RecordType } from '@mailgrade/doh/dns'
import { createZoneDns } from '@mailgrade/doh/zone'
import { encodeAnswer, optRecord, soaRecord } from '@mailgrade/testing/dns-message'
import { decode } from 'dns-packet'
import { createHpackDecoder } from '../packages/doh/src/http2/hpack.js'
import { createFrameReader, type Http2Frame } from '../packages/doh/src/http2/http2-frames.js'
import {
  FRAME_FLAG,
  FRAME_HEADER_OCTETS,
  FRAME_TYPE,
} from '../packages/doh/src/http2/http2-protocol.js'
import { attackZoneTexts } from './attack-zones.js'
import { BENCH_ZONES, benchZoneText } from './bench-zones.js'

const PREFACE_OCTETS = 24
/** RFC 9113 §4.2 and §6.9.2. */
const MAX_FRAME_OCTETS = 16_384
const INITIAL_WINDOW_OCTETS = 65_535
const HEADER_OCTETS = 12
const POINTER_TO_QUESTION = Buffer.of(0xc0, 0x0c)
const DELAY_MS = Number(process.env.BENCH_DELAY_MS)
const folder = process.env.BENCH_FOLDER ?? ''

/** `:status: 200` and literal fields that resolvers usually send. */
const RESPONSE_HEADER = Buffer.concat([
  Buffer.of(0x88),
  ...Object.entries({ 31: 'application/dns-message', 24: 'max-age=300', 54: 'bench' }).map(
    ([index, value]) =>
      Buffer.from([0x0f, Number(index) - 15, value.length, ...Buffer.from(value)]),
  ),
])

interface DnsResponse {
  readonly streamId: number
  readonly body: Buffer
}

function encodeFrame(type: number, flags: number, streamId: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(FRAME_HEADER_OCTETS)
  header.writeUIntBE(payload.length, 0, 3)
  header[3] = type
  header[4] = flags
  header.writeUInt32BE(streamId, 5)
  return Buffer.concat([header, payload])
}

function encodeHttpResponse({ streamId, body }: DnsResponse): Buffer {
  const frames = [
    encodeFrame(FRAME_TYPE.HEADERS, FRAME_FLAG.END_HEADERS, streamId, RESPONSE_HEADER),
  ]
  for (let at = 0; at < body.length; at += MAX_FRAME_OCTETS) {
    const isLast = at + MAX_FRAME_OCTETS >= body.length
    const part = body.subarray(at, at + MAX_FRAME_OCTETS)
    frames.push(encodeFrame(FRAME_TYPE.DATA, isLast ? FRAME_FLAG.END_STREAM : 0, streamId, part))
  }
  return Buffer.concat(frames)
}

/** All copies of a zone are alike, so the first one is loaded and renamed. */
const dns = createZoneDns(
  'bench',
  benchZoneText(1),
  ...(process.env.BENCH_ZONES === 'hostile' ? attackZoneTexts() : []),
)
/** The number of a copy in a name, such as 7 in `flat-7.test` and `flat-7-test`. */
const COPY_NUMBER = new RegExp(
  `(?<=\\b(?:${BENCH_ZONES.map(({ name }) => name).join('|')})-)\\d+(?=[.-]test)`,
  'g',
)
const messages = new Map<string, Promise<Buffer>>()
/** More than the checks in flight use. A scan of 100,000 domains has eleven million. */
const MAX_MESSAGES = 200_000

/** The DNS message for the path of a GET request (RFC 8484 §4.1). */
function encodeAnswerForPath(path: string): Promise<Buffer> {
  const known = messages.get(path)
  if (known) return known
  const message = resolve(path.slice(path.indexOf('=') + 1))
  if (messages.size >= MAX_MESSAGES) messages.clear()
  messages.set(path, message)
  return message
}

/** Adds what resolvers send: an OPT record, and an SOA record for an absence (RFC 2308 §2). */
async function resolve(dnsParameter: string): Promise<Buffer> {
  const [question] = decode(Buffer.from(dnsParameter, 'base64url')).questions ?? []
  const { name = '.', type = 'A' } = question ?? {}
  const answer = await lookUp(name, type as RecordType)
  const apex = (answer.cnames.at(-1) ?? name).split('.').slice(-2).join('.')
  const message = encodeAnswer(name, type as RecordType, answer, {
    authorities: answer.kind === 'records' ? [] : [soaRecord(apex, 300, 300)],
    additionals: [optRecord(0)],
  })
  return compressOwners(message)
}

async function lookUp(name: string, type: RecordType): Promise<DnsAnswer> {
  const number = name.match(COPY_NUMBER)?.[0]
  if (number === undefined) return dns.query(name, type)
  const answer = await dns.query(name.replace(COPY_NUMBER, '0'), type)
  const hasNames = answer.kind === 'records' || answer.cnames.length > 0
  return hasNames ? JSON.parse(JSON.stringify(answer).replace(COPY_NUMBER, number)) : answer
}

/** Resolvers replace the owner of a record with a pointer to the question (RFC 1035 §4.1.4). */
function compressOwners(message: Buffer): Buffer {
  const questionEnd = skipName(message, HEADER_OCTETS)
  const owner = message.subarray(HEADER_OCTETS, questionEnd)
  let at = questionEnd + 4
  const parts = [message.subarray(0, at)]
  for (let left = message.readUInt16BE(6); left > 0; left--) {
    const head = skipName(message, at)
    const end = head + 10 + message.readUInt16BE(head + 8)
    const isSame = message.subarray(at, head).equals(owner)
    parts.push(isSame ? POINTER_TO_QUESTION : message.subarray(at, head))
    parts.push(message.subarray(head, end))
    at = end
  }
  return Buffer.concat([...parts, message.subarray(at)])
}

/** Past a name without pointers. */
function skipName(message: Buffer, start: number): number {
  let at = start
  while (message[at]) at += (message[at] as number) + 1
  return at + 1
}

function serve(socket: TLSSocket): void {
  const decoder = createHpackDecoder()
  let received: Promise<DnsResponse>[] = []
  let prefaceLeft = PREFACE_OCTETS
  /** Octets that the client takes at present (RFC 9113 §5.2); the windows of streams are larger. */
  let window = INITIAL_WINDOW_OCTETS
  const waiting: DnsResponse[] = []

  function onFrame({ type, flags, streamId, bytes, start, end }: Http2Frame): void {
    if (type === FRAME_TYPE.HEADERS) {
      let path = ''
      decoder.decode(bytes, start, end, {
        onField({ name, value }) {
          if (name === ':path') path = value
        },
      })
      received.push(encodeAnswerForPath(path).then((body) => ({ streamId, body })))
    }
    if (type === FRAME_TYPE.WINDOW_UPDATE && streamId === 0) {
      window += bytes.readUInt32BE(start)
      sendWaiting()
    }
    const needsAck = type === FRAME_TYPE.SETTINGS || type === FRAME_TYPE.PING
    if (needsAck && !(flags & FRAME_FLAG.ACK)) {
      const payload = type === FRAME_TYPE.PING ? bytes.subarray(start, end) : Buffer.alloc(0)
      socket.write(encodeFrame(type, FRAME_FLAG.ACK, 0, payload))
    }
  }

  /** Answers queries that arrived together in one write. */
  async function respondAll(pending: Promise<DnsResponse>[]): Promise<void> {
    const responses = await Promise.all(pending)
    setTimeout(() => {
      waiting.push(...responses)
      sendWaiting()
    }, DELAY_MS)
  }

  function sendWaiting(): void {
    const sent: Buffer[] = []
    for (let next = waiting[0]; next && next.body.length <= window; next = waiting[0]) {
      window -= next.body.length
      sent.push(encodeHttpResponse(next))
      waiting.shift()
    }
    if (sent.length > 0 && socket.writable) socket.write(Buffer.concat(sent))
  }

  const readFrames = createFrameReader(onFrame)
  socket.on('error', () => {})
  socket.on('data', (chunk: Buffer) => {
    const frames = chunk.subarray(prefaceLeft)
    prefaceLeft = Math.max(prefaceLeft - chunk.length, 0)
    readFrames(frames)
    if (received.length > 0) void respondAll(received)
    received = []
  })
  socket.write(encodeFrame(FRAME_TYPE.SETTINGS, 0, 0, Buffer.alloc(0)))
}

const server = createServer(
  {
    cert: readFileSync(join(folder, 'cert.pem')),
    key: readFileSync(join(folder, 'key.pem')),
    ALPNProtocols: ['h2'],
  },
  serve,
)
/** Plain DNS for clients without DoH, from the same zones with the same delay. */
function serveUdp(port: number): void {
  const udp = createSocket('udp4')
  udp.on('message', async (query, { port: clientPort, address }) => {
    const message = Buffer.from(await encodeAnswerForPath(`=${toDnsParameter(query)}`))
    query.copy(message, 0, 0, 2)
    setTimeout(() => udp.send(message, clientPort, address), DELAY_MS)
  })
  udp.bind(port, '127.0.0.1', () => process.send?.(port))
}

/** Id 0, as in a DoH request, so a message is encoded once. */
function toDnsParameter(query: Buffer): string {
  const copy = Buffer.from(query)
  copy.writeUInt16BE(0)
  return copy.toString('base64url')
}

server.listen(0, '127.0.0.1', () => serveUdp((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
