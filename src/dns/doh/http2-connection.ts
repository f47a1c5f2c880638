/** DoH over one long-lived HTTP/2 session. */
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2'
import {
  broken,
  type Cancel,
  type Connection,
  DNS_MESSAGE,
  PendingReply,
  type Reply,
} from './connection.js'

const PING_TIMEOUT_MS = 1_000
const ignore = () => {}

export function createHttp2Connection(session: ClientHttp2Session): Connection {
  // The streams report what happened to them; without a listener the session's error would be fatal.
  session.on('error', ignore)
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
  const pending = new PendingReply(done)
  const stream = open(session, path)
  if (!stream) {
    process.nextTick(() => pending.settle(broken('the resolver is closing the connection')))
    return () => pending.cancel()
  }
  let headers: IncomingHttpHeaders & IncomingHttpStatusHeader = {}

  stream.on('response', (received) => {
    headers = received
  })
  stream.on('data', (chunk: Buffer) => {
    if (!pending.add(chunk)) stream.close(constants.NGHTTP2_CANCEL)
  })
  stream.on('end', () => {
    const { ':status': status, 'content-length': length } = headers
    // A stream that is reset without an error ends like a whole one: only its length tells.
    const isWhole = length === undefined || Number(length) === pending.size
    if (status && isWhole && stream.rstCode === constants.NGHTTP2_NO_ERROR) {
      pending.complete(status, headers['content-type'], headers['retry-after'])
    }
  })
  // A killed session closes its streams without an error, so `close` is where a loss shows.
  stream.on('error', ignore)
  stream.on('close', () => {
    if (pending.isOpen) pending.settle(broken(`the stream was closed (code ${stream.rstCode})`))
  })

  return () => {
    pending.cancel()
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
