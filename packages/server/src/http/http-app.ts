/**
 * The HTTP application. Every request passes the middleware below, top to bottom. Then `routes/`
 * lists, for each path, the steps of that path: route name and operation (add-route.ts), body limit
 * (add-route.ts), rate limit (rate-limit.ts) or payment (report-handlers.ts), concurrency limit
 * (run-operation.ts), and for documents and pages ETag and gzip (static-document.ts).
 * Other methods of a path get 405 (add-route.ts).
 */

import { internalProblem } from '@mailgrade/operations/internal-problem'
import type { ErrorLog } from '@mailgrade/operations/run-operation'
import { Hono, type MiddlewareHandler } from 'hono'
import { prefersHtml } from './html-response.js'
import type { HttpEnv } from './http-env.js'
import {
  type AccessLog,
  accessLog,
  type CommonHeadersOptions,
  commonHeaders,
  requestId,
  urlLimit,
} from './middleware.js'
import { respond, type SendProblem, setHeader } from './respond.js'

const NOT_FOUND =
  'Page not found. Go to the home page (/) or the docs (/docs). Programs: see /openapi.json, or call POST /mcp.'

export interface HttpAppOptions extends CommonHeadersOptions {
  readonly newRequestId: () => string
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly tracingMiddleware?: MiddlewareHandler<HttpEnv>
  /** The path that a caller probably meant; null if there is none. */
  readonly findMistypedPath?: (pathname: string) => string | null
  /** Sends the problems that no route is responsible for. */
  readonly sendProblem: SendProblem
  readonly log: AccessLog & ErrorLog
}

export function createHttpApp(options: HttpAppOptions): Hono<HttpEnv> {
  const { baseUrl, newRequestId, now, tracingMiddleware, log, sendProblem } = options
  const app = new Hono<HttpEnv>()
  app.use(requestId(newRequestId))
  app.use(commonHeaders(options))
  app.use(accessLog(log, now))
  app.use(urlLimit(sendProblem))
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
    const meant = options.findMistypedPath?.(pathname) ?? null
    const detail =
      meant === null
        ? NOT_FOUND
        : `Page not found. Did you mean ${meant}? /openapi.json lists all endpoints.`
    return sendProblem(c, 'not_found', { detail })
  })
  return app
}
