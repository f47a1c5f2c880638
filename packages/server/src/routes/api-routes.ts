/** The HTTP API: one path per operation, and the health checks. */
import type { Hono } from 'hono'
import { addGetRoute, withOperationId } from '../http/add-route.js'
import { type FreeReportOptions, freeReportHandler } from '../http/free-report-handler.js'
import { healthz, type ReadinessOptions, readyz } from '../http/health.js'
import type { HttpEnv } from '../http/http-env.js'
import { type PaidReportOptions, paidReportHandler } from '../http/paid-report-handler.js'
import { type ConsumeRateLimit, withRateLimit } from '../http/rate-limit.js'
import { isPaid, type Operation } from '../operations/operation.js'
import { PATHS } from '../operations/service-paths.js'

export interface ApiRoutesOptions extends FreeReportOptions, PaidReportOptions, ReadinessOptions {
  readonly operations: readonly Operation[]
  readonly consumeRateLimit: ConsumeRateLimit
}

export function addApiRoutes(http: Hono<HttpEnv>, options: ApiRoutesOptions): void {
  const rateLimited = withRateLimit(options.consumeRateLimit)
  for (const operation of options.operations) {
    const handle = isPaid(operation)
      ? paidReportHandler(operation, options)
      : rateLimited(freeReportHandler(operation, options))
    addGetRoute(http, operation.path, withOperationId(operation, handle))
  }
  addGetRoute(http, PATHS.alive, healthz)
  addGetRoute(http, PATHS.ready, readyz(options))
}
