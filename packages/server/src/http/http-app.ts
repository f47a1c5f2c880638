/**
 * The HTTP application. A request passes these steps, top to bottom:
 *
 *  1. request id                                    common-headers.ts
 *  2. common headers (security, CORS)               common-headers.ts
 *  3. access log                                    access-log.ts
 *  4. URL length: 414                               below
 *  5. tracing, if it is on                          telemetry/tracing-wrappers.ts
 *  6. method: HEAD, CORS preflight, 405             add-route.ts
 *  7. body limit: 413, POST only                    add-route.ts
 *  8. rate limit: 429, or payment: 402              rate-limit.ts, paid-report-handler.ts
 *  9. concurrency limit: 503                        operations/
 * 10. ETag, 304 and gzip for documents and pages    static-document.ts, html-response.ts
 *
 * Steps 6 to 10 belong to a route; `routes/` says which of them a path uses.
 */
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { internalProblem } from '../operations/internal-problem.js'
import { MAX_URL_CHARACTERS, REJECTED_REQUEST_DETAILS } from '../operations/problem-types.js'
import { type AccessLog, createAccessLog } from './access-log.js'
import type { SendProblem } from './add-route.js'
import {
  type CommonHeadersOptions,
  createAssignRequestId,
  createSetCommonHeaders,
  type RequestIdOptions,
} from './common-headers.js'
import { prefersHtml } from './html-response.js'
import type { HttpEnv } from './http-env.js'
import { respond, setHeader } from './respond.js'

const NOT_FOUND = {
  detail:
    'Page not found. Go to the home page (/) or the docs (/docs). Programs: see /openapi.json, or call POST /mcp.',
}

export interface ErrorLog {
  /** An unexpected error. The caller sees it as a 500 without details. */
  error(error: unknown, requestId: string): void
}

export interface HttpAppOptions extends RequestIdOptions, CommonHeadersOptions {
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly tracingMiddleware?: MiddlewareHandler<HttpEnv>
  /** Sends the problems that no route is responsible for. */
  readonly sendProblem: SendProblem
  readonly log: AccessLog & ErrorLog
}

export function createHttpApp(options: HttpAppOptions): Hono<HttpEnv> {
  const { baseUrl, now, tracingMiddleware, log, sendProblem } = options
  const assignRequestId = createAssignRequestId(options)
  const setCommonHeaders = createSetCommonHeaders(options)
  const logAccess = createAccessLog(log.request, now)

  const app = new Hono<HttpEnv>()
  // One middleware for four steps: each further Hono layer adds about 0.7 µs to a 402 or 429.
  app.use(function startRequest(c, next) {
    assignRequestId(c)
    setCommonHeaders(c)
    logAccess(c)
    return isUrlTooLong(c) ? rejectLongUrl(c, sendProblem) : next()
  })
  if (tracingMiddleware) app.use(tracingMiddleware)

  app.onError((error, c) => {
    log.error(error, c.get('requestId'))
    const { code, ...fields } = internalProblem(c.req.header('payment-signature') !== undefined)
    return sendProblem(c, code, fields)
  })
  app.notFound((c) => {
    const { pathname, search } = new URL(c.req.url)
    const trimmed = pathname.replace(/\/+$/, '')
    // Not hono/trailing-slash: it redirects API clients too, and to the Host header's host.
    if (trimmed !== pathname && prefersHtml(c)) {
      setHeader(c, 'Location', baseUrl + trimmed + search)
      return respond(c, null, 308)
    }
    return sendProblem(c, 'not_found', NOT_FOUND)
  })
  return app
}

function isUrlTooLong({ req: { url } }: Context<HttpEnv>): boolean {
  const pathStart = url.indexOf('/', url.indexOf('//') + 2)
  return url.length - pathStart > MAX_URL_CHARACTERS
}

async function rejectLongUrl(c: Context<HttpEnv>, sendProblem: SendProblem): Promise<Response> {
  return sendProblem(c, 'uri_too_long', { detail: REJECTED_REQUEST_DETAILS.uri_too_long })
}
