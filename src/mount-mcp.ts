/** MCP at its path, and the card that tells of it. */
import type { Hono } from 'hono'
import type { HttpEnv } from './http/http-env.js'
import { mcpEndpoint, refuseBy } from './http/mcp-endpoint.js'
import { mountGet, mountPost } from './http/mount.js'
import type { TakeTurn } from './http/rate-limit.js'
import { MCP_PATH } from './mcp/identity.js'
import type { OpenMcpOptions } from './mcp/open-mcp.js'
import { REFUSED, rpcError } from './mcp/rpc-error.js'
import { SERVER_CARD_PATHS, SERVER_CARD_TYPE, serverCard } from './mcp/server-card.js'
import { once } from './once.js'

export interface MountMcpOptions extends OpenMcpOptions {
  readonly takeTurn: TakeTurn
}

export function mountMcp(http: Hono<HttpEnv>, options: MountMcpOptions): void {
  // By need: the SDK takes a quarter of a second to load.
  const mcp = once(async () => (await import('./mcp/open-mcp.js')).openMcp(options))
  const endpoint = mcpEndpoint({
    answer: async (...request) => (await mcp()).answer(...request),
    takeTurn: options.takeTurn,
  })
  const refuse = refuseBy((status, message) => rpcError(status, REFUSED, message))
  mountPost(http, MCP_PATH, endpoint, refuse)

  const card = JSON.stringify(serverCard(options))
  for (const path of SERVER_CARD_PATHS) {
    mountGet(http, path, (c) => {
      c.header('Cache-Control', 'public, max-age=3600')
      return c.body(card, 200, { 'content-type': SERVER_CARD_TYPE })
    })
  }
}
