/** Parts into a whole: configuration in, an application that can be served or asked directly. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Hono } from 'hono'
import type { Config } from './config.js'
import { exampleAnswers } from './discovery/examples.js'
import { openApiDocument } from './discovery/openapi.js'
import { failed } from './dns/dns.js'
import { createDohDns, type DohDns } from './dns/doh/doh-dns.js'
import { createLookup } from './dns/lookup.js'
import { createHttpApp, type HttpLog } from './http/http-app.js'
import type { HttpEnv } from './http/http-env.js'
import { mountGet } from './http/mount.js'
import { createMemoryLimiter } from './limits/memory-limiter.js'
import { OPERATIONS } from './operations/table.js'
import { createDemoDns } from './sandbox/demo-dns.js'

export interface AppOptions {
  readonly config: Config
  readonly log: HttpLog
  readonly isDraining: () => boolean
  /** The live DNS; tests bring one with their own certificate. */
  readonly dns?: DohDns
  /** Monotonic milliseconds; tests bring a clock of their own. */
  readonly now?: () => number
}

export interface App {
  readonly http: Hono<HttpEnv>
  close(): void
}

export function createApp(options: AppOptions): App {
  const { config, log, isDraining, now = () => performance.now() } = options
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
      now,
      today: () => new Date(),
      randomLabel: () => randomBytes(10).toString('hex'),
    },
    isDraining,
    newRequestId: () => randomUUID(),
    resolvers: dns.resolvers,
    limiter: createMemoryLimiter({ limit: config.rateLimitPerMinute, now }),
    trustProxyHops: config.trustProxyHops,
    log,
  })

  const openApi = openApiOnDemand(config)
  mountGet(http, '/openapi.json', async (c) => {
    c.header('Cache-Control', 'public, max-age=300')
    return c.json(await openApi())
  })
  return { http, close: dns.close }
}

/** Made when it is first asked for, and then kept. */
function openApiOnDemand({ baseUrl, service }: Config): () => Promise<object> {
  let document: Promise<object> | null = null
  const make = async () => {
    const demo = createDemoDns({ ask: async () => failed('unreachable', 'not a demo name') })
    const examples = await exampleAnswers(OPERATIONS, (subject) =>
      createLookup(demo(subject), { deadlineMs: 5_000 }),
    )
    return openApiDocument(OPERATIONS, { baseUrl, name: service.name }, examples)
  }
  return () => {
    document ??= make()
    return document
  }
}
