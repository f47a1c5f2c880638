/** `/healthz`: the process is alive. `/readyz`: it can serve requests. */
import type { Context } from 'hono'
import type { RouteHandler } from './add-route.js'
import type { HttpEnv } from './http-env.js'
import { respondJson, sendProblemJson } from './respond.js'

const PAYMENTS_HEALTH_TIMEOUT_MS = 300

export interface ReadinessOptions {
  readonly isDraining: () => boolean
  readonly resolvers: readonly ReadyResolver[]
  /** Null when payments can be taken, otherwise the reason. */
  readonly paymentsHealthProblem: () => Promise<string | null>
}

interface ReadyResolver {
  readonly name: string
  isAnswering(): Promise<boolean>
}

export function healthz(c: Context<HttpEnv>): Response {
  return respondJson(c, '{"status":"ok"}')
}

export function readyz({
  isDraining,
  resolvers,
  paymentsHealthProblem,
}: ReadinessOptions): RouteHandler {
  return async (c) => {
    if (isDraining()) {
      return sendProblemJson(c, 'shutting_down', {
        detail: 'Not ready: this instance is shutting down.',
      })
    }
    const [resolver, healthProblem] = await Promise.all([
      firstAnsweringResolver(resolvers),
      withHealthTimeout(paymentsHealthProblem()),
    ])
    if (resolver === null) {
      return sendProblemJson(c, 'not_ready', { detail: 'Not ready: no DNS resolver answers.' })
    }
    // Free checks work without payments, so the instance is still ready.
    const payments = healthProblem === null ? 'ready' : `unavailable: ${healthProblem}`
    return respondJson(c, JSON.stringify({ status: 'ready', resolver, payments }))
  }
}

/** Readiness probes time out quickly, so a facilitator that hangs must not delay the response. */
async function withHealthTimeout(check: Promise<string | null>): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, PAYMENTS_HEALTH_TIMEOUT_MS, 'no answer yet')
  })
  return Promise.race([check, timeout]).finally(() => clearTimeout(timer))
}

function firstAnsweringResolver(resolvers: readonly ReadyResolver[]): Promise<string | null> {
  const probes = resolvers.map(async ({ name, isAnswering }) => {
    if (await isAnswering()) return name
    throw new Error(`${name} does not answer`)
  })
  return Promise.any(probes).catch(() => null)
}
