/** The listening socket: limits against slow and idle peers, and an orderly end. */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { Hono } from 'hono'
import type { HttpEnv } from './http-env.js'

const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  /** Longer than a proxy keeps an idle connection, or it may send a request into a closing one. */
  keepAliveTimeout: 65_000,
  maxConnections: 10_000,
}

export interface RunningServer {
  readonly port: number
  /**
   * Serves on for `graceMs`, while proxies learn that we are going; then takes no new connection,
   * lets requests in flight finish and cuts off what is left at `deadlineMs`.
   */
  stop(graceMs: number, deadlineMs: number): Promise<void>
}

export async function startServer(
  app: Hono<HttpEnv>,
  { host, port }: { host: string; port: number },
  limits: typeof LIMITS = LIMITS,
): Promise<RunningServer> {
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions: limits }) as Server
  server.maxConnections = limits.maxConnections
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })

  return {
    port: (server.address() as AddressInfo).port,
    stop: (graceMs, deadlineMs) =>
      new Promise((resolve) => {
        const timers = [
          setTimeout(() => server.close(() => finish()), graceMs),
          setTimeout(() => server.closeAllConnections(), deadlineMs),
        ]
        const finish = () => {
          for (const timer of timers) clearTimeout(timer)
          resolve()
        }
      }),
  }
}
