/** `/healthz`: the process is alive. `/readyz`: it can do its work, so send it callers. */
import type { Context } from 'hono'
import type { HttpEnv } from './http-env.js'
import { problem } from './problem.js'

export interface ReadinessOptions {
  readonly isDraining: () => boolean
  readonly resolverHealth: () => Promise<{ name: string; isAnswering: boolean }[]>
}

export function healthz(c: Context<HttpEnv>): Response {
  return c.json({ status: 'ok' })
}

export function readyz({ isDraining, resolverHealth }: ReadinessOptions) {
  return async (c: Context<HttpEnv>): Promise<Response> => {
    if (isDraining()) {
      return problem(c, 'shutting_down', { detail: 'This instance takes no new callers.' })
    }
    const resolvers = await resolverHealth()
    const isReady = resolvers.some((resolver) => resolver.isAnswering)
    return c.json({ status: isReady ? 'ready' : 'unready', resolvers }, isReady ? 200 : 503)
  }
}
