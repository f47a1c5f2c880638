/** The door of HTTP to MCP: who comes in, and how what comes out is sent. */
import type { Context } from 'hono'
import type { Problem } from '../operations/perform.js'
import { PROBLEMS } from '../operations/problems.js'
import type { HttpEnv } from './http-env.js'
import type { HandleBody, Refuse } from './mount.js'
import type { TakeTurn } from './rate-limit.js'

export interface McpEndpointOptions {
  readonly answer: (request: Request, body: string, visit: Visit) => Promise<Response>
  readonly takeTurn: TakeTurn
}

interface Visit {
  readonly requestId: string
  readonly signal: AbortSignal
  takeTurn(): Promise<Problem | null>
}

export function mcpEndpoint({ answer, takeTurn }: McpEndpointOptions): HandleBody {
  return async function handleMcp(c, body) {
    const { raw } = c.req
    const response = await answer(raw, body, {
      requestId: c.var.requestId,
      signal: raw.signal,
      takeTurn: () => takeTurn(c),
    })
    return withOurHeaders(c, response)
  }
}

/** With the headers of ours, and otherwise untouched: to read it would cost the server its fast path. */
function withOurHeaders(c: Context<HttpEnv>, response: Response): Response {
  for (const [name, value] of c.body(null).headers) response.headers.set(name, value)
  return response
}

/** For a client of JSON-RPC, who reads no problem details. */
export function refuseBy(makeError: (status: number, message: string) => Response): Refuse {
  return (c, code, { detail }) => withOurHeaders(c, makeError(PROBLEMS[code].status, detail))
}
