/** One line per request, with nothing in it that a caller may want to keep private. */
import type { MiddlewareHandler } from 'hono'
import type { HttpEnv } from './http-env.js'

export interface RequestLine {
  readonly requestId: string
  readonly method: string
  readonly route: string | null
  readonly status: number
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
        requestId: c.var.requestId,
        method: c.req.method,
        route: c.var.route ?? null,
        status: outgoing.statusCode,
        durationMs: Math.round(now() - startedAt),
        isAborted: !outgoing.writableFinished,
      }),
    )
    await next()
  }
}
