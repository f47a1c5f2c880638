/** One log line per request, without anything private. */
import type { Context } from 'hono'
import type { HttpEnv } from './http-env.js'

export interface AccessLog {
  request(line: AccessLogLine): void
}

export interface AccessLogLine {
  readonly requestId: string
  readonly method: string
  readonly route: string | null
  readonly operation: string | null
  readonly status: number
  /** The problem code, if the response is a problem. */
  readonly problem: string | null
  readonly durationMs: number
  /** The caller disconnected before the response was complete. */
  readonly isAborted: boolean
}

/** Call it when a request arrives; the line is written when the response has been sent. */
export function createAccessLog(write: AccessLog['request'], now: () => number) {
  return function logAccess(c: Context<HttpEnv>): void {
    const { outgoing } = c.env
    const startedAt = now()
    // The socket has the final status. Reading it from `c.res` would leave the server's fast path.
    outgoing?.on('close', () =>
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
  }
}
