/** A TCP proxy on 127.0.0.1 that counts connections; with a certificate it also terminates TLS. */
import { connect, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { listenOnLoopback } from '@mailgrade/testing/listen-on-loopback'
import type { TestCertificate } from '@mailgrade/testing/server-directory'

export interface TcpProxy {
  readonly port: number
  /** The number of connections opened so far. */
  connections(): number
  stop(): Promise<void>
}

export async function startTcpProxy(
  targetPort: number,
  certificate?: Pick<TestCertificate, 'cert' | 'key'>,
): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let connections = 0

  const accept = (incoming: Socket) => {
    connections++
    const outgoing = connect(targetPort, '127.0.0.1')
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket)
      // When one side closes, close the other.
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        incoming.destroy()
        outgoing.destroy()
      })
    }
    incoming.pipe(outgoing).pipe(incoming)
  }
  // Without ALPN, clients fall back to HTTP/1.1.
  const server = certificate ? createTlsServer(certificate, accept) : createServer(accept)
  const port = await listenOnLoopback(server)

  return {
    port,
    connections: () => connections,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
