import type { HttpBindings } from '@hono/node-server'

/** What every handler finds in its context. */
export interface HttpEnv {
  /** What comes from the socket; absent when a request does not, as in tests. */
  Bindings: {
    readonly incoming?: {
      readonly socket: Pick<HttpBindings['incoming']['socket'], 'remoteAddress'>
    }
    readonly outgoing?: HttpBindings['outgoing']
  }
  Variables: {
    requestId: string
    /** What the answer will carry. */
    headers: Record<string, string> | undefined
    baseUrl: string
    /** The route that matched, for the log; a path as given may hold what must not be logged. */
    route: string | undefined
    /** The operation that was asked for, if it was one. */
    operation: string | undefined
    /** The code of the problem that it ended with, if it did. */
    problem: string | undefined
  }
}
