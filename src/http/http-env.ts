import type { HttpBindings } from '@hono/node-server'

/** What every handler finds in its context. */
export interface HttpEnv {
  /** Absent when a request does not come from a socket, as in tests. */
  Bindings: Partial<HttpBindings>
  Variables: {
    requestId: string
    baseUrl: string
    /** The route that matched, for the log; a path as given may hold what must not be logged. */
    route: string | undefined
  }
}
