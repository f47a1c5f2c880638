/** The sandbox's chain and demo wallet as JSON-RPC endpoints. */
import { PATHS } from '@mailgrade/operations/service-paths'
import type { Hono } from 'hono'
import { addPostRoute } from '../http/add-route.js'
import { type HttpEnv, respondJson, withCollectedHeaders } from '../http/respond.js'
import { memoizeAsync } from '../state/memoize-async.js'

/**
 * What a public node of a real chain offers. The chain's other methods control it, or would execute
 * any code.
 */
const PUBLIC_METHODS: ReadonlySet<string> = new Set([
  ...['eth_accounts', 'eth_blockNumber', 'eth_call', 'eth_chainId', 'eth_coinbase'],
  ...['eth_estimateGas', 'eth_feeHistory', 'eth_gasPrice', 'eth_getBalance'],
  ...['eth_getBlockByHash', 'eth_getBlockByNumber', 'eth_getBlockTransactionCountByHash'],
  ...['eth_getBlockTransactionCountByNumber', 'eth_getCode', 'eth_getFilterChanges'],
  ...['eth_getFilterLogs', 'eth_getLogs', 'eth_getProof', 'eth_getStorageAt'],
  ...['eth_getTransactionByBlockHashAndIndex', 'eth_getTransactionByBlockNumberAndIndex'],
  ...['eth_getTransactionByHash', 'eth_getTransactionCount', 'eth_getTransactionReceipt'],
  ...['eth_maxPriorityFeePerGas', 'eth_newBlockFilter', 'eth_newFilter'],
  ...['eth_newPendingTransactionFilter', 'eth_sendRawTransaction', 'eth_syncing'],
  ...['eth_uninstallFilter', 'net_listening', 'net_version', 'web3_clientVersion', 'web3_sha3'],
])

const MAX_BATCH = 10

type HandleJsonRpc = (text: string) => Promise<string>

export interface SandboxRpcHandlers {
  readonly handleChainRpc: HandleJsonRpc
  readonly handleWalletRpc: HandleJsonRpc
}

export function addSandboxRoutes(
  http: Hono<HttpEnv>,
  { handleChainRpc, handleWalletRpc }: SandboxRpcHandlers,
  { baseUrl }: { readonly baseUrl: string },
): void {
  // Loaded with the first request, because it loads the MCP SDK.
  const loadGuard = memoizeAsync(async () =>
    (await import('../mcp/json-rpc.js')).createJsonRpcGuard(baseUrl),
  )
  const addRpcRoute = (path: string, handle: HandleJsonRpc) =>
    addPostRoute(http, path, async (c) => {
      const checkHeaders = await loadGuard()
      const rejection = checkHeaders(c.req.raw.headers)
      if (rejection) return withCollectedHeaders(c, rejection)
      return respondJson(c, await handle(c.get('body') ?? ''))
    })
  addRpcRoute(PATHS.sandboxChain, async (text) => rejectChainRpc(text) ?? handleChainRpc(text))
  addRpcRoute(PATHS.sandboxWallet, handleWalletRpc)
}

/** The error response for what the public may not send; null if the chain may handle it. */
function rejectChainRpc(text: string): string | null {
  const methods = requestedMethods(text)
  if (methods === null) return rpcError(-32_700, 'The body is not JSON.')
  const isAllowed =
    methods.length <= MAX_BATCH && methods.every((method) => PUBLIC_METHODS.has(method))
  return isAllowed
    ? null
    : rpcError(-32_601, `You can only call public node methods here, at most ${MAX_BATCH} at once.`)
}

/** Null if the text is not JSON. */
function requestedMethods(text: string): string[] | null {
  try {
    return [JSON.parse(text)].flat().map((request) => String(request?.method))
  } catch {
    return null
  }
}

function rpcError(code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })
}
