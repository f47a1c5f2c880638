/**
 * Mines as soon as there is something to mine. EDR can do so itself, but then it refuses a
 * transaction whose predecessor is still on its way, which real nodes keep; and its clock stands
 * still between blocks, so that on a chain where nobody has paid for an hour, what a payer signs now
 * would not be valid yet.
 */
import type { NodeRpcRequest, NodeRpcResponse } from './sandbox-json-rpc.js'

/** As on Base: a call sees a time at most so old. */
const BLOCK_MS = 2_000

export function withAutoMining(
  ask: NodeRpcRequest,
  now: () => number = () => performance.now(),
): NodeRpcRequest {
  let isAutomatic = true
  let isSomethingSent = false
  let freshAt = now()
  let mining: Promise<void> = Promise.resolve()

  function mine(): Promise<void> {
    mining = mining.then(async () => {
      if (!isSomethingSent && now() - freshAt < BLOCK_MS) return
      isSomethingSent = false
      freshAt = now()
      await ask('evm_mine', [])
    })
    return mining
  }

  async function send(method: string, params: readonly unknown[]): Promise<NodeRpcResponse> {
    const answer = await ask(method, params)
    if ('error' in answer) return answer
    isSomethingSent = true
    // Whoever has the hash finds the receipt, unless a predecessor is missing.
    if (isAutomatic) await mine()
    return answer
  }

  async function simulate(method: string, params: readonly unknown[]): Promise<NodeRpcResponse> {
    if (isAutomatic) await mine()
    // What waits to be mined has not happened: EDR would estimate as if it had.
    return ask(method, params.length === 1 ? [...params, 'latest'] : params)
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
        return ask(method, params)
    }
  }
}
