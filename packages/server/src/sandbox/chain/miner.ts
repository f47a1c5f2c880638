/**
 * Mines each transaction as soon as it arrives. EDR's own mining rejects a transaction whose
 * predecessor is missing, which real nodes keep. Its clock also stops between blocks, so
 * after an idle hour a new signature would not be valid yet.
 */
import type { NodeRpcRequest, NodeRpcResponse } from './edr.js'

/** As on Base: the time that a call sees is at most this old. */
const BLOCK_MS = 2_000

export function withAutoMining(
  node: NodeRpcRequest,
  now: () => number = () => performance.now(),
): NodeRpcRequest {
  let isAutomatic = true
  let hasPending = false
  let minedAt = now()
  let mining: Promise<void> = Promise.resolve()

  function mine(): Promise<void> {
    mining = mining.then(async () => {
      if (!hasPending && now() - minedAt < BLOCK_MS) return
      hasPending = false
      minedAt = now()
      await node('evm_mine', [])
    })
    return mining
  }

  async function send(method: string, params: readonly unknown[]): Promise<NodeRpcResponse> {
    const response = await node(method, params)
    if ('error' in response) return response
    hasPending = true
    // The receipt is there when the caller gets the hash, unless a predecessor is missing.
    if (isAutomatic) await mine()
    return response
  }

  async function simulate(method: string, params: readonly unknown[]): Promise<NodeRpcResponse> {
    if (isAutomatic) await mine()
    // By default EDR would include pending transactions.
    return node(method, params.length === 1 ? [...params, 'latest'] : params)
  }

  return async (method, params) => {
    switch (method) {
      case 'eth_sendTransaction':
      case 'eth_sendRawTransaction':
        return send(method, params)
      case 'eth_call':
      case 'eth_estimateGas':
        return simulate(method, params)
      case 'evm_setAutomine':
        isAutomatic = params[0] === true
        if (isAutomatic) await mine()
        return { result: true }
      case 'hardhat_getAutomine':
        return { result: isAutomatic }
      default:
        return node(method, params)
    }
  }
}
