import type { HttpBindings } from '@hono/node-server'

/** The type of Hono's context in every handler. */
export interface HttpEnv {
  /** Set by the Node server; absent when a test calls the app directly. */
  Bindings: {
    readonly incoming?: {
      readonly socket: Pick<HttpBindings['incoming']['socket'], 'remoteAddress'>
    }
    readonly outgoing?: HttpBindings['outgoing']
  }
  Variables: {
    requestId: string
    /** The response headers so far. */
    headers: Record<string, string> | undefined
    baseUrl: string
    /** The route that matched, for the log: the path itself may contain private data. */
    route: string | undefined
    /** The body of a POST request. */
    body: string | undefined
    /** The operation's id, if the route has one. */
    operation: string | undefined
    /** The problem code, if the response is a problem. */
    problem: string | undefined
  }
}
