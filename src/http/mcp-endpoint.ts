/** The door of HTTP to MCP: who comes in, and how what comes out is sent. */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Problem } from '../operations/perform.js'
import { problemDetails } from '../operations/problem-details.js'
import { PROBLEMS } from '../operations/problems.js'
import type { HttpEnv } from './http-env.js'
import type { Handle, Refuse } from './mount.js'
import type { TakeTurn } from './rate-limit.js'

export interface McpEndpointOptions {
  readonly answer: (request: Request, visit: Visit) => Promise<Response>
  readonly takeTurn: TakeTurn
}

interface Visit {
  readonly requestId: string
  readonly signal: AbortSignal
  takeTurn(): Promise<Problem | null>
}

export function mcpEndpoint({ answer, takeTurn }: McpEndpointOptions): Handle {
  return async function handleMcp(c) {
    const { raw } = c.req
    const response = await answer(raw, {
      requestId: c.var.requestId,
      signal: raw.signal,
      takeTurn: () => takeTurn(c),
    })
    return passOn(c, response)
  }
}

/** With the headers of every response of ours. */
async function passOn(c: Context<HttpEnv>, response: Response): Promise<Response> {
  const status = response.status as ContentfulStatusCode
  const type = response.headers.get('content-type')
  if (type === null || !response.body) return c.body(null, status)
  const headers = { 'content-type': type }
  if (type === 'text/event-stream') return c.body(response.body, status, headers)
  // A text is sent at once; a stream of it would take the server's slow path.
  return c.body(await response.text(), status, headers)
}

/** For a JSON-RPC client, who reads no problem details: the first of the codes left to servers. */
export const refuseRpc: Refuse = (c, code, words) => {
  const data = problemDetails(code, words, c.var)
  const error = { code: -32_000, message: words.detail, data }
  return c.json({ jsonrpc: '2.0', id: null, error }, PROBLEMS[code].status)
}
