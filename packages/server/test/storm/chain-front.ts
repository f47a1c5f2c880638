/** A JSON-RPC endpoint of a chain that survives it: requests that were passed on are handled. */
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { findFreePort } from '@mailgrade/testing/free-port'
import { listenOnLoopback } from '@mailgrade/testing/listen-on-loopback'
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
  const port = await listenOnLoopback(server, await findFreePort())
  return {
    url: `http://127.0.0.1:${port}`,
    async kill() {
      if (!server.listening) return
      server.close()
      server.closeAllConnections()
    },
    async restart() {
      await listenOnLoopback(server, port)
    },
  }
}
