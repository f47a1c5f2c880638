/** A JSON-RPC endpoint of a chain that survives it: requests that were passed on are handled. */
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { ChainServer } from '../support/chain-server.js'

export interface ChainFront {
  readonly url: string
  /** Closes the port and breaks all connections. */
  kill(): Promise<void>
  restart(): Promise<void>
}

export async function startChainFront({ chain }: ChainServer): Promise<ChainFront> {
  const server = http.createServer(async (request, response) => {
    const body = await text(request).catch(() => null)
    if (body === null) return
    const result = await chain.handleJsonRpc(body)
    response.setHeader('content-type', 'application/json').end(result)
  })
  async function listen(port: number): Promise<number> {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await listen(0)
  return {
    url: `http://127.0.0.1:${port}`,
    async kill() {
      if (!server.listening) return
      server.close()
      server.closeAllConnections()
    },
    async restart() {
      await listen(port)
    },
  }
}
