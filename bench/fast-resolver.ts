/**
 * A resolver that costs next to nothing, so that it is not what is measured: HTTP/2 over TLS by hand,
 * answers worked out once and written many at a time, each kept back for a while as the way to a
 * resolver does.
 */
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createServer, type TLSSocket } from 'node:tls'
import { createFrameReader, type Frame } from '../packages/doh/src/doh/http2/frame-reader.js'
import { createHeaderDecoder } from '../packages/doh/src/doh/http2/hpack-decoder.js'
import { FLAG, FRAME, FRAME_HEADER_OCTETS } from '../packages/doh/src/doh/http2/protocol.js'
import { packetFor } from './packets.js'

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
  const head = frame(FRAME.HEADERS, FLAG.END_HEADERS, streamId, HEAD)
  return Buffer.concat([head, frame(FRAME.DATA, FLAG.END_STREAM, streamId, body)])
}

function serve(socket: TLSSocket): void {
  const decoder = createHeaderDecoder()
  let asked: Promise<Buffer>[] = []
  let skip = PREFACE_OCTETS

  function take({ type, flags, streamId, bytes, start, end }: Frame): void {
    if (type === FRAME.HEADERS) {
      let path = ''
      decoder.decode(bytes, start, end, {
        takeField({ name, value }) {
          if (name === ':path') path = value
        },
      })
      asked.push(packetFor(path).then((body) => answerTo(streamId, body)))
    }
    const isToAcknowledge = type === FRAME.SETTINGS || type === FRAME.PING
    if (isToAcknowledge && !(flags & FLAG.ACK)) {
      const payload = type === FRAME.PING ? bytes.subarray(start, end) : Buffer.alloc(0)
      socket.write(frame(type, FLAG.ACK, 0, payload))
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
  socket.write(frame(FRAME.SETTINGS, 0, 0, Buffer.alloc(0)))
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
