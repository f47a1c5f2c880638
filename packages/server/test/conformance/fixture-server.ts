/** Our MCP endpoint with the tools of the suite, assembled as in `app.ts`. */
import { randomUUID } from 'node:crypto'
import { serverIdentity } from '@mailgrade/operations/mcp/server-identity'
import { Hono } from 'hono'
import { commonHeaders, requestId } from '../../src/http/http-app.js'
import { startHttpServer } from '../../src/http/http-server.js'
import { createReadCaller, createReadRequestContext } from '../../src/http/request-context.js'
import type { HttpEnv } from '../../src/http/respond.js'
import { createMcpRequestHandler } from '../../src/mcp/mcp-request-handler.js'
import { addMcpEndpoint } from '../../src/routes/mcp-routes.js'
import { FIXTURE_TOOLS } from './fixture-tools.js'

export interface FixtureServer {
  readonly url: string
  stop(): Promise<void>
}

export async function startFixtureServer(): Promise<FixtureServer> {
  const host = '127.0.0.1'
  const baseUrl = `http://${host}`
  const newRequestId = () => randomUUID()
  const mcp = createMcpRequestHandler({
    identity: serverIdentity({ baseUrl, name: 'Fixtures', siteUrl: null }),
    tools: FIXTURE_TOOLS,
    instructions: 'For the conformance suite.',
    baseUrl,
    // One of the tools fails on purpose.
    log: { toolCall: () => {}, error: () => {} },
    now: () => performance.now(),
  })
  const http = new Hono<HttpEnv>()
  http.use(requestId(newRequestId))
  http.use(commonHeaders({ baseUrl, isDraining: () => false }))
  addMcpEndpoint(http, mcp, {
    consumeRateLimit: async () => null,
    readRequestContext: createReadRequestContext(createReadCaller(0)),
  })
  const server = await startHttpServer(http, {
    host,
    port: 0,
    baseUrl,
    newRequestId,
    onClientError: () => {},
  })
  return { url: `${baseUrl}:${server.port}`, stop: () => server.stop(0, 0) }
}
