/** The door of HTTP to MCP: who comes in, and how what comes out is sent. */
import type { Context } from 'hono'
import { PROBLEM_TYPES } from '../operations/problem-types.js'
import type { Problem, RequestContext } from '../operations/run-operation.js'
import type { BodyHandler, SendProblem } from './add-route.js'
import type { HttpEnv } from './http-env.js'
import type { ConsumeRateLimit } from './rate-limit.js'
import type { ReadRequestContext } from './request-context.js'
import { responseHeaders } from './respond.js'

export interface McpEndpointOptions {
  readonly handleMcpRequest: (request: Request, body: string, visit: Visit) => Promise<Response>
  readonly consumeRateLimit: ConsumeRateLimit
  readonly readRequestContext: ReadRequestContext
}

interface Visit extends RequestContext {
  consumeRateLimit(): Promise<Problem | null>
}

export function mcpEndpointHandler({
  handleMcpRequest,
  consumeRateLimit,
  readRequestContext,
}: McpEndpointOptions): BodyHandler {
  return async function handleMcp(c, body) {
    const visit = { ...readRequestContext(c), consumeRateLimit: () => consumeRateLimit(c) }
    const response = await handleMcpRequest(c.req.raw, body, visit)
    return withOurHeaders(c, response)
  }
}

/** With the headers of ours, and otherwise untouched: to read it would cost the server its fast path. */
function withOurHeaders(c: Context<HttpEnv>, response: Response): Response {
  for (const [name, value] of Object.entries(responseHeaders(c))) response.headers.set(name, value)
  return response
}

/** For a client of JSON-RPC, who reads no problem details. */
export function createRpcProblemSender(
  makeError: (status: number, message: string) => Response,
): SendProblem {
  return (c, code, { detail }) => {
    c.set('problem', code)
    return withOurHeaders(c, makeError(PROBLEM_TYPES[code].status, detail))
  }
}
