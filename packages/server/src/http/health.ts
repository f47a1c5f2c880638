/** `/healthz`: the process is alive. `/readyz`: it can serve requests. */
import type { Context } from 'hono'
import type { RouteHandler } from './add-route.js'
import type { HttpEnv } from './http-env.js'
import { respondJson, sendProblemJson } from './respond.js'

/** Readiness probes time out quickly. */
const HEALTH_TIMEOUT_MS = 300

export interface ReadinessOptions {
  readonly isDraining: () => boolean
  readonly resolvers: readonly ReadyResolver[]
  /** Answers without the internet; null outside the sandbox. */
  readonly demoResolver: string | null
  /** Resolves to null when payments can be taken, otherwise to the reason. Null: nothing is for sale. */
  readonly paymentsHealthProblem: (() => Promise<string | null>) | null
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
  demoResolver,
  paymentsHealthProblem,
}: ReadinessOptions): RouteHandler {
  const findResolver = () =>
    demoResolver === null
      ? firstAnsweringResolver(resolvers)
      : withHealthTimeout(firstAnsweringResolver(resolvers), null)
  return async (c) => {
    if (isDraining()) {
      return sendProblemJson(c, 'shutting_down', {
        detail: 'Not ready: this instance is shutting down.',
      })
    }
    const [liveResolver, payments] = await Promise.all([
      findResolver(),
      describePayments(paymentsHealthProblem),
    ])
    const resolver = liveResolver ?? demoResolver
    if (resolver === null) {
      return sendProblemJson(c, 'not_ready', { detail: 'Not ready: no DNS resolver answers.' })
    }
    // Free checks work without payments, so the instance is ready in any case.
    return respondJson(c, JSON.stringify({ status: 'ready', resolver, payments }))
  }
}

async function describePayments(
  healthProblem: ReadinessOptions['paymentsHealthProblem'],
): Promise<string> {
  if (healthProblem === null) return 'off'
  const problem = await withHealthTimeout(healthProblem(), 'no answer yet')
  return problem === null ? 'ready' : `unavailable: ${problem}`
}

async function withHealthTimeout<Value>(check: Promise<Value>, late: Value): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<Value>((resolve) => {
    timer = setTimeout(resolve, HEALTH_TIMEOUT_MS, late)
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
