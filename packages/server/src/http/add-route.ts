/** Adds the handlers of a path, in order; also HEAD, CORS preflight, 405 and, for POST, the body limit. */
import type { Operation } from '@mailgrade/operations/operation'
import type { Handler, Hono, HonoRequest, MiddlewareHandler, Next } from 'hono'
import { MAX_BODY_BYTES } from './pressure.js'
import { type HttpEnv, respond, type SendProblem, sendProblemJson, setHeaders } from './respond.js'

/** x402 clients send the last one as a request header, although it is a response header. */
const ALLOWED_HEADERS =
  'Content-Type, PAYMENT-SIGNATURE, X-Request-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Access-Control-Expose-Headers'

/** Each takes as long as a kilobyte, and one octet is enough for one. */
const MAX_CHUNKS = 1_000
const MAX_BODY_TEXT = `${MAX_BODY_BYTES / 1_024} KB`

export type RouteHandler = Handler<HttpEnv>

/** Names the operation in the log, metrics and traces. */
export function operationId({ id }: Pick<Operation, 'id'>): MiddlewareHandler<HttpEnv> {
  return function nameOperation(c, next) {
    c.set('operation', id)
    return next()
  }
}

/** GET, and HEAD, which Hono answers with the same handlers. The last handler responds. */
export function addGetRoute(
  app: Hono<HttpEnv>,
  path: string,
  ...handlers: readonly RouteHandler[]
): void {
  addRoute(app, path, ['GET', 'HEAD'], handlers, sendProblemJson)
}

/** The handler finds the body as text in `c.get('body')`. */
export function addPostRoute(
  app: Hono<HttpEnv>,
  path: string,
  handler: RouteHandler,
  sendProblem: SendProblem = sendProblemJson,
): void {
  addRoute(app, path, ['POST'], [bodyLimit(sendProblem), handler], sendProblem)
}

function addRoute(
  app: Hono<HttpEnv>,
  path: string,
  methods: readonly string[],
  handlers: readonly RouteHandler[],
  sendProblem: SendProblem,
): void {
  const answer = inOrder(handlers)
  const answerPreflight = preflight(methods)
  const rejectMethod = methodNotAllowed(methods, sendProblem)
  // One entry for each path: the router compiles its entries before the first request.
  app.all(path, function handleRoute(c, next) {
    c.set('route', path)
    const { method } = c.req
    if (methods.includes(method)) return answer(c, next)
    return method === 'OPTIONS' ? answerPreflight(c, next) : rejectMethod(c, next)
  })
}

/** Every handler returns its response or what `next` returns, so calls in a row are enough. */
function inOrder([first, ...rest]: readonly RouteHandler[]): RouteHandler {
  if (!first || rest.length === 0) return first ?? ((_, next) => next())
  const answer = inOrder(rest)
  return (c, next) => first(c, () => answer(c, next) as ReturnType<Next>)
}

const allowHeader = (methods: readonly string[]) => [...methods, 'OPTIONS'].join(', ')

function preflight(methods: readonly string[]): RouteHandler {
  const allow = allowHeader(methods)
  const headers = {
    Allow: allow,
    'Access-Control-Allow-Methods': allow,
    'Access-Control-Allow-Headers': ALLOWED_HEADERS,
    'Access-Control-Max-Age': '86400',
  }
  return function handlePreflight(c) {
    setHeaders(c, headers)
    return respond(c, null, 204)
  }
}

/** Not hono/method-not-allowed: it lets the 404 handler respond first, and that one's headers stay. */
function methodNotAllowed(methods: readonly string[], sendProblem: SendProblem): RouteHandler {
  const headers = { Allow: allowHeader(methods) }
  return function rejectMethod(c) {
    setHeaders(c, headers)
    const detail = `${c.req.method} is not allowed here; use ${methods[0]}.`
    return sendProblem(c, 'method_not_allowed', { detail })
  }
}

function bodyLimit(sendProblem: SendProblem): MiddlewareHandler<HttpEnv> {
  return async function limitBody(c, next) {
    const body = await readBody(c.req)
    if (body.kind === 'text') {
      c.set('body', body.text)
      return next()
    }
    return body.kind === 'too-large'
      ? sendProblem(c, 'body_too_large', { detail: body.detail })
      : sendProblem(c, 'malformed_request', {
          detail: 'The body is incomplete. Send the whole body.',
        })
  }
}

type Body =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too-large'; readonly detail: string }
  /** The caller disconnected, or sent invalid chunks. */
  | { readonly kind: 'incomplete' }

const TOO_LARGE: Body = {
  kind: 'too-large',
  detail: `The body must be at most ${MAX_BODY_TEXT}.`,
}
const TOO_MANY_CHUNKS: Body = {
  kind: 'too-large',
  detail: 'The body can have at most 1,000 chunks. Send larger chunks, or use Content-Length.',
}

/**
 * Not hono/body-limit: a POST takes 129 µs of CPU with it and 30 µs without, and an incomplete body
 * makes it throw, which would be logged as our error.
 */
async function readBody(request: HonoRequest): Promise<Body> {
  const length = request.header('content-length')
  if (Number(length ?? 0) > MAX_BODY_BYTES) return TOO_LARGE
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
    if (size > MAX_BODY_BYTES) return TOO_LARGE
    if (chunks.push(chunk) > MAX_CHUNKS) return TOO_MANY_CHUNKS
  }
  return { kind: 'text', text: new TextDecoder().decode(Buffer.concat(chunks)) }
}
