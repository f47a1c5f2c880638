/** One line per request, with nothing in it that a caller may want to keep private. */
import type { MiddlewareHandler } from 'hono'
import type { HttpEnv } from './http-env.js'

export interface RequestLine {
  readonly requestId: string
  readonly method: string
  readonly route: string | null
  readonly operation: string | null
  readonly status: number
  /** The code of the problem that it ended with. */
  readonly problem: string | null
  readonly durationMs: number
  /** The caller hung up before the end. */
  readonly isAborted: boolean
}

export function accessLog(
  write: (line: RequestLine) => void,
  now: () => number,
): MiddlewareHandler<HttpEnv> {
  return async function logRequest(c, next) {
    const { outgoing } = c.env
    const startedAt = now()
    // The socket knows the status when all is done; reading it off the response here would cost
    // the server its fast path.
    outgoing?.once('close', () =>
      write({
        requestId: c.get('requestId'),
        method: c.req.method,
        route: c.get('route') ?? null,
        operation: c.get('operation') ?? null,
        status: outgoing.statusCode,
        problem: c.get('problem') ?? null,
        durationMs: Math.round(now() - startedAt),
        isAborted: !outgoing.writableFinished,
      }),
    )
    await next()
  }
}
