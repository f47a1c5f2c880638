/** The server side of an HTTP/2 connection, frame by frame, so a test can violate any rule. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { createTestCertificate } from '@mailgrade/testing/server-directory'
import { onTestFinished } from 'vitest'

export interface RawFrame {
  readonly type: number
  readonly flags: number
  readonly streamId: number
  readonly payload: Buffer
}

export interface RawHttp2Peer {
  write(...bytes: Buffer[]): void
  end(): void
  /** The next frame of this type after the last one returned; other types are skipped. */
  next(type: number): Promise<RawFrame>
  /** Every frame received so far. */
  readonly frames: readonly RawFrame[]
  /** The error that closed the socket, or null. */
  readonly closed: Promise<Error | null>
  stopReading(): void
  continueReading(): void
}

export const HTTP2_PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const EMPTY: Buffer = Buffer.alloc(0)

export const RAW_FRAME_TYPE = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const

export function encodeFrame(
  type: number,
  flags: number,
  streamId: number,
  payload: Buffer = EMPTY,
): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(streamId, 5)
  return Buffer.concat([head, payload])
}

export const encodeU32 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index)
  return bytes
}

export function encodeSettings(...pairs: (readonly [id: number, value: number])[]): Buffer {
  const payload = pairs.map(([id, value]) => Buffer.concat([Buffer.of(0, id), encodeU32(value)]))
  return encodeFrame(RAW_FRAME_TYPE.SETTINGS, 0, 0, Buffer.concat(payload))
}

/** The GOAWAY of a client with this error code, as the server gets it. */
export const goAwayFrame = (code: number): RawFrame => ({
  type: RAW_FRAME_TYPE.GOAWAY,
  flags: 0,
  streamId: 0,
  payload: encodeU32(0, code),
})

/** The first GOAWAY and what follows it, which should be nothing. */
export function framesFromGoAway(frames: readonly RawFrame[]): readonly RawFrame[] {
  const index = frames.findIndex(({ type }) => type === RAW_FRAME_TYPE.GOAWAY)
  return index < 0 ? [] : frames.slice(index)
}

/** Returns a function that takes received bytes and calls `onFrame` for each frame after the preface. */
export function createFrameCollector(onFrame: (frame: RawFrame) => void, preface = '') {
  let rest = EMPTY
  let start = preface.length

  return (chunk: Buffer): void => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= start + 9) {
      if (rest.toString('latin1', 0, start) !== preface.slice(0, start)) {
        throw new Error('the bytes are not HTTP/2')
      }
      const end = start + 9 + rest.readUIntBE(start, 3)
      if (rest.length < end) return
      onFrame({
        type: rest.readUInt8(start + 3),
        flags: rest.readUInt8(start + 4),
        streamId: rest.readUInt32BE(start + 5),
        payload: rest.subarray(start + 9, end),
      })
      rest = rest.subarray(end)
      start = 0
    }
  }
}

const { ca, cert, key } = await createTestCertificate()

interface PeerOptions {
  /** Every resolver has TLS, whose sockets send less at once than those of TCP. */
  readonly transport?: 'TLS' | 'TCP'
  /** The server keeps its side open after the client has closed its own. */
  readonly allowHalfOpen?: boolean
}

/** A client's socket and the test's server at its other end. */
export async function connectToPeer({
  transport = 'TLS',
  allowHalfOpen = false,
}: PeerOptions = {}): Promise<{ socket: Socket; peer: RawHttp2Peer }> {
  const isTls = transport === 'TLS'
  const server = isTls
    ? createTlsServer({ cert, key, allowHalfOpen })
    : createServer({ allowHalfOpen })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = { host: '127.0.0.1', port: (server.address() as AddressInfo).port }
  const socket = isTls ? connectTls({ ...address, ca }) : connect(address)
  const [[serverSocket]] = (await Promise.all([
    once(server, isTls ? 'secureConnection' : 'connection'),
    once(socket, isTls ? 'secureConnect' : 'connect'),
  ])) as [[Socket], unknown]
  onTestFinished(() => {
    socket.destroy()
    serverSocket.destroy()
    server.close()
  })
  return { socket, peer: createPeer(serverSocket) }
}

function createPeer(socket: Socket): RawHttp2Peer {
  const frames: RawFrame[] = []
  let returned = 0
  let onFrame = () => {}
  const collect = createFrameCollector((frame) => {
    frames.push(frame)
    onFrame()
  }, HTTP2_PREFACE)
  socket.on('data', collect)
  socket.on('error', () => {})
  const closed = new Promise<Error | null>((resolve) =>
    socket.once('close', () => resolve(socket.errored)),
  )

  async function next(type: number): Promise<RawFrame> {
    for (;;) {
      const found = frames.slice(returned).findIndex((frame) => frame.type === type)
      if (found >= 0) {
        returned += found + 1
        return frames[returned - 1] as RawFrame
      }
      await new Promise<void>((resolve) => {
        onFrame = resolve
      })
    }
  }

  return {
    write: (...bytes) => {
      socket.write(Buffer.concat(bytes))
    },
    end: () => {
      socket.end()
    },
    next,
    frames,
    closed,
    stopReading: () => {
      socket.pause()
    },
    continueReading: () => {
      socket.resume()
    },
  }
}

/** A literal header field without indexing and with a new name (RFC 7541 §6.2.2). */
export function encodeField(name: string, value: string): Buffer {
  const octets = (text: string) => [text.length, ...Buffer.from(text, 'latin1')]
  return Buffer.from([0, ...octets(name), ...octets(value)])
}
