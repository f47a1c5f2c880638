/** Our MCP endpoint over the suite's own tools, put together as in `app.ts`. */
import { randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import { everyResponse } from '../../src/http/every-response.js'
import type { HttpEnv } from '../../src/http/http-env.js'
import { mcpEndpoint, refuseBy } from '../../src/http/mcp-endpoint.js'
import { mountPost } from '../../src/http/mount.js'
import { startServer } from '../../src/http/server.js'
import { callerReader, visitorReader } from '../../src/http/visitor.js'
import { identityOf } from '../../src/mcp/identity.js'
import { createMcp } from '../../src/mcp/mcp.js'
import { REFUSED, rpcError } from '../../src/mcp/rpc-error.js'
import { PATHS } from '../../src/operations/paths.js'
import { FIXTURE_TOOLS } from './fixture-tools.js'

export interface FixtureServer {
  readonly url: string
  stop(): Promise<void>
}

export async function startFixtureServer(): Promise<FixtureServer> {
  const host = '127.0.0.1'
  const baseUrl = `http://${host}`
  const newRequestId = () => randomUUID()
  const { answer } = createMcp({
    identity: identityOf({ baseUrl, name: 'Fixtures', siteUrl: null }),
    tools: FIXTURE_TOOLS,
    baseUrl,
    // One of the tools fails on purpose.
    log: { call: () => {}, fault: () => {} },
    now: () => performance.now(),
  })
  const refuse = refuseBy((status, message) => rpcError(status, REFUSED, message))
  const http = new Hono<HttpEnv>()
  const setHeaders = everyResponse({ baseUrl, isDraining: () => false, newRequestId })
  http.use(async (c, next) => {
    setHeaders(c)
    await next()
  })
  const visitorOf = visitorReader(callerReader(0))
  const endpoint = mcpEndpoint({ answer, takeTurn: async () => null, visitorOf })
  mountPost(http, PATHS.mcp, endpoint, refuse)
  const server = await startServer(http, {
    host,
    port: 0,
    baseUrl,
    newRequestId,
    onRefused: () => {},
  })
  return { url: `${baseUrl}:${server.port}`, stop: () => server.stop(0, 0) }
}
