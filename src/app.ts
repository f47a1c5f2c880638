/** Parts into a whole: configuration in, an application that can be served or asked directly. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Hono } from 'hono'
import type { Config } from './config.js'
import { openApiDocument } from './discovery/openapi.js'
import { createDohDns, type DohDns } from './dns/doh/doh-dns.js'
import { createLookup } from './dns/lookup.js'
import { createHttpApp, type HttpLog } from './http/http-app.js'
import type { HttpEnv } from './http/http-env.js'
import { mountGet } from './http/mount.js'
import { OPERATIONS } from './operations/table.js'
import { createDemoDns } from './sandbox/demo-dns.js'

export interface AppOptions {
  readonly config: Config
  readonly log: HttpLog
  readonly isDraining: () => boolean
  /** The live DNS; tests bring one with their own certificate. */
  readonly dns?: DohDns
}

export interface App {
  readonly http: Hono<HttpEnv>
  close(): void
}

export function createApp(options: AppOptions): App {
  const { config, log, isDraining } = options
  const dns = options.dns ?? createDohDns({ urls: config.dohUrls })
  const dnsFor = config.mode === 'sandbox' ? createDemoDns(dns) : () => dns

  const http = createHttpApp({
    baseUrl: config.baseUrl,
    operations: OPERATIONS,
    bench: {
      openLookup: (subject, signal) =>
        createLookup(dnsFor(subject), {
          deadlineMs: config.dnsTimeoutMs,
          ...(signal && { signal }),
        }),
      now: () => performance.now(),
      today: () => new Date(),
      randomLabel: () => randomBytes(10).toString('hex'),
    },
    isDraining,
    newRequestId: () => randomUUID(),
    resolvers: dns.resolvers,
    log,
  })

  const openApi = openApiDocument(OPERATIONS, {
    baseUrl: config.baseUrl,
    name: config.service.name,
  })
  mountGet(http, '/openapi.json', (c) => {
    c.header('Cache-Control', 'public, max-age=300')
    return c.json(openApi)
  })
  return { http, close: dns.close }
}
