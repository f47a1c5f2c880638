/** A chain in memory with a test USDC, for payments without internet access or real money. */
import { type Address, encodeFunctionData, numberToHex, RpcRequestError } from 'viem'
import { TEST_MULTICALL_CODE, TEST_USDC_ABI, TEST_USDC_CODE } from '../token/generated/contracts.js'
import { type NodeRpcError, type NodeRpcRequest, type NodeRpcResponse, startEdr } from './edr.js'
import { withAutoMining } from './miner.js'
import { createPublicNode, withGasLimit } from './public-node.js'
import { DEMO_PAYER_WALLET, FACILITATOR_WALLET, FAUCET_WALLET } from './sandbox-wallets.js'

export interface SandboxChainOptions {
  readonly chainId: number
  /** The wallet address of the test USDC; with that of the real one, clients need no setup. */
  readonly token: Address
  /** Of calls and estimates, also those of this process; by default any that fits in a block. */
  readonly maxGas?: bigint
}

export interface SandboxChain {
  readonly chainId: number
  readonly token: Address
  /** EIP-1193, so viem's `custom(chain)` is a transport. Rejects with `code`, `data`, `details`. */
  request(call: { method: string; params?: unknown }): Promise<unknown>
  /** Handles a JSON-RPC request, or a batch of them, as text. */
  handleJsonRpc(text: string): Promise<string>
  /** The same for strangers. */
  handlePublicJsonRpc(text: string): Promise<string>
  /** Every later request fails. */
  close(): void
}

/** The Multicall3 contract is at the same address on every chain. */
const MULTICALL: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'
const A_THOUSAND_ETHER = 10n ** 21n
const A_THOUSAND_DOLLARS = 1_000_000_000n
const MINT_GAS = 200_000

export async function startSandboxChain({
  chainId,
  token,
  maxGas,
}: SandboxChainOptions): Promise<SandboxChain> {
  const edr = await startEdr(chainId, [
    { address: token, code: TEST_USDC_CODE },
    { address: MULTICALL, code: TEST_MULTICALL_CODE },
    { address: FACILITATOR_WALLET.address, balance: A_THOUSAND_ETHER },
    { address: FAUCET_WALLET.address, balance: A_THOUSAND_ETHER },
  ])
  let node: NodeRpcRequest = withAutoMining(maxGas ? withGasLimit(edr, maxGas) : edr)
  const currentNode: NodeRpcRequest = (method, params) => node(method, params)
  const publicNode = createPublicNode(currentNode)
  const chain: SandboxChain = {
    chainId,
    token,
    async request({ method, params = [] }) {
      const response = await node(method, params as readonly unknown[])
      if ('error' in response) throw toRpcRequestError(method, response.error)
      return response.result
    },
    handleJsonRpc: (text) => handleJsonRpcText(currentNode, text),
    handlePublicJsonRpc: (text) => handleJsonRpcText(publicNode, text),
    close() {
      node = closedNode
    },
  }
  await mintTestUsdc(chain, DEMO_PAYER_WALLET.address, A_THOUSAND_DOLLARS)
  return chain
}

/** The amount is in units of 1/1,000,000 dollars. */
export async function mintTestUsdc(
  { request, token }: Pick<SandboxChain, 'request' | 'token'>,
  to: Address,
  units: bigint,
): Promise<void> {
  const data = encodeFunctionData({ abi: TEST_USDC_ABI, functionName: 'mint', args: [to, units] })
  const transaction = { from: FAUCET_WALLET.address, to: token, data, gas: numberToHex(MINT_GAS) }
  await request({ method: 'eth_sendTransaction', params: [transaction] })
}

/** The error that viem's `http()` throws; viem retries errors it does not know. */
function toRpcRequestError(method: string, error: NodeRpcError): RpcRequestError {
  return new RpcRequestError({ body: { method }, error: { ...error }, url: 'the sandbox' })
}

const closedNode: NodeRpcRequest = async () => ({
  error: { code: -32_000, message: 'The chain is closed' },
})

const PARSE_ERROR = { code: -32700, message: 'Parse error' }
const INVALID_REQUEST = { code: -32600, message: 'Invalid request' }

/** Handles a single request or a batch as text (JSON-RPC 2.0). */
async function handleJsonRpcText(call: NodeRpcRequest, text: string): Promise<string> {
  const parsed = parseJson(text)
  if (parsed === undefined) return JSON.stringify(envelope(null, { error: PARSE_ERROR }))
  const response = Array.isArray(parsed)
    ? await Promise.all(parsed.map((request) => handleOne(call, request)))
    : await handleOne(call, parsed)
  return JSON.stringify(response)
}

async function handleOne(call: NodeRpcRequest, request: unknown) {
  const { id = null, method, params = [] } = (request ?? {}) as Record<string, unknown>
  const isRequest = typeof method === 'string' && Array.isArray(params)
  return envelope(id, isRequest ? await call(method, params) : { error: INVALID_REQUEST })
}

function envelope(id: unknown, response: NodeRpcResponse) {
  return { jsonrpc: '2.0', id, ...response }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
