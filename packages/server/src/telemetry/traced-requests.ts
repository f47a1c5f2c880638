/** A span around every request, joined to the caller's trace (W3C Trace Context) and to our log. */
import { propagation, ROOT_CONTEXT, SpanKind } from '@opentelemetry/api'
import type { MiddlewareHandler } from 'hono'
import type { HttpEnv } from '../http/http-env.js'
import type { SpanRunner } from './spans.js'

export function traceRequests(spans: SpanRunner): MiddlewareHandler<HttpEnv> {
  return async function traceRequest(c, next) {
    const { method } = c.req
    const parent = propagation.extract(ROOT_CONTEXT, c.req.header())
    await spans.withSpan(method, () => next(), {
      parent,
      kind: SpanKind.SERVER,
      // By its id a request is found in the log, too.
      attributes: { 'http.request.method': method, 'mailgrade.request_id': c.get('requestId') },
      finish() {
        const { route, operation, problem } = c.var
        const { status } = c.res
        return {
          ...(route && { name: `${method} ${route}` }),
          attributes: {
            'http.response.status_code': status,
            ...(route && { 'http.route': route }),
            ...(operation && { 'mailgrade.operation': operation }),
            ...(problem && { 'error.type': problem }),
          },
          isError: status >= 500,
        }
      },
    })
  }
}
