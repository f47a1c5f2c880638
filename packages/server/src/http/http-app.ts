/** The HTTP shell: parameters in, results and problems out; it judges nothing. */
import { Hono, type MiddlewareHandler } from 'hono'
import { isPaid, type Operation } from '../operations/operation.js'
import { PATHS } from '../operations/paths.js'
import type { ProblemLog } from '../operations/perform.js'
import { MAX_URL_CHARACTERS, REFUSALS } from '../operations/refusals.js'
import type { SaleLog } from '../payments/counter.js'
import { fault } from '../payments/setbacks.js'
import { accessLog, type RequestLine } from './access-log.js'
import { type EveryResponseOptions, everyResponse } from './every-response.js'
import { giveReport, type ReportOptions } from './give-report.js'
import { healthz, type ReadinessOptions, readyz } from './health.js'
import type { HttpEnv } from './http-env.js'
import { asking, mountGet, type Refuse } from './mount.js'
import { wantsPage } from './page.js'
import { type LimitLog, rateLimit, type TakeTurn } from './rate-limit.js'
import { carry, reply } from './reply.js'
import { type SellOptions, sellReport } from './sell-report.js'

const NOWHERE = {
  detail:
    'There is nothing at this address. /docs leads to everything there is, /openapi.json lists it for programs, and agents call POST /mcp.',
}

export interface HttpLog extends ProblemLog, SaleLog, LimitLog {
  request(line: RequestLine): void
  /** A fault of ours, which the caller sees as a 500. */
  fault(error: unknown, requestId: string): void
}

export interface HttpOptions
  extends EveryResponseOptions,
    ReadinessOptions,
    ReportOptions,
    SellOptions {
  readonly operations: readonly Operation[]
  readonly takeTurn: TakeTurn
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** Goes around every request, if anybody wants to. */
  readonly around?: MiddlewareHandler<HttpEnv>
  /** How it says no where nothing else answers. */
  readonly refuse: Refuse
  readonly log: HttpLog
}

export function createHttpApp(options: HttpOptions): Hono<HttpEnv> {
  const { baseUrl, operations, now, around, takeTurn, log, refuse } = options
  const app = new Hono<HttpEnv>()
  const setHeaders = everyResponse(options)
  const logRequest = accessLog(log.request, now)
  // One for all of it: each by itself would cost a short answer as much as what it does.
  app.use(async function receive(c, next) {
    setHeaders(c)
    logRequest(c)
    if (isTooLong(c.req.url)) {
      return refuse(c, 'uri_too_long', { detail: REFUSALS.uri_too_long })
    }
    return next()
  })
  if (around) app.use(around)
  app.onError((error, c) => {
    log.fault(error, c.get('requestId'))
    const { code, ...words } = fault(c.req.header('payment-signature') !== undefined)
    return refuse(c, code, words)
  })
  app.notFound((c) => {
    const { pathname, search } = new URL(c.req.url)
    const trimmed = pathname.replace(/\/+$/, '')
    // People add a slash; programs should learn that the address is another.
    if (trimmed !== pathname && wantsPage(c)) {
      carry(c, 'Location', baseUrl + trimmed + search)
      return reply(c, null, 308)
    }
    return refuse(c, 'not_found', NOWHERE)
  })

  const free = rateLimit(takeTurn)
  for (const operation of operations) {
    const handle = isPaid(operation)
      ? sellReport(operation, options)
      : free(giveReport(operation, options))
    mountGet(app, operation.path, asking(operation, handle))
  }
  mountGet(app, PATHS.alive, healthz)
  mountGet(app, PATHS.ready, readyz(options))
  return app
}

function isTooLong(url: string): boolean {
  const pathAt = url.indexOf('/', url.indexOf('//') + 2)
  return url.length - pathAt > MAX_URL_CHARACTERS
}
