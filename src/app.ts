/** Parts into a whole: configuration in, an application that can be served or asked directly. */

import { randomBytes, randomUUID } from 'node:crypto'
import type { Hono } from 'hono'
import type { Config } from './config.js'
import { operationAnswers } from './discovery/answers.js'
import { exampleAnswers } from './discovery/examples.js'
import { failed } from './dns/dns.js'
import { createDohDns, type DohDns } from './dns/doh/doh-dns.js'
import { createLookup } from './dns/lookup.js'
import { createDemoDns } from './dns/zone/demo-dns.js'
import { documentsOf } from './documents.js'
import { type AnswerRpc, chainRpc } from './http/chain-rpc.js'
import { mountDocument } from './http/document.js'
import { createHttpApp, type HttpLog } from './http/http-app.js'
import type { HttpEnv } from './http/http-env.js'
import { mountPost } from './http/mount.js'
import { once } from './http/once.js'
import { turnTaker } from './http/rate-limit.js'
import { createMemoryLimiter } from './limits/memory-limiter.js'
import type { CallLog } from './mcp/tool.js'
import { mountMcp } from './mount-mcp.js'
import { PATHS } from './operations/paths.js'
import type { Bench } from './operations/perform.js'
import { OPERATIONS } from './operations/table.js'
import { createCounter } from './payments/counter.js'
import { createGate } from './payments/gate.js'
import { createMemoryLedger } from './payments/memory-ledger.js'
import { createOffers } from './payments/offers.js'
import { remembered } from './payments/remembered.js'
import { endpointStall, type Stall, toolStall } from './payments/stalls.js'
import type { Till } from './payments/till.js'
import { PAGE_PATHS } from './web/paths.js'
import { createWeb } from './web.js'

export type AppLog = HttpLog & CallLog

export interface AppOptions {
  readonly config: Config
  readonly log: AppLog
  readonly isDraining: () => boolean
  readonly till: Till
  /** The sandbox's chain, for whoever wants to look at it, and the wallet that pays there. */
  readonly sandbox?: { readonly chain: AnswerRpc; readonly wallet: AnswerRpc }
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

  const offerFor = offersAt(endpointStall(baseUrl))
  const info = {
    ...service,
    baseUrl,
    terms: till.terms,
    isSandbox: config.mode === 'sandbox',
    limit: limiter.limit,
    windowSeconds: limiter.windowSeconds,
  }
  const answers = once(async () => operationAnswers(OPERATIONS, info, await examples(), offerFor))
  const web = createWeb({ service: info, answers, onFault: log.fault })
  const http = createHttpApp({
    baseUrl,
    operations: OPERATIONS,
    bench,
    isDraining,
    newRequestId: () => randomUUID(),
    resolvers: dns.resolvers,
    takeTurn,
    refuse: web.refuse,
    sell,
    offerFor,
    paymentsComplaint: remembered(till.facilitator.complaint, { ms: 5_000, now }),
    log,
  })

  const toolOffer = offersAt(toolStall(baseUrl + PATHS.mcp))
  const shell = { bench, sell, takeTurn, log }
  mountMcp(http, { ...info, ...shell, operations: OPERATIONS, offerFor: toolOffer })
  const { '/': description, ...others } = documentsOf({
    operations: OPERATIONS,
    service: info,
    answers,
    offerFor,
    pages: PAGE_PATHS,
  })
  for (const [path, document] of Object.entries(others)) mountDocument(http, path, document)
  web.mount(http, { ...shell, offerFor, description })
  if (options.sandbox) mountSandbox(http, options.sandbox)
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

function mountSandbox(
  http: Hono<HttpEnv>,
  { chain, wallet }: NonNullable<AppOptions['sandbox']>,
): void {
  mountPost(http, PATHS.sandboxChain, chainRpc(chain))
  mountPost(http, PATHS.sandboxWallet, async (c, text) =>
    c.body(await wallet(text), 200, { 'content-type': 'application/json' }),
  )
}
