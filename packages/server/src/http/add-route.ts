/** Puts a handler at a path, with the answers that every path owes to other methods. */
import type { Context, Hono } from 'hono'
import type { Operation } from '../operations/operation.js'
import type { HttpEnv } from './http-env.js'
import { sendProblemJson } from './problem-response.js'
import { MAX_BODY_LABEL, readBody } from './read-body.js'
import { respond, setHeader } from './respond.js'

/** x402 clients send the last of them as a request header, against its meaning. */
const ALLOWED_HEADERS =
  'Content-Type, PAYMENT-SIGNATURE, X-Request-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Access-Control-Expose-Headers'

export type RouteHandler = (c: Context<HttpEnv>) => Response | Promise<Response>

/** So that the log and the metrics know what was asked for, however it ends. */
export function withOperationId({ id }: Pick<Operation, 'id'>, handle: RouteHandler): RouteHandler {
  return (c) => {
    c.set('operation', id)
    return handle(c)
  }
}

/** Under GET, and under HEAD, which Hono answers by the same handler. */
export function addGetRoute(app: Hono<HttpEnv>, path: string, handle: RouteHandler): void {
  mount(app, path, ['GET', 'HEAD'], handle)
}

/** How a path says no: as a problem, unless its callers expect another form. */
export type SendProblem = (
  ...words: Parameters<typeof sendProblemJson>
) => Response | Promise<Response>

/** The body comes read, as text. */
export type BodyHandler = (c: Context<HttpEnv>, body: string) => Response | Promise<Response>

export function addPostRoute(
  app: Hono<HttpEnv>,
  path: string,
  handle: BodyHandler,
  refuse: SendProblem = sendProblemJson,
): void {
  const handlePost: RouteHandler = async (c) => {
    const body = await readBody(c.req)
    if (body.kind === 'text') return handle(c, body.text)
    return body.kind === 'too-large'
      ? refuse(c, 'body_too_large', { detail: `A body may have ${MAX_BODY_LABEL}.` })
      : refuse(c, 'malformed_request', { detail: 'The body breaks off. Send it whole.' })
  }
  mount(app, path, ['POST'], handlePost, refuse)
}

function mount(
  app: Hono<HttpEnv>,
  path: string,
  methods: string[],
  handle: RouteHandler,
  refuse: SendProblem = sendProblemJson,
): void {
  const allow = [...methods, 'OPTIONS'].join(', ')
  const named = (inner: RouteHandler): RouteHandler =>
    function handleRoute(c) {
      c.set('route', path)
      return inner(c)
    }
  app.on(methods, path, named(handle))
  app.options(path, named(preflight(allow)))
  app.all(path, named(refuseMethod(allow, refuse)))
}

/** Answers a CORS preflight, and anybody else who asks what is allowed here. */
function preflight(allow: string): RouteHandler {
  const headers = {
    Allow: allow,
    'Access-Control-Allow-Methods': allow,
    'Access-Control-Allow-Headers': ALLOWED_HEADERS,
    'Access-Control-Max-Age': '86400',
  }
  return (c) => {
    for (const [name, value] of Object.entries(headers)) setHeader(c, name, value)
    return respond(c, null, 204)
  }
}

function refuseMethod(allow: string, refuse: SendProblem): RouteHandler {
  return (c) => {
    setHeader(c, 'Allow', allow)
    return refuse(c, 'method_not_allowed', {
      detail: `${c.req.method} does not apply here; use ${allow}.`,
    })
  }
}
