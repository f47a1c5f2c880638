/** Parts into a whole: configuration in, an application that can be served or asked directly. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Hono } from 'hono'
import type { Config } from './config.js'
import { exampleAnswers } from './discovery/examples.js'
import { openApiDocument } from './discovery/openapi.js'
import { failed } from './dns/dns.js'
import { createDohDns, type DohDns } from './dns/doh/doh-dns.js'
import { createLookup } from './dns/lookup.js'
import { createDemoDns } from './dns/zone/demo-dns.js'
import { type AnswerRpc, chainRpc } from './http/chain-rpc.js'
import { createHttpApp, type HttpLog } from './http/http-app.js'
import type { HttpEnv } from './http/http-env.js'
import { type McpEndpointOptions, mcpEndpoint, refuseRpc } from './http/mcp-endpoint.js'
import { mountGet, mountPost } from './http/mount.js'
import { turnTaker } from './http/rate-limit.js'
import { createMemoryLimiter } from './limits/memory-limiter.js'
import { MCP_PATH } from './mcp/identity.js'
import { SERVER_CARD_PATHS, SERVER_CARD_TYPE, serverCard } from './mcp/server-card.js'
import type { Bench } from './operations/perform.js'
import { OPERATIONS } from './operations/table.js'
import { createCounter } from './payments/counter.js'
import { createGate } from './payments/gate.js'
import { createMemoryLedger } from './payments/memory-ledger.js'
import { createOffers } from './payments/offers.js'
import { remembered } from './payments/remembered.js'
import { endpointStall, type Stall, toolStall } from './payments/stalls.js'
import type { Till } from './payments/till.js'

export interface AppOptions {
  readonly config: Config
  readonly log: HttpLog
  readonly isDraining: () => boolean
  readonly till: Till
  /** The sandbox's chain, for whoever wants to look at it. */
  readonly answerRpc?: AnswerRpc
  /** The live DNS; tests bring one with their own certificate. */
  readonly dns?: DohDns
  /** Monotonic milliseconds; tests bring a clock of their own. */
  readonly now?: () => number
  /** Milliseconds since 1970; the same. */
  readonly wallClock?: () => number
}

export interface App {
  readonly http: Hono<HttpEnv>
  close(): void
}

export function createApp(options: AppOptions): App {
  const { config, log, isDraining, till, now = () => performance.now() } = options
  const { wallClock = () => Date.now() } = options
  const dns = options.dns ?? createDohDns({ urls: config.dohUrls })
  const dnsFor = config.mode === 'sandbox' ? createDemoDns(dns) : () => dns

  const { baseUrl, service } = config

  const bench: Bench = {
    openLookup: (subject, signal) =>
      createLookup(dnsFor(subject), {
        deadlineMs: config.dnsTimeoutMs,
        ...(signal && { signal }),
      }),
    now,
    today: () => new Date(),
    randomLabel: () => randomBytes(10).toString('hex'),
  }
  const limiter = createMemoryLimiter({ limit: config.rateLimitPerMinute, now })
  const takeTurn = turnTaker({ limiter, trustProxyHops: config.trustProxyHops })
  const ledger = createMemoryLedger({ now: wallClock })
  const gate = createGate({ ...till, ledger, now: wallClock })
  const sell = createCounter({ gate, bench, isDraining, log })
  const examples = examplesOnDemand()
  const offersAt = (stall: Stall) =>
    createOffers({
      terms: till.terms,
      stall,
      serviceName: service.name,
      // A sale must not depend on the demo zones.
      exampleAnswer: async ({ id }) => (await examples().catch(() => null))?.get(id) ?? {},
    })

  const http = createHttpApp({
    baseUrl,
    operations: OPERATIONS,
    bench,
    isDraining,
    newRequestId: () => randomUUID(),
    resolvers: dns.resolvers,
    takeTurn,
    sell,
    offerFor: offersAt(endpointStall(baseUrl)),
    paymentsComplaint: remembered(till.facilitator.complaint, { ms: 5_000, now }),
    log,
  })

  /** By need: the SDK takes a quarter of a second to load. */
  const mcp = once(async () => {
    const { openMcp } = await import('./mcp/open-mcp.js')
    return openMcp({
      ...service,
      limit: limiter.limit,
      windowSeconds: limiter.windowSeconds,
      baseUrl,
      operations: OPERATIONS,
      bench,
      sell,
      offerFor: offersAt(toolStall(baseUrl + MCP_PATH)),
      terms: till.terms,
      log,
    })
  })
  const answer: McpEndpointOptions['answer'] = async (...visit) => (await mcp()).answer(...visit)
  mountPost(http, MCP_PATH, mcpEndpoint({ answer, takeTurn }), refuseRpc)

  const openApi = once(async () => {
    return openApiDocument(OPERATIONS, { baseUrl, name: service.name }, await examples())
  })
  mountGet(http, '/openapi.json', async (c) => {
    c.header('Cache-Control', 'public, max-age=300')
    return c.json(await openApi())
  })
  const card = JSON.stringify(serverCard({ ...service, baseUrl }))
  for (const path of SERVER_CARD_PATHS) {
    mountGet(http, path, (c) => {
      c.header('Cache-Control', 'public, max-age=3600')
      return c.body(card, 200, { 'content-type': SERVER_CARD_TYPE })
    })
  }
  if (options.answerRpc) mountPost(http, '/sandbox/chain', chainRpc(options.answerRpc))
  return { http, close: dns.close }
}

/** What the operations answer to their examples, from the demo zones alone. */
function examplesOnDemand(): () => Promise<ReadonlyMap<string, object>> {
  return once(() => {
    const demo = createDemoDns({ ask: async () => failed('unreachable', 'not a demo name') })
    return exampleAnswers(OPERATIONS, (subject) =>
      createLookup(demo(subject), { deadlineMs: 5_000 }),
    )
  })
}

/** Made when it is first asked for, and then kept. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null
  return () => {
    made ??= make().catch((error) => {
      made = null
      throw error
    })
    return made
  }
}
