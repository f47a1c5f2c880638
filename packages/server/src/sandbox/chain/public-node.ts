/**
 * What strangers may ask of a chain in this process. While EDR executes code, it keeps a kilobyte of
 * every step and the data of every call, and it cannot be told not to. So strangers run no code of
 * their own, and the chain's contracts with little gas and one at a time.
 */
import { isHex, numberToHex, parseTransaction, type TransactionSerialized } from 'viem'
import type { NodeRpcRequest, NodeRpcResponse } from './edr.js'

/** A payment takes a fifth of it. More steps than it pays for would not fit into memory. */
export const PUBLIC_MAX_GAS = 500_000n

const MAX_WAITING = 100
const REJECTED = -32_000
const LIMIT_EXCEEDED = -32_005

/** Nodes, too, simulate with less gas than a caller asks for. */
export function withGasLimit(node: NodeRpcRequest, maxGas: bigint): NodeRpcRequest {
  return async (method, params) => {
    if (!isSimulation(method)) return node(method, params)
    const [call, ...rest] = params
    const { gas } = Object(call)
    const isLower = isHex(gas) && gas !== '0x' && BigInt(gas) < maxGas
    const limited = [{ ...Object(call), gas: isLower ? gas : numberToHex(maxGas) }, ...rest]
    const response = await node('eth_call', limited)
    // An estimate that fails keeps its steps until the next garbage collection.
    const isDone = method === 'eth_call' || 'error' in response
    return isDone ? response : node(method, limited)
  }
}

/** Of a node with a gas limit. */
export function createPublicNode(node: NodeRpcRequest): NodeRpcRequest {
  const inTurn = createTurns()

  async function send([transaction]: readonly unknown[]): Promise<NodeRpcResponse> {
    const fault = transactionFault(transaction)
    if (fault) return rejected(fault)
    const response = await node('eth_sendRawTransaction', [transaction])
    if ('error' in response) return response
    const receipt = await node('eth_getTransactionReceipt', [response.result])
    if ('result' in receipt && receipt.result) return response
    // Any number of them could wait, and then run all at once.
    await node('hardhat_dropTransaction', [response.result])
    return rejected('this transaction cannot be mined right now: check its nonce and fees')
  }

  return async (method, params) => {
    if (method === 'eth_sendRawTransaction') return inTurn(() => send(params))
    if (!isSimulation(method)) return node(method, params)
    const fault = simulationFault(params)
    return fault ? rejected(fault) : inTurn(() => node(method, params))
  }
}

function isSimulation(method: string): boolean {
  return method === 'eth_call' || method === 'eth_estimateGas'
}

const NO_CODE = 'this chain only runs its own contracts: send the call to one of them'

function simulationFault([call, , ...overrides]: readonly unknown[]): string | null {
  if (overrides.length > 0)
    return 'this chain only runs its own contracts and does not allow state overrides'
  return typeof Object(call).to === 'string' ? null : NO_CODE
}

function transactionFault(text: unknown): string | null {
  try {
    const { to, gas = 0n } = parseTransaction(text as TransactionSerialized)
    if (!to) return NO_CODE
    return gas > PUBLIC_MAX_GAS ? `exceeds maximum gas of ${PUBLIC_MAX_GAS}` : null
  } catch {
    return 'invalid transaction'
  }
}

function rejected(message: string): NodeRpcResponse {
  return { error: { code: REJECTED, message } }
}

function createTurns() {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return async function inTurn(run: () => Promise<NodeRpcResponse>): Promise<NodeRpcResponse> {
    if (waiting >= MAX_WAITING) {
      return { error: { code: LIMIT_EXCEEDED, message: 'too many requests at once: try again' } }
    }
    waiting++
    const response = last.then(run).finally(() => waiting--)
    last = response.catch(() => {})
    return response
  }
}
