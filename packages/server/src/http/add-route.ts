/** Adds a handler at a path: HEAD, CORS preflight, 405 and, for POST, the body limit. */
import type { Context, Hono, HonoRequest } from 'hono'
import type { Operation } from '../operations/operation.js'
import type { HttpEnv } from './http-env.js'
import { respond, sendProblemJson, setHeaders } from './respond.js'

/** x402 clients send the last one as a request header, although it is a response header. */
const ALLOWED_HEADERS =
  'Content-Type, PAYMENT-SIGNATURE, X-Request-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Access-Control-Expose-Headers'

const MAX_BODY_BYTES = 64 * 1_024
const MAX_BODY_TEXT = `${MAX_BODY_BYTES / 1_024} KB`

export type RouteHandler = (c: Context<HttpEnv>) => Response | Promise<Response>

/** The body arrives as text. */
export type BodyHandler = (c: Context<HttpEnv>, body: string) => Response | Promise<Response>

/** Sends a problem in the format that the callers of a route expect. */
export type SendProblem = (
  ...problem: Parameters<typeof sendProblemJson>
) => Response | Promise<Response>

/** Names the operation in the log, metrics and traces. */
export function withOperationId({ id }: Pick<Operation, 'id'>, handle: RouteHandler): RouteHandler {
  return (c) => {
    c.set('operation', id)
    return handle(c)
  }
}

/** GET, and HEAD, which Hono answers with the same handler. */
export function addGetRoute(app: Hono<HttpEnv>, path: string, handle: RouteHandler): void {
  addRoute(app, path, ['GET', 'HEAD'], handle)
}

export function addPostRoute(
  app: Hono<HttpEnv>,
  path: string,
  handle: BodyHandler,
  sendProblem: SendProblem = sendProblemJson,
): void {
  const handlePost: RouteHandler = async (c) => {
    const body = await readBody(c.req)
    if (body.kind === 'text') return handle(c, body.text)
    return body.kind === 'too-large'
      ? sendProblem(c, 'body_too_large', { detail: `The body must be at most ${MAX_BODY_TEXT}.` })
      : sendProblem(c, 'malformed_request', {
          detail: 'The body is incomplete. Send the whole body.',
        })
  }
  addRoute(app, path, ['POST'], handlePost, sendProblem)
}

function addRoute(
  app: Hono<HttpEnv>,
  path: string,
  methods: string[],
  handle: RouteHandler,
  sendProblem: SendProblem = sendProblemJson,
): void {
  const withRoute = (inner: RouteHandler): RouteHandler =>
    function handleRoute(c) {
      c.set('route', path)
      return inner(c)
    }
  app.on(methods, path, withRoute(handle))
  app.options(path, withRoute(optionsHandler(methods)))
  app.all(path, withRoute(methodNotAllowedHandler(methods, sendProblem)))
}

const allowHeader = (methods: readonly string[]) => [...methods, 'OPTIONS'].join(', ')

function optionsHandler(methods: readonly string[]): RouteHandler {
  const allow = allowHeader(methods)
  const headers = {
    Allow: allow,
    'Access-Control-Allow-Methods': allow,
    'Access-Control-Allow-Headers': ALLOWED_HEADERS,
    'Access-Control-Max-Age': '86400',
  }
  return (c) => {
    setHeaders(c, headers)
    return respond(c, null, 204)
  }
}

function methodNotAllowedHandler(
  methods: readonly string[],
  sendProblem: SendProblem,
): RouteHandler {
  const headers = { Allow: allowHeader(methods) }
  return (c) => {
    setHeaders(c, headers)
    const detail = `${c.req.method} is not allowed here; use ${methods[0]}.`
    return sendProblem(c, 'method_not_allowed', { detail })
  }
}

type Body =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too-large' }
  /** The caller disconnected, or sent invalid chunks. */
  | { readonly kind: 'incomplete' }

/** Not hono/body-limit: it throws when a body is incomplete, which would be logged as our error. */
async function readBody(request: HonoRequest): Promise<Body> {
  const length = request.header('content-length')
  if (Number(length ?? 0) > MAX_BODY_BYTES) return { kind: 'too-large' }
  try {
    // The HTTP parser enforces Content-Length, so this fast read cannot exceed the limit.
    if (length !== undefined) return { kind: 'text', text: await request.text() }
    return await readChunkedBody(request.raw.body)
  } catch {
    return { kind: 'incomplete' }
  }
}

async function readChunkedBody(stream: ReadableStream<Uint8Array> | null): Promise<Body> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream ?? []) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) return { kind: 'too-large' }
    chunks.push(chunk)
  }
  return { kind: 'text', text: new TextDecoder().decode(Buffer.concat(chunks)) }
}
