/** DoH over one long-lived connection of `node:http2`. */
import { connect, constants, type IncomingHttpHeaders } from 'node:http2'
import type { Socket } from 'node:net'
import {
  DNS_MESSAGE_MEDIA_TYPE,
  type DohConnection,
  describeConnectError,
  MISDIRECTED_REQUEST,
  PendingResponse,
  unreachableResult,
} from './doh-connection.js'
import {
  CONNECTION_WINDOW_OCTETS,
  MAX_HEADER_LIST_OCTETS,
  PING_TIMEOUT_MS,
  STREAM_WINDOW_OCTETS,
} from './http2/http2-protocol.js'

/** Speaks HTTP/2 over a socket that has negotiated it. */
export function createNodeHttp2Connection(socket: Socket, authority: string): DohConnection {
  const session = connect(`https://${authority}`, {
    createConnection: () => socket,
    settings: {
      enablePush: false,
      initialWindowSize: STREAM_WINDOW_OCTETS,
      maxHeaderListSize: MAX_HEADER_LIST_OCTETS,
    },
  })
  let pingTimer: NodeJS.Timeout | undefined
  const isUsable = () => !session.closed && !session.destroyed

  function stopPingTimer(): void {
    clearTimeout(pingTimer)
    pingTimer = undefined
  }

  socket.setNoDelay(true)
  session.once('connect', () => {
    if (!session.destroyed) session.setLocalWindowSize(CONNECTION_WINDOW_OCTETS)
  })
  // Every open stream reports the error too.
  session.on('error', () => {})
  session.on('close', stopPingTimer)

  return {
    isUsable,
    get(path, sink) {
      const pending = new PendingResponse(sink)
      if (!isUsable()) {
        process.nextTick(() => pending.settle(unreachableResult('the connection is closed')))
        return { cancel: () => pending.drop() }
      }
      const stream = session.request({ ':path': path, accept: DNS_MESSAGE_MEDIA_TYPE })
      let headers: IncomingHttpHeaders = {}
      stream.on('response', (received) => {
        headers = received
      })
      stream.on('data', (chunk: Buffer) => {
        if (!pending.append(chunk)) stream.close(constants.NGHTTP2_CANCEL)
      })
      stream.on('end', () => {
        // Node also emits `end` for a body that a reset or a lost connection cut off.
        const { ':status': status, 'content-length': length } = headers
        const isCutOff = session.destroyed || stream.rstCode !== constants.NGHTTP2_NO_ERROR
        if (isCutOff || !status || (length && Number(length) !== pending.size)) return
        if (Number(status) === MISDIRECTED_REQUEST) session.close()
        pending.complete(Number(status), headers['content-type'], headers['retry-after'])
      })
      stream.on('error', (error) => {
        // The next request goes to another connection; those in flight are answered.
        if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) session.close()
        pending.settle(unreachableResult(describeConnectError(error)))
      })
      stream.on('close', () => pending.settle(unreachableResult('the stream was closed')))
      return {
        cancel() {
          pending.drop()
          stream.close(constants.NGHTTP2_CANCEL)
        },
      }
    },
    checkLiveness() {
      if (pingTimer || session.destroyed) return
      pingTimer = setTimeout(() => {
        session.destroy(new Error('the resolver did not answer a PING'))
      }, PING_TIMEOUT_MS)
      session.ping(stopPingTimer)
    },
    close: () => session.destroy(new Error('the connection was closed by the client')),
  }
}
