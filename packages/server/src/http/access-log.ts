/** One line per request, with nothing in it that a caller may want to keep private. */
import type { Context } from 'hono'
import type { HttpEnv } from './http-env.js'

export interface AccessLogLine {
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

/** To be called when a request comes in; the line is written when its answer has gone. */
export function createAccessLog(write: (line: AccessLogLine) => void, now: () => number) {
  return function logRequest(c: Context<HttpEnv>): void {
    const { outgoing } = c.env
    const startedAt = now()
    // The socket knows the status when all is done; reading it off the response here would cost
    // the server its fast path.
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
