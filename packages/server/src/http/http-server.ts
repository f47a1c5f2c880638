/** The listening socket: limits against slow and idle clients, errors below HTTP, and shutdown. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import net, { type Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createProblemDetails } from '@mailgrade/operations/problem-details'
import { PROBLEM_TYPES, REJECTED_REQUEST_DETAILS } from '@mailgrade/operations/problem-types'
import { PATHS } from '@mailgrade/operations/service-paths'
import type { Hono } from 'hono'
import { fixedHeaders } from './http-app.js'
import { createPressure, PRESSURE_LIMITS } from './pressure.js'
import { callerKey } from './request-context.js'
import type { HttpEnv } from './respond.js'

const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  /** Longer than a proxy keeps idle connections, or it may send a request into a closing one. */
  keepAliveTimeout: 65_000,
  maxConnections: 10_000,
  ...PRESSURE_LIMITS,
}
/** Far more than browsers and proxies send; each takes memory before the request is complete. */
const MAX_HEADERS = 100
const IDLE_CHECK_MS = 100
/** Until the connection of a client that does not close its side is broken off. */
const CLOSE_AFTER_MS = 1_000

export interface RunningHttpServer {
  readonly port: number
  /**
   * Keeps serving for `graceMs`, so proxies notice. Then it accepts no new connections, lets
   * requests in flight finish and closes the rest at `deadlineMs`.
   */
  stop(graceMs: number, deadlineMs: number): Promise<void>
}

interface ClientErrorOptions {
  readonly baseUrl: string
  readonly newRequestId: () => string
  readonly onClientError: (requestId: string, code: ClientErrorCode, status: number) => void
}

export interface HttpServerOptions extends ClientErrorOptions {
  readonly host: string
  readonly port: number
  readonly trustProxyHops?: number
  /** Requests of one caller per second; 0: any number. */
  readonly maxRequestsPerSecond?: number
  readonly limits?: Partial<typeof LIMITS>
}

export async function startHttpServer(
  app: Hono<HttpEnv>,
  {
    host,
    port,
    trustProxyHops: hops = 0,
    maxRequestsPerSecond: requestsPerSecond = 0,
    limits: changes,
    ...clientErrors
  }: HttpServerOptions,
): Promise<RunningHttpServer> {
  const limits = { ...LIMITS, ...changes }
  const handleRequest = getRequestListener(app.fetch, {
    // HTTP/1.0 health checks send no Host.
    hostname: 'localhost',
    errorHandler() {
      const { body, ...init } = prepareClientError('malformed_request', clientErrors)
      return new Response(body, init)
    },
  })
  const pressure = createPressure({
    limits: { ...limits, requestsPerSecond },
    readCaller: ({ socket, headers }) =>
      callerKey(socket.remoteAddress, String(headers['x-forwarded-for'] ?? ''), hops),
    readPeer: hops > 0 ? null : (socket) => callerKey(socket.remoteAddress, undefined, 0),
    now: () => performance.now(),
  })
  const reject = (response: ServerResponse, code: ClientErrorCode) =>
    writeClientErrorToResponse(response, code, clientErrors)
  /** Without a response object; its answer would overtake those of earlier requests. */
  const refuse = (socket: Socket, code: ClientErrorCode, isHead: boolean) => {
    if (!socket.writable || pressure.isAnswering(socket)) return void socket.destroy()
    socket.end(formatClientError(code, isHead, clientErrors))
    // Only our side is closed now, and Node forgets about a connection that was late.
    setTimeout(() => socket.destroy(), CLOSE_AFTER_MS).unref()
  }
  const listener: RequestListener = (request, response) => {
    // Node has dropped the others, perhaps the address that a proxy has added.
    if (request.rawHeaders.length >= 2 * MAX_HEADERS) {
      return refuse(request.socket, 'headers_too_large', request.method === 'HEAD')
    }
    // Node reads nothing that follows in the same segment, so the client must not wait for it.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false
    const admission = pressure.admit(request, response)
    if (admission === 'closed') return
    // A process that is busy is alive, and must not be started again.
    const isAccepted = admission === 'admitted' || request.url === PATHS.alive
    if (!isAccepted) return reject(response, REJECTION_CODES[admission])
    if (!hasValidHostCount(request)) return reject(response, 'malformed_request')
    return handleRequest(request, response)
  }
  // Node's own rejection of a missing Host has an empty body.
  const server = createServer({ ...limits, requireHostHeader: false }, listener)
  // Unknown expectations may be ignored (RFC 9110 §10.1.1); Node would answer 417.
  server.on('checkExpectation', listener)
  server.on('checkContinue', (request, response) => {
    listener(request, response)
    continueInTurn(response)
  })
  server.maxConnections = limits.maxConnections
  server.maxHeadersCount = MAX_HEADERS
  server.on('connection', pressure.connected)
  // The next one finds room, if only a health check.
  server.on(
    'drop',
    atMostEvery(IDLE_CHECK_MS, () => server.closeIdleConnections()),
  )
  const stalledCheck = setInterval(
    pressure.closeStalled,
    limits.connectionsCheckingInterval,
  ).unref()
  // The HTTP parser failed, so there is no request either.
  server.on('clientError', (error: ParserError, socket: Socket) => {
    if (error.code === 'ECONNRESET') return void socket.destroy()
    const isHead = error.rawPacket?.toString('latin1', 0, 5) === 'HEAD '
    refuse(socket, CODES[error.code ?? ''] ?? 'malformed_request', isHead)
  })
  // Compiles the routes, which the first request would pay for.
  app.router.match('GET', '/')

  return {
    port: await listen(server, { host, port }),
    async stop(graceMs, deadlineMs) {
      const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs)
      await new Promise((resolve) => setTimeout(resolve, graceMs))
      // A request that began before the shutdown leaves its connection open.
      const idleCheck = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
      // HTTP's own `close` stops the timeouts for slow clients, which could then delay the shutdown.
      await new Promise((resolve) => net.Server.prototype.close.call(server, resolve))
      clearInterval(idleCheck)
      clearInterval(stalledCheck)
      clearTimeout(deadline)
    },
  }
}

/** Node would write it at once, in the middle of the answer to an earlier request. */
function continueInTurn(response: ServerResponse): void {
  const isFirst = response.socket !== null
  if (!isFirst) response.once('socket', () => continueInTurn(response))
  // A request that is rejected needs no body.
  else if (!response.headersSent && !response.socket.destroyed) response.writeContinue()
}

/** One Host field, which only HTTP/1.0 may omit (RFC 9112 §3.2). Node's `headers` hides a second one. */
function hasValidHostCount({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') count++
  }
  return count === 1 || (count === 0 && httpVersion === '1.0')
}

/** Leaves out calls that follow sooner. */
function atMostEvery(ms: number, run: () => void): () => void {
  let mayRun = true
  return () => {
    if (!mayRun) return
    mayRun = false
    setTimeout(() => {
      mayRun = true
    }, ms).unref()
    run()
  }
}

/** Returns the port, which is another one than 0. */
export async function listen(
  server: net.Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening on TCP')
  return address.port
}

const DETAILS = {
  ...REJECTED_REQUEST_DETAILS,
  rate_limited:
    'Your network is sending too many requests at once, so we didn’t read this one. Send it again in a second.',
  overloaded:
    'Too many requests are in progress, so we didn’t read this one. Send it again in a second.',
}

type ClientErrorCode = keyof typeof DETAILS

const REJECTION_CODES = { tooManyOfCaller: 'rate_limited', tooMany: 'overloaded' } as const
const RETRY_AFTER_SECONDS = 1

const CODES: Readonly<Record<string, ClientErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer }

function formatClientError(
  code: ClientErrorCode,
  isHead: boolean,
  options: ClientErrorOptions,
): string {
  const { status, headers, body } = prepareClientError(code, options)
  const lines = Object.entries({
    ...headers,
    Connection: 'close',
    'Content-Length': Buffer.byteLength(body),
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`
  // A response to HEAD has no body (RFC 9110 §9.3.2).
  return isHead ? head : head + body
}

function writeClientErrorToResponse(
  response: ServerResponse,
  code: ClientErrorCode,
  options: ClientErrorOptions,
): void {
  const { status, headers, body } = prepareClientError(code, options)
  const length = Buffer.byteLength(body)
  response.writeHead(status, { ...headers, 'Content-Length': length }).end(body)
}

function prepareClientError(
  code: ClientErrorCode,
  { baseUrl, newRequestId, onClientError }: ClientErrorOptions,
) {
  const requestId = newRequestId()
  const { status } = PROBLEM_TYPES[code]
  const detail = DETAILS[code]
  const isTemporary = code === 'rate_limited' || code === 'overloaded'
  const retry = isTemporary ? { retryAfterSeconds: RETRY_AFTER_SECONDS } : {}
  onClientError(requestId, code, status)
  return {
    status,
    headers: {
      ...fixedHeaders(baseUrl),
      'Content-Type': 'application/problem+json',
      'X-Request-Id': requestId,
      ...(isTemporary && { 'Retry-After': String(RETRY_AFTER_SECONDS) }),
    },
    body: JSON.stringify(createProblemDetails(code, { detail, ...retry }, { baseUrl, requestId })),
  }
}
