/** A node that shows the chain as it was at one block, until it catches up. */
import http from 'node:http'
import { json } from 'node:stream/consumers'
import { listenOnLoopback } from '@mailgrade/testing/listen-on-loopback'
import { onTestFinished } from 'vitest'
import type { ChainServer } from './chain-server.js'

export interface LaggingNode {
  readonly url: string
  /** Shows no block after the latest one now. */
  stop(): Promise<void>
  catchUp(): void
}

interface RpcRequest {
  readonly id: number
  readonly method: string
  readonly params?: unknown[]
}

export async function startLaggingNode({ chain }: ChainServer): Promise<LaggingNode> {
  let last: number | null = null
  const request = (method: string, params: unknown[] = []) => chain.request({ method, params })

  async function handle({ method, params = [] }: RpcRequest): Promise<unknown> {
    if (last === null) return request(method, params)
    const block = `0x${last.toString(16)}`
    switch (method) {
      case 'eth_blockNumber':
        return block
      case 'eth_getBlockByNumber':
        return request(method, [params[0] === 'latest' ? block : params[0], false])
      case 'eth_call':
        return request(method, [params[0], block])
      case 'eth_getLogs':
        return request(method, [{ ...(params[0] as object), toBlock: block }])
      case 'eth_getTransactionReceipt': {
        const receipt = (await request(method, params)) as { blockNumber: string } | null
        return receipt && Number(receipt.blockNumber) <= last ? receipt : null
      }
      default:
        return request(method, params)
    }
  }

  const server = http.createServer(async (incoming, response) => {
    const { id, ...call } = (await json(incoming)) as RpcRequest
    const result = await handle({ id, ...call })
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  const port = await listenOnLoopback(server)
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      last = Number(await request('eth_blockNumber'))
    },
    catchUp() {
      last = null
    },
  }
}
