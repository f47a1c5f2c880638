/**
 * A resolver that costs next to nothing, so that it is not what is measured: HTTP/2 over TLS by hand,
 * answers worked out once and written many at a time, each kept back for a while as the way to a
 * resolver does.
 */
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createServer, type TLSSocket } from 'node:tls'
import { createFrameReader, type Http2Frame } from '../packages/doh/src/http2/frame-reader.js'
import { createHpackDecoder } from '../packages/doh/src/http2/hpack-decoder.js'
import {
  FRAME_FLAG,
  FRAME_HEADER_OCTETS,
  FRAME_TYPE,
} from '../packages/doh/src/http2/http2-protocol.js'
import { encodeAnswerForPath } from './packets.js'

const PREFACE_OCTETS = 24
const DELAY_MS = Number(process.env.BENCH_DELAY_MS)
const folder = process.env.BENCH_FOLDER ?? ''

/** `:status: 200`, and as literals what every resolver sends. */
const HEAD = Buffer.concat([
  Buffer.of(0x88),
  ...Object.entries({ 31: 'application/dns-message', 24: 'max-age=300', 54: 'bench' }).map(
    ([index, value]) =>
      Buffer.from([0x0f, Number(index) - 15, value.length, ...Buffer.from(value)]),
  ),
])

function frame(type: number, flags: number, streamId: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(FRAME_HEADER_OCTETS)
  header.writeUIntBE(payload.length, 0, 3)
  header[3] = type
  header[4] = flags
  header.writeUInt32BE(streamId, 5)
  return Buffer.concat([header, payload])
}

function answerTo(streamId: number, body: Buffer): Buffer {
  const head = frame(FRAME_TYPE.HEADERS, FRAME_FLAG.END_HEADERS, streamId, HEAD)
  return Buffer.concat([head, frame(FRAME_TYPE.DATA, FRAME_FLAG.END_STREAM, streamId, body)])
}

function serve(socket: TLSSocket): void {
  const decoder = createHpackDecoder()
  let asked: Promise<Buffer>[] = []
  let skip = PREFACE_OCTETS

  function take({ type, flags, streamId, bytes, start, end }: Http2Frame): void {
    if (type === FRAME_TYPE.HEADERS) {
      let path = ''
      decoder.decode(bytes, start, end, {
        onField({ name, value }) {
          if (name === ':path') path = value
        },
      })
      asked.push(encodeAnswerForPath(path).then((body) => answerTo(streamId, body)))
    }
    const isToAcknowledge = type === FRAME_TYPE.SETTINGS || type === FRAME_TYPE.PING
    if (isToAcknowledge && !(flags & FRAME_FLAG.ACK)) {
      const payload = type === FRAME_TYPE.PING ? bytes.subarray(start, end) : Buffer.alloc(0)
      socket.write(frame(type, FRAME_FLAG.ACK, 0, payload))
    }
  }

  /** What was asked together is answered together. */
  async function answerAll(waiting: Promise<Buffer>[]): Promise<void> {
    const answers = await Promise.all(waiting)
    setTimeout(() => {
      if (socket.writable) socket.write(Buffer.concat(answers))
    }, DELAY_MS)
  }

  const read = createFrameReader(take)
  socket.on('error', () => {})
  socket.on('data', (chunk: Buffer) => {
    const after = chunk.subarray(skip)
    skip = Math.max(skip - chunk.length, 0)
    read(after)
    if (asked.length > 0) void answerAll(asked)
    asked = []
  })
  socket.write(frame(FRAME_TYPE.SETTINGS, 0, 0, Buffer.alloc(0)))
}

const server = createServer(
  {
    cert: readFileSync(join(folder, 'cert.pem')),
    key: readFileSync(join(folder, 'key.pem')),
    ALPNProtocols: ['h2'],
  },
  serve,
)
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
