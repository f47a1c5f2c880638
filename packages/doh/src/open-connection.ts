/** Connects to a resolver and speaks what it offers: HTTP/2 where it can, HTTP/1.1 otherwise. */
import { isIP } from 'node:net'
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'
import type { DohConnection } from './doh-connection.js'
import { createHttp1Connection } from './http1-connection.js'
import { createHttp2Connection } from './http2/http2-connection.js'

export interface DohConnectOptions {
  readonly timeoutMs: number
  /** What to trust beyond the system's authorities. */
  readonly tls: ConnectionOptions
}

/** Gives up when `signal` aborts while it is still connecting. */
export async function openConnection(
  url: URL,
  options: DohConnectOptions,
  signal: AbortSignal,
): Promise<DohConnection> {
  if (url.protocol === 'http:') return createHttp1Connection(url, {})
  const socket = await openTlsSocket(url, options, signal)
  if (socket.alpnProtocol === 'h2') {
    // RFC 9113 §9.2.1 forbids it.
    socket.disableRenegotiation()
    return createHttp2Connection(socket, url.host)
  }
  socket.destroy()
  return createHttp1Connection(url, options.tls)
}

function openTlsSocket(
  url: URL,
  { timeoutMs, tls }: DohConnectOptions,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      host,
      port: Number(url.port || 443),
      ALPNProtocols: ['h2', 'http/1.1'],
      ...(isIP(host) ? {} : { servername: host }),
      ...tls,
    })
    const giveUp = () => socket.destroy(new Error('closed while connecting'))
    const timer = setTimeout(
      () => socket.destroy(new Error(`no connection within ${timeoutMs} ms`)),
      timeoutMs,
    )
    const stopWaiting = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
    }
    const fail = (error: Error) => {
      stopWaiting()
      reject(error)
    }
    signal.addEventListener('abort', giveUp)
    socket.once('error', fail)
    socket.once('secureConnect', () => {
      stopWaiting()
      socket.off('error', fail)
      resolve(socket)
    })
  })
}
