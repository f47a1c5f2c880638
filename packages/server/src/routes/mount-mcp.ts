/** MCP at its path, the card that tells of it, and the catalogue that leads there. */

import type { Hono } from 'hono'
import { mountDocument } from '../http/document.js'
import type { HttpEnv } from '../http/http-env.js'
import { mcpEndpoint, refuseBy } from '../http/mcp-endpoint.js'
import { mountPost } from '../http/mount.js'
import { once } from '../http/once.js'
import type { TakeTurn } from '../http/rate-limit.js'
import type { VisitorOf } from '../http/visitor.js'
import type { OpenMcpOptions } from '../mcp/open-mcp.js'
import { REFUSED, rpcError } from '../mcp/rpc-error.js'
import {
  AI_CATALOG_PATH,
  AI_CATALOG_TYPE,
  aiCatalog,
  SERVER_CARD_PATHS,
  SERVER_CARD_TYPE,
  serverCard,
} from '../mcp/server-card.js'
import { PATHS } from '../operations/paths.js'

export interface MountMcpOptions extends OpenMcpOptions {
  readonly takeTurn: TakeTurn
  readonly visitorOf: VisitorOf
}

export function mountMcp(http: Hono<HttpEnv>, options: MountMcpOptions): void {
  // By need: the SDK takes a quarter of a second to load.
  const mcp = once(async () => (await import('../mcp/open-mcp.js')).openMcp(options))
  const endpoint = mcpEndpoint({
    answer: async (...request) => (await mcp()).answer(...request),
    takeTurn: options.takeTurn,
    visitorOf: options.visitorOf,
  })
  const refuse = refuseBy((status, message) => rpcError(status, REFUSED, message))
  mountPost(http, PATHS.mcp, endpoint, refuse)

  for (const path of SERVER_CARD_PATHS) {
    mountDocument(http, path, {
      type: SERVER_CARD_TYPE,
      body: () => JSON.stringify(serverCard(options)),
    })
  }
  mountDocument(http, AI_CATALOG_PATH, {
    type: AI_CATALOG_TYPE,
    body: () => JSON.stringify(aiCatalog(options)),
  })
}
