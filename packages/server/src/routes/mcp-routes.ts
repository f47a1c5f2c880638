/** MCP at its path, the card that tells of it, and the catalogue that leads there. */

import type { Hono } from 'hono'
import { addPostRoute } from '../http/add-route.js'
import type { HttpEnv } from '../http/http-env.js'
import { createRpcProblemSender, mcpEndpointHandler } from '../http/mcp-endpoint.js'
import { memoizeAsync } from '../http/memoize-async.js'
import type { ConsumeRateLimit } from '../http/rate-limit.js'
import type { ReadRequestContext } from '../http/request-context.js'
import { addDocumentRoute } from '../http/static-document.js'
import { jsonRpcErrorResponse, SERVER_ERROR } from '../mcp/json-rpc-error.js'
import type { OperationsMcpOptions } from '../mcp/operations-mcp.js'
import {
  AI_CATALOG_PATH,
  AI_CATALOG_TYPE,
  aiCatalog,
  SERVER_CARD_PATHS,
  SERVER_CARD_TYPE,
  serverCard,
} from '../mcp/server-card.js'
import { PATHS } from '../operations/service-paths.js'

export interface McpRoutesOptions extends OperationsMcpOptions {
  readonly consumeRateLimit: ConsumeRateLimit
  readonly readRequestContext: ReadRequestContext
}

export function addMcpRoutes(http: Hono<HttpEnv>, options: McpRoutesOptions): void {
  // By need: the SDK takes a quarter of a second to load.
  const mcp = memoizeAsync(async () =>
    (await import('../mcp/operations-mcp.js')).createOperationsMcp(options),
  )
  const endpoint = mcpEndpointHandler({
    handleMcpRequest: async (...request) => (await mcp()).handle(...request),
    consumeRateLimit: options.consumeRateLimit,
    readRequestContext: options.readRequestContext,
  })
  const refuse = createRpcProblemSender((status, message) =>
    jsonRpcErrorResponse(status, SERVER_ERROR, message),
  )
  addPostRoute(http, PATHS.mcp, endpoint, refuse)

  for (const path of SERVER_CARD_PATHS) {
    addDocumentRoute(http, path, {
      type: SERVER_CARD_TYPE,
      body: () => JSON.stringify(serverCard(options)),
    })
  }
  addDocumentRoute(http, AI_CATALOG_PATH, {
    type: AI_CATALOG_TYPE,
    body: () => JSON.stringify(aiCatalog(options)),
  })
}
