/** Connects to a resolver and speaks what it offers: HTTP/2 where it can, HTTP/1.1 otherwise. */
import { connect as connectHttp2 } from 'node:http2'
import { isIP } from 'node:net'
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'
import type { Connection } from './connection.js'
import { createHttp1Connection } from './http1-connection.js'
import { createHttp2Connection } from './http2-connection.js'

export interface ConnectOptions {
  readonly timeoutMs: number
  /** What to trust beyond the system's authorities. */
  readonly tls: ConnectionOptions
}

export async function openConnection(url: URL, options: ConnectOptions): Promise<Connection> {
  if (url.protocol === 'http:') return createHttp1Connection(url, {})
  const socket = await openTlsSocket(url, options)
  if (socket.alpnProtocol === 'h2') {
    return createHttp2Connection(connectHttp2(url, { createConnection: () => socket }))
  }
  socket.destroy()
  return createHttp1Connection(url, options.tls)
}

function openTlsSocket(url: URL, { timeoutMs, tls }: ConnectOptions): Promise<TLSSocket> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      host,
      port: Number(url.port || 443),
      ALPNProtocols: ['h2', 'http/1.1'],
      ...(isIP(host) ? {} : { servername: host }),
      ...tls,
    })
    const timer = setTimeout(
      () => socket.destroy(new Error(`no connection within ${timeoutMs} ms`)),
      timeoutMs,
    )
    socket.once('secureConnect', () => {
      clearTimeout(timer)
      socket.off('error', reject)
      resolve(socket)
    })
    socket.once('error', reject)
    socket.once('close', () => clearTimeout(timer))
  })
}
