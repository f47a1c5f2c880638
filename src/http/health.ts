/** `/healthz`: the process is alive. `/readyz`: it can do its work, so send it callers. */
import type { Context } from 'hono'
import type { HttpEnv } from './http-env.js'
import { problem } from './problem.js'

export interface ReadinessOptions {
  readonly isDraining: () => boolean
  readonly resolvers: readonly ReadyResolver[]
}

interface ReadyResolver {
  readonly name: string
  isAnswering(): Promise<boolean>
}

export function healthz(c: Context<HttpEnv>): Response {
  return c.json({ status: 'ok' })
}

export function readyz({ isDraining, resolvers }: ReadinessOptions) {
  return async (c: Context<HttpEnv>): Promise<Response> => {
    if (isDraining()) {
      return problem(c, 'shutting_down', { detail: 'This instance takes no new callers.' })
    }
    const resolver = await firstToAnswer(resolvers)
    return resolver === null
      ? problem(c, 'not_ready', { detail: 'No DNS resolver answers.' })
      : c.json({ status: 'ready', resolver })
  }
}

/** One is enough, and none of the others is waited for. */
function firstToAnswer(resolvers: readonly ReadyResolver[]): Promise<string | null> {
  const answers = resolvers.map(async ({ name, isAnswering }) => {
    if (await isAnswering()) return name
    throw new Error(`${name} does not answer`)
  })
  return Promise.any(answers).catch(() => null)
}
