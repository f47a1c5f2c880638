import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { listenOnLoopback } from './listen-on-loopback.js'

export interface FreezableProxy {
  readonly url: URL
  /** The number of connections opened so upstream. */
  connections(): number
  /** Silently drops all traffic on the open connections, like a dead network. */
  freeze(): void
  /** Resolves when the client has closed every connection. */
  allClosed(): Promise<void>
}

/** Starts a TCP proxy in front of a server, so a test can make the network fail. */
export async function startFreezableProxy(server: { readonly url: URL }): Promise<FreezableProxy> {
  const pairs = new Map<Socket, Socket>()
  let connections = 0
  let onAllClosed = () => {}
  const listener = createServer((client) => {
    connections++
    const upstream = connect(Number(server.url.port), '127.0.0.1')
    pairs.set(client, upstream)
    client.pipe(upstream).pipe(client)
    client.on('error', () => {})
    upstream.on('error', () => {})
    client.on('close', () => {
      upstream.destroy()
      pairs.delete(client)
      if (pairs.size === 0) onAllClosed()
    })
  })
  const port = await listenOnLoopback(listener)
  onTestFinished(() => {
    for (const client of pairs.keys()) client.destroy()
    listener.close()
  })
  const url = new URL(server.url)
  url.port = String(port)
  return {
    url,
    connections: () => connections,
    freeze() {
      for (const [client, upstream] of pairs) {
        client.unpipe().resume()
        upstream.unpipe().resume()
      }
    },
    allClosed: () =>
      new Promise((resolve) => {
        onAllClosed = resolve
        if (pairs.size === 0) resolve()
      }),
  }
}
