/** A TCP relay on 127.0.0.1 that counts connections; given a certificate, it takes off TLS as well. */
import { connect, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { listenOnFreePort } from '@mailgrade/testing/server-directory'

export interface TcpProxy {
  readonly port: number
  /** How many connections were opened. */
  connections(): number
  stop(): Promise<void>
}

export interface ProxyCertificate {
  readonly cert: string
  readonly key: string
}

export async function startTcpProxy(
  targetPort: number,
  certificate?: ProxyCertificate,
): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let connections = 0

  const accept = (incoming: Socket) => {
    connections++
    const outgoing = connect(targetPort, '127.0.0.1')
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket)
      // One side's end, however it comes, is the other's.
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        incoming.destroy()
        outgoing.destroy()
      })
    }
    incoming.pipe(outgoing).pipe(incoming)
  }
  // No protocols on offer (ALPN): clients fall back to HTTP/1.1.
  const server = certificate ? createTlsServer(certificate, accept) : createServer(accept)
  const port = await listenOnFreePort(server)

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
