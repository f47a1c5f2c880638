import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface FreezableProxy {
  readonly url: URL
  /** How many connections were opened. */
  connections(): number
  /** From now on nothing passes on the open connections, and nobody is told: a dead network. */
  freeze(): void
  /** Resolves when our side has closed the last open connection. */
  allClosed(): Promise<void>
}

/** Stands between us and a server, so that the network itself can fail. */
export async function startFreezableProxy(server: { readonly url: URL }): Promise<FreezableProxy> {
  const pairs = new Map<Socket, Socket>()
  let connections = 0
  let tellAllClosed = () => {}
  const listener = createServer((near) => {
    connections++
    const far = connect(Number(server.url.port), '127.0.0.1')
    pairs.set(near, far)
    near.pipe(far).pipe(near)
    near.on('error', () => {})
    far.on('error', () => {})
    near.on('close', () => {
      far.destroy()
      pairs.delete(near)
      if (pairs.size === 0) tellAllClosed()
    })
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  onTestFinished(() => {
    for (const near of pairs.keys()) near.destroy()
    listener.close()
  })
  const url = new URL(server.url)
  url.port = String((listener.address() as AddressInfo).port)
  return {
    url,
    connections: () => connections,
    freeze() {
      for (const [near, far] of pairs) {
        near.unpipe().resume()
        far.unpipe().resume()
      }
    },
    allClosed: () =>
      new Promise((resolve) => {
        tellAllClosed = resolve
        if (pairs.size === 0) resolve()
      }),
  }
}
