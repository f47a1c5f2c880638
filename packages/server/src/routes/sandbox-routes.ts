/** The sandbox's chain and demo wallet as JSON-RPC endpoints. */

import { PATHS } from '@mailgrade/operations/service-paths'
import type { Hono } from 'hono'
import { addPostRoute } from '../http/add-route.js'
import type { HttpEnv } from '../http/http-env.js'
import { respondJson } from '../http/respond.js'

/** What a public node of a real chain offers; nothing that would let callers control the chain. */
const PUBLIC_METHOD = /^(eth|net|web3)_(?!sendTransaction|sign)/

const MAX_BATCH = 10

type HandleJsonRpc = (text: string) => Promise<string>

export interface SandboxRpcHandlers {
  readonly handleChainRpc: HandleJsonRpc
  readonly handleWalletRpc: HandleJsonRpc
}

export function addSandboxRoutes(
  http: Hono<HttpEnv>,
  { handleChainRpc, handleWalletRpc }: SandboxRpcHandlers,
): void {
  const addRpcRoute = (path: string, handle: HandleJsonRpc) =>
    addPostRoute(http, path, async (c) => respondJson(c, await handle(c.get('body') ?? '')))
  addRpcRoute(PATHS.sandboxChain, async (text) => rejectChainRpc(text) ?? handleChainRpc(text))
  addRpcRoute(PATHS.sandboxWallet, handleWalletRpc)
}

/** The error response for what the public may not send; null if the chain may handle it. */
function rejectChainRpc(text: string): string | null {
  const methods = requestedMethods(text)
  if (methods === null) return rpcError(-32_700, 'The body is not JSON.')
  const isAllowed =
    methods.length <= MAX_BATCH && methods.every((method) => PUBLIC_METHOD.test(method))
  return isAllowed
    ? null
    : rpcError(-32_601, `Only public node methods are allowed here, at most ${MAX_BATCH} at once.`)
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
