/** The sandbox's chain and its wallet, each at its path. */
import type { Hono } from 'hono'
import { addPostRoute } from '../http/add-route.js'
import { createChainRpcHandler, type HandleJsonRpc } from '../http/chain-rpc-handler.js'
import type { HttpEnv } from '../http/http-env.js'
import { respondJson } from '../http/respond.js'
import { PATHS } from '../operations/service-paths.js'

/** The chain, for whoever wants to look at it, and the wallet that pays there. */
export interface SandboxRpcHandlers {
  readonly handleChainRpc: HandleJsonRpc
  readonly handleWalletRpc: HandleJsonRpc
}

export function addSandboxRoutes(
  http: Hono<HttpEnv>,
  { handleChainRpc, handleWalletRpc }: SandboxRpcHandlers,
): void {
  addPostRoute(http, PATHS.sandboxChain, createChainRpcHandler(handleChainRpc))
  addPostRoute(http, PATHS.sandboxWallet, async (c, text) =>
    respondJson(c, await handleWalletRpc(text)),
  )
}
