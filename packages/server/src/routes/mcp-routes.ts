/** MCP: the endpoint, the server card and the AI catalog. */
import { PROBLEM_TYPES } from '@mailgrade/operations/problem-types'
import { PATHS } from '@mailgrade/operations/service-paths'
import type { Hono } from 'hono'
import { addPostRoute, type RouteHandler } from '../http/add-route.js'
import { acceptsHtmlFirst } from '../http/html-response.js'
import type { ConsumeRateLimit } from '../http/rate-limit.js'
import type { ReadRequestContext } from '../http/request-context.js'
import { type HttpEnv, type SendProblem, withCollectedHeaders } from '../http/respond.js'
import { addDocumentRoute } from '../http/static-document.js'
import { jsonRpcErrorResponse, SERVER_ERROR } from '../mcp/json-rpc-error.js'
import type { McpRequestHandler, OperationsMcpOptions } from '../mcp/mcp-request-handler.js'
import {
  AI_CATALOG_PATH,
  AI_CATALOG_TYPE,
  aiCatalog,
  SERVER_CARD_PATHS,
  SERVER_CARD_TYPE,
  serverCard,
} from '../mcp/server-card.js'
import { memoizeAsync } from '../state/memoize-async.js'

interface McpEndpointOptions {
  readonly consumeRateLimit: ConsumeRateLimit
  readonly readRequestContext: ReadRequestContext
  /** Explains the endpoint to a person who opens its URL in a browser. */
  readonly sendEndpointPage?: SendProblem
}

export interface McpRoutesOptions extends OperationsMcpOptions, McpEndpointOptions {}

export function addMcpRoutes(http: Hono<HttpEnv>, options: McpRoutesOptions): void {
  // Loaded with the first request: the SDK takes a quarter of a second.
  const loadMcp = memoizeAsync(async () =>
    (await import('../mcp/mcp-request-handler.js')).createOperationsMcp(options),
  )
  addMcpEndpoint(
    http,
    { handle: async (...request) => (await loadMcp()).handle(...request) },
    options,
  )

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

export function addMcpEndpoint(
  http: Hono<HttpEnv>,
  { handle }: McpRequestHandler,
  { consumeRateLimit, readRequestContext, sendEndpointPage }: McpEndpointOptions,
): void {
  const handlePost: RouteHandler = async (c) => {
    const context = { ...readRequestContext(c), consumeRateLimit: () => consumeRateLimit(c) }
    return withCollectedHeaders(c, await handle(c.req.raw, c.get('body') ?? '', context))
  }
  /** JSON-RPC clients do not read problem details. */
  const sendRpcError: SendProblem = (c, code, { detail }) => {
    c.set('problem', code)
    const { status } = PROBLEM_TYPES[code]
    return withCollectedHeaders(c, jsonRpcErrorResponse(status, SERVER_ERROR, detail))
  }
  const sendProblem: SendProblem = (c, ...problem) =>
    sendEndpointPage && c.req.method === 'GET' && acceptsHtmlFirst(c)
      ? sendEndpointPage(c, ...problem)
      : sendRpcError(c, ...problem)
  addPostRoute(http, PATHS.mcp, handlePost, sendProblem)
}
