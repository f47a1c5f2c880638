/** The HTTP API: one path per operation, and the health checks. */

import { isPaid, type Operation } from '@mailgrade/operations/operation'
import { PATHS } from '@mailgrade/operations/service-paths'
import type { Hono } from 'hono'
import { addGetRoute, operationId } from '../http/add-route.js'
import { healthz, type ReadinessOptions, readyz } from '../http/health.js'
import type { HttpEnv } from '../http/http-env.js'
import { type ConsumeRateLimit, rateLimit } from '../http/rate-limit.js'
import {
  type FreeReportOptions,
  freeReportHandler,
  type PaidReportOptions,
  paidReportHandler,
} from '../http/report-handlers.js'
import { sendProblemJson } from '../http/respond.js'

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
    'This instance sells no reports. You were not charged. Its free checks are listed at /openapi.json.',
}

/** Callers may know these paths from another instance. */
export function addNotForSaleRoutes(http: Hono<HttpEnv>, operations: readonly Operation[]): void {
  for (const { path } of operations) {
    addGetRoute(http, path, (c) => sendProblemJson(c, 'not_found', NOT_FOR_SALE))
  }
}
