/** The HTTP API: one path per operation, and the health checks. */
import { isPaid, type Operation } from '@mailgrade/operations/operation'
import { PATHS } from '@mailgrade/operations/service-paths'
import type { Context, Hono } from 'hono'
import { addGetRoute, operationId, type RouteHandler } from '../http/add-route.js'
import { type ConsumeRateLimit, rateLimit } from '../http/rate-limit.js'
import {
  type FreeReportOptions,
  freeReportHandler,
  type PaidReportOptions,
  paidReportHandler,
} from '../http/report-handlers.js'
import { type HttpEnv, respondJson, sendProblemJson } from '../http/respond.js'

export interface ApiRoutesOptions extends FreeReportOptions, PaidReportOptions, ReadinessOptions {
  readonly operations: readonly Operation[]
  readonly consumeRateLimit: ConsumeRateLimit
}

export function addApiRoutes(http: Hono<HttpEnv>, options: ApiRoutesOptions): void {
  const limitRate = rateLimit(options.consumeRateLimit)
  for (const operation of options.operations) {
    const handlers = isPaid(operation)
      ? [paidReportHandler(operation, options)]
      : [limitRate, freeReportHandler(operation, options)]
    addGetRoute(http, operation.path, operationId(operation), ...handlers)
  }
  addGetRoute(http, PATHS.alive, healthz)
  addGetRoute(http, PATHS.ready, readyz(options))
}

const NOT_FOR_SALE = {
  detail:
    'This instance doesn’t sell reports. You weren’t charged. For its free checks, see /openapi.json.',
}

/** Callers may know these paths from another instance. */
export function addNotForSaleRoutes(http: Hono<HttpEnv>, operations: readonly Operation[]): void {
  for (const { path } of operations) {
    addGetRoute(http, path, (c) => sendProblemJson(c, 'not_found', NOT_FOR_SALE))
  }
}

/** Readiness probes time out quickly. */
const HEALTH_TIMEOUT_MS = 300

interface ReadinessOptions {
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

/** The process is alive. */
function healthz(c: Context<HttpEnv>): Response {
  return respondJson(c, '{"status":"ok"}')
}

/** It can serve requests. */
function readyz({
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
      return sendProblemJson(c, 'not_ready', {
        detail: 'Not ready: no DNS resolver is responding.',
      })
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
