/** Free ports of 127.0.0.1 for servers that must know theirs before they start. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'

export async function findFreePort(): Promise<number> {
  const server = createServer()
  const port = await listenOnFreePort(server)
  server.close()
  await once(server, 'close')
  return port
}

/** Two different ports. */
export async function findFreePorts(): Promise<[number, number]> {
  // Both stay open until both are known, so the system cannot assign one port twice.
  const servers = [createServer(), createServer()] as const
  const ports = [await listenOnFreePort(servers[0]), await listenOnFreePort(servers[1])] as const
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return [...ports]
}

/** Starts the server and returns its port. */
export function listenOnFreePort(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
