import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'

/** Returns the port; without one given, a free one is taken. */
export async function listenOnLoopback(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
