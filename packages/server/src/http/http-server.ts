/** The listening socket: limits against slow and idle peers, and an orderly end. */
import { createServer, type RequestListener } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import {
  type ClientErrorOptions,
  clientErrorResponse,
  writeClientErrorToResponse,
  writeClientErrorToSocket,
} from './client-error.js'
import type { HttpEnv } from './http-env.js'

const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  /** Longer than a proxy keeps an idle connection, or it may send a request into a closing one. */
  keepAliveTimeout: 65_000,
  maxConnections: 10_000,
}
const IDLE_CHECK_MS = 100

export interface RunningHttpServer {
  readonly port: number
  /**
   * Serves on for `graceMs`, while proxies learn that we are going; then takes no new connection,
   * lets requests in flight finish and cuts off what is left at `deadlineMs`.
   */
  stop(graceMs: number, deadlineMs: number): Promise<void>
}

export interface HttpServerOptions extends ClientErrorOptions {
  readonly host: string
  readonly port: number
  readonly limits?: typeof LIMITS
}

export async function startHttpServer(
  app: Hono<HttpEnv>,
  { host, port, limits = LIMITS, ...refusal }: HttpServerOptions,
): Promise<RunningHttpServer> {
  const answer = getRequestListener(app.fetch, {
    // HTTP/1.0 health checks name no host.
    hostname: 'localhost',
    errorHandler: () => clientErrorResponse(refusal),
  })
  // Without a host it makes no request (RFC 9112 §3.2), but Node itself would say so without a word.
  const listener: RequestListener = (request, response) =>
    request.headers.host === undefined && request.httpVersion === '1.1'
      ? writeClientErrorToResponse(response, refusal)
      : answer(request, response)
  const server = createServer({ ...limits, requireHostHeader: false }, listener)
  // Whatever else is expected of us may be ignored (RFC 9110 §10.1.1), where Node would answer 417.
  server.on('checkExpectation', listener)
  server.maxConnections = limits.maxConnections
  server.on('clientError', (error, socket) => writeClientErrorToSocket(error, socket, refusal))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })

  return {
    port: (server.address() as AddressInfo).port,
    async stop(graceMs, deadlineMs) {
      const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs)
      await new Promise((resolve) => setTimeout(resolve, graceMs))
      // A request that began before the end was in sight leaves its connection open behind it.
      const idleCheck = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
      // HTTP's own `close` would also end the limits on slow peers, who then could hold up the end.
      await new Promise((resolve) => net.Server.prototype.close.call(server, resolve))
      clearInterval(idleCheck)
      clearTimeout(deadline)
    },
  }
}
