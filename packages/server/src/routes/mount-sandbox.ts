/** The sandbox's chain and its wallet, each at its path. */
import type { Hono } from 'hono'
import { type AnswerRpc, chainRpc } from '../http/chain-rpc.js'
import type { HttpEnv } from '../http/http-env.js'
import { mountPost } from '../http/mount.js'
import { replyJson } from '../http/reply.js'
import { PATHS } from '../operations/paths.js'

/** The chain, for whoever wants to look at it, and the wallet that pays there. */
export interface SandboxDoors {
  readonly chain: AnswerRpc
  readonly wallet: AnswerRpc
}

export function mountSandbox(http: Hono<HttpEnv>, { chain, wallet }: SandboxDoors): void {
  mountPost(http, PATHS.sandboxChain, chainRpc(chain))
  mountPost(http, PATHS.sandboxWallet, async (c, text) => replyJson(c, await wallet(text)))
}
