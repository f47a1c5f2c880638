/** Puts a handler at a path, with the answers that every path owes to other methods. */
import type { Context, Hono } from 'hono'
import type { HttpEnv } from './http-env.js'
import { problem } from './problem.js'

const ALLOW = 'GET, HEAD, OPTIONS'

export type Handle = (c: Context<HttpEnv>) => Response | Promise<Response>

export function mountGet(app: Hono<HttpEnv>, path: string, handle: Handle): void {
  const named = (inner: Handle): Handle =>
    function handleRoute(c) {
      c.set('route', path)
      return inner(c)
    }
  app.get(path, named(handle))
  app.options(path, named(preflight))
  app.all(path, named(refuseMethod))
}

/** Answers a CORS preflight, and anybody else who asks what is allowed here. */
function preflight(c: Context<HttpEnv>): Response {
  return c.body(null, 204, {
    Allow: ALLOW,
    'Access-Control-Allow-Methods': ALLOW,
    'Access-Control-Allow-Headers': 'Content-Type, PAYMENT-SIGNATURE, X-Request-Id',
    'Access-Control-Max-Age': '86400',
  })
}

function refuseMethod(c: Context<HttpEnv>): Response {
  c.header('Allow', ALLOW)
  return problem(c, 'method_not_allowed', {
    detail: `${c.req.method} does not apply here; use ${ALLOW}.`,
  })
}
