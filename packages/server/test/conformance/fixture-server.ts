/** Our MCP endpoint with the tools of the suite, assembled as in `app.ts`. */
import { randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import { addPostRoute } from '../../src/http/add-route.js'
import { createSetCommonHeaders } from '../../src/http/common-headers.js'
import type { HttpEnv } from '../../src/http/http-env.js'
import { startHttpServer } from '../../src/http/http-server.js'
import { createRpcProblemSender, mcpEndpointHandler } from '../../src/http/mcp-endpoint.js'
import { createReadCaller, createReadRequestContext } from '../../src/http/request-context.js'
import { jsonRpcErrorResponse, SERVER_ERROR } from '../../src/mcp/json-rpc-error.js'
import { createMcpRequestHandler } from '../../src/mcp/mcp-request-handler.js'
import { serverIdentity } from '../../src/mcp/server-identity.js'
import { PATHS } from '../../src/operations/service-paths.js'
import { FIXTURE_TOOLS } from './fixture-tools.js'

export interface FixtureServer {
  readonly url: string
  stop(): Promise<void>
}

export async function startFixtureServer(): Promise<FixtureServer> {
  const host = '127.0.0.1'
  const baseUrl = `http://${host}`
  const newRequestId = () => randomUUID()
  const { handle } = createMcpRequestHandler({
    identity: serverIdentity({ baseUrl, name: 'Fixtures', siteUrl: null }),
    tools: FIXTURE_TOOLS,
    baseUrl,
    // One of the tools fails on purpose.
    log: { toolCall: () => {}, fault: () => {} },
    now: () => performance.now(),
  })
  const sendProblem = createRpcProblemSender((status, message) =>
    jsonRpcErrorResponse(status, SERVER_ERROR, message),
  )
  const http = new Hono<HttpEnv>()
  const setHeaders = createSetCommonHeaders({ baseUrl, isDraining: () => false, newRequestId })
  http.use(async (c, next) => {
    setHeaders(c)
    await next()
  })
  const readRequestContext = createReadRequestContext(createReadCaller(0))
  const endpoint = mcpEndpointHandler({
    handleMcpRequest: handle,
    consumeRateLimit: async () => null,
    readRequestContext,
  })
  addPostRoute(http, PATHS.mcp, endpoint, sendProblem)
  const server = await startHttpServer(http, {
    host,
    port: 0,
    baseUrl,
    newRequestId,
    onClientError: () => {},
  })
  return { url: `${baseUrl}:${server.port}`, stop: () => server.stop(0, 0) }
}
