/** The HTTP shell: parameters in, results and problems out; it judges nothing. */
import { Hono, type MiddlewareHandler } from 'hono'
import { internalProblem } from '../operations/internal-problem.js'
import { isPaid, type Operation } from '../operations/operation.js'
import { MAX_URL_CHARACTERS, REJECTED_REQUEST_DETAILS } from '../operations/problem-types.js'
import type { ProblemLog } from '../operations/run-operation.js'
import { PATHS } from '../operations/service-paths.js'
import type { PaymentLog } from '../payments/handle-paid-request.js'
import { type AccessLogLine, createAccessLog } from './access-log.js'
import { addGetRoute, type SendProblem, withOperationId } from './add-route.js'
import { type CommonHeadersOptions, createSetCommonHeaders } from './common-headers.js'
import { type FreeReportOptions, freeReportHandler } from './free-report-handler.js'
import { healthz, type ReadinessOptions, readyz } from './health.js'
import { prefersHtml } from './html-response.js'
import type { HttpEnv } from './http-env.js'
import { type PaidReportOptions, paidReportHandler } from './paid-report-handler.js'
import { type ConsumeRateLimit, type RateLimitLog, withRateLimit } from './rate-limit.js'
import { respond, setHeader } from './respond.js'

const NOWHERE = {
  detail:
    'There is nothing at this address. /docs leads to everything there is, /openapi.json lists it for programs, and agents call POST /mcp.',
}

export interface HttpLog extends ProblemLog, PaymentLog, RateLimitLog {
  request(line: AccessLogLine): void
  /** A fault of ours, which the caller sees as a 500. */
  fault(error: unknown, requestId: string): void
}

export interface HttpAppOptions
  extends CommonHeadersOptions,
    ReadinessOptions,
    FreeReportOptions,
    PaidReportOptions {
  readonly operations: readonly Operation[]
  readonly consumeRateLimit: ConsumeRateLimit
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** Goes around every request, if anybody wants to. */
  readonly tracingMiddleware?: MiddlewareHandler<HttpEnv>
  /** How it says no where nothing else answers. */
  readonly sendProblem: SendProblem
  readonly log: HttpLog
}

export function createHttpApp(options: HttpAppOptions): Hono<HttpEnv> {
  const { baseUrl, operations, now, tracingMiddleware, consumeRateLimit, log, sendProblem } =
    options
  const app = new Hono<HttpEnv>()
  const setHeaders = createSetCommonHeaders(options)
  const logRequest = createAccessLog(log.request, now)
  // One for all of it: each by itself would cost a short answer as much as what it does.
  app.use(async function receive(c, next) {
    setHeaders(c)
    logRequest(c)
    if (isTooLong(c.req.url)) {
      return sendProblem(c, 'uri_too_long', { detail: REJECTED_REQUEST_DETAILS.uri_too_long })
    }
    return next()
  })
  if (tracingMiddleware) app.use(tracingMiddleware)
  app.onError((error, c) => {
    log.fault(error, c.get('requestId'))
    const { code, ...words } = internalProblem(c.req.header('payment-signature') !== undefined)
    return sendProblem(c, code, words)
  })
  app.notFound((c) => {
    const { pathname, search } = new URL(c.req.url)
    const trimmed = pathname.replace(/\/+$/, '')
    // People add a slash; programs should learn that the address is another.
    if (trimmed !== pathname && prefersHtml(c)) {
      setHeader(c, 'Location', baseUrl + trimmed + search)
      return respond(c, null, 308)
    }
    return sendProblem(c, 'not_found', NOWHERE)
  })

  const free = withRateLimit(consumeRateLimit)
  for (const operation of operations) {
    const handle = isPaid(operation)
      ? paidReportHandler(operation, options)
      : free(freeReportHandler(operation, options))
    addGetRoute(app, operation.path, withOperationId(operation, handle))
  }
  addGetRoute(app, PATHS.alive, healthz)
  addGetRoute(app, PATHS.ready, readyz(options))
  return app
}

function isTooLong(url: string): boolean {
  const pathAt = url.indexOf('/', url.indexOf('//') + 2)
  return url.length - pathAt > MAX_URL_CHARACTERS
}
