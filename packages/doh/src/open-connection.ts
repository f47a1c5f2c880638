/** Connects to a resolver: HTTP/2 if the resolver offers it, HTTP/1.1 otherwise. */
import { isIP } from 'node:net'
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'
import type { DohConnection } from './doh-connection.js'
import { createHttp2Connection } from './http2/http2-connection.js'

export interface DohConnectOptions {
  readonly timeoutMs: number
  /** Such as `ca`, for authorities that the system does not trust. */
  readonly tls: ConnectionOptions
  /** Gets the error that closes an HTTP/2 connection. */
  readonly onConnectionError?: (error: unknown) => void
}

/** Rejects when `signal` aborts before the connection is open. */
export async function openConnection(
  url: URL,
  options: DohConnectOptions,
  signal: AbortSignal,
): Promise<DohConnection> {
  if (url.protocol === 'http:') return openHttp1(url, {})
  const socket = await openTlsSocket(url, options, signal)
  if (socket.alpnProtocol === 'h2') {
    // RFC 9113 §9.2.1 forbids renegotiation.
    socket.disableRenegotiation()
    const { onConnectionError: onError } = options
    return createHttp2Connection(socket, url.host, onError && { onError })
  }
  socket.destroy()
  return openHttp1(url, options.tls)
}

/** Loaded on demand, as few resolvers need it: Node's HTTP modules take longer than a check. */
async function openHttp1(url: URL, tls: ConnectionOptions): Promise<DohConnection> {
  const { createHttp1Connection } = await import('./http1-connection.js')
  return createHttp1Connection(url, tls)
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
    const onAbort = () => socket.destroy(new Error('closed while connecting'))
    const timer = setTimeout(
      () => socket.destroy(new Error(`no connection within ${timeoutMs} ms`)),
      timeoutMs,
    )
    const stopWaiting = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
    const onError = (error: Error) => {
      stopWaiting()
      reject(error)
    }
    signal.addEventListener('abort', onAbort)
    socket.once('error', onError)
    socket.once('secureConnect', () => {
      stopWaiting()
      socket.off('error', onError)
      resolve(socket)
    })
  })
}
