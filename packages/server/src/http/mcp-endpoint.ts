/** The door of HTTP to MCP: who comes in, and how what comes out is sent. */
import type { Context } from 'hono'
import type { Problem, Visitor } from '../operations/perform.js'
import { PROBLEMS } from '../operations/problems.js'
import type { HttpEnv } from './http-env.js'
import type { HandleBody, Refuse } from './mount.js'
import type { TakeTurn } from './rate-limit.js'
import { headersOf } from './reply.js'
import type { VisitorOf } from './visitor.js'

export interface McpEndpointOptions {
  readonly answer: (request: Request, body: string, visit: Visit) => Promise<Response>
  readonly takeTurn: TakeTurn
  readonly visitorOf: VisitorOf
}

interface Visit extends Visitor {
  takeTurn(): Promise<Problem | null>
}

export function mcpEndpoint({ answer, takeTurn, visitorOf }: McpEndpointOptions): HandleBody {
  return async function handleMcp(c, body) {
    const visit = { ...visitorOf(c), takeTurn: () => takeTurn(c) }
    const response = await answer(c.req.raw, body, visit)
    return withOurHeaders(c, response)
  }
}

/** With the headers of ours, and otherwise untouched: to read it would cost the server its fast path. */
function withOurHeaders(c: Context<HttpEnv>, response: Response): Response {
  for (const [name, value] of Object.entries(headersOf(c))) response.headers.set(name, value)
  return response
}

/** For a client of JSON-RPC, who reads no problem details. */
export function refuseBy(makeError: (status: number, message: string) => Response): Refuse {
  return (c, code, { detail }) => {
    c.set('problem', code)
    return withOurHeaders(c, makeError(PROBLEMS[code].status, detail))
  }
}
