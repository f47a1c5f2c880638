/** DoH over one long-lived HTTP/2 session. */
import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2'
import {
  Body,
  broken,
  type Cancel,
  type Connection,
  createSettlement,
  DNS_MESSAGE,
  OVERSIZED,
  type Reply,
} from './connection.js'

const PING_TIMEOUT_MS = 1_000

export function createHttp2Connection(session: ClientHttp2Session): Connection {
  // The streams report what happened to them; without a listener the session's error would be fatal.
  session.on('error', () => {})
  let isPinging = false

  return {
    isUsable: () => !session.closed && !session.destroyed,
    get: (path, done) => request(session, path, done),
    suspect() {
      if (isPinging || session.destroyed) return
      isPinging = true
      const timer = setTimeout(() => session.destroy(), PING_TIMEOUT_MS)
      session.ping(() => {
        isPinging = false
        clearTimeout(timer)
      })
    },
    close: () => session.destroy(),
  }
}

function request(session: ClientHttp2Session, path: string, done: (reply: Reply) => void): Cancel {
  const { settle, cancel } = createSettlement(done)
  const stream = open(session, path)
  if (!stream) {
    process.nextTick(settle, broken('the resolver is closing the connection'))
    return cancel
  }
  const body = new Body()
  let status = 0
  let contentType: string | undefined
  let retryAfter: string | undefined
  let length: string | undefined

  stream.on('response', (headers) => {
    status = headers[':status'] ?? 0
    contentType = headers['content-type']
    retryAfter = headers['retry-after']
    length = headers['content-length']
  })
  stream.on('data', (chunk: Buffer) => {
    if (body.add(chunk)) return
    settle(OVERSIZED)
    stream.close(constants.NGHTTP2_CANCEL)
  })
  stream.on('end', () => {
    const bytes = body.take()
    // A stream that is reset without an error ends like a whole one: only its length tells.
    const isWhole = length === undefined || Number(length) === bytes.length
    if (status !== 0 && stream.rstCode === constants.NGHTTP2_NO_ERROR && isWhole) {
      settle({ kind: 'reply', status, contentType, retryAfter, body: bytes })
    }
  })
  // A killed session closes its streams without an error, so `close` is where a loss shows.
  stream.on('error', () => {})
  stream.on('close', () => settle(broken(`the stream was closed (code ${stream.rstCode})`)))

  return () => {
    cancel()
    stream.close(constants.NGHTTP2_CANCEL)
  }
}

/** After GOAWAY a session throws instead of opening a stream. */
function open(session: ClientHttp2Session, path: string): ClientHttp2Stream | null {
  try {
    return session.request({ ':path': path, accept: DNS_MESSAGE })
  } catch {
    return null
  }
}
