/** Parts into a whole: configuration in, an application that can be served or asked directly. */

import { randomBytes, randomUUID } from 'node:crypto'
import { createDohDns, createLookup, type DohDns, type DohOptions } from '@mailgrade/doh'
import type { Hono } from 'hono'
import type { Config } from './config.js'
import { createDemoDns } from './demo/demo-dns.js'
import { examplesOnDemand } from './demo/demo-examples.js'
import { operationAnswers } from './discovery/answers.js'
import { mountDocument } from './http/document.js'
import { createHttpApp, type HttpLog } from './http/http-app.js'
import type { HttpEnv } from './http/http-env.js'
import { once } from './http/once.js'
import { turnTaker } from './http/rate-limit.js'
import { callerReader, visitorReader } from './http/visitor.js'
import type { CallLog } from './mcp/tool.js'
import { PATHS } from './operations/paths.js'
import { type Bench, perform } from './operations/perform.js'
import { queued } from './operations/queued.js'
import { OPERATIONS } from './operations/table.js'
import { createCounter } from './payments/counter.js'
import { createGate } from './payments/gate.js'
import { createOffers } from './payments/offers.js'
import { remembered } from './payments/remembered.js'
import { endpointStall, type Stall, toolStall } from './payments/stalls.js'
import type { Till } from './payments/till.js'
import { documentsOf } from './routes/documents.js'
import { mountMcp } from './routes/mount-mcp.js'
import { mountSandbox, type SandboxDoors } from './routes/mount-sandbox.js'
import { createWeb } from './routes/web.js'
import type { Ledger } from './state/ledger.js'
import type { Limiter } from './state/limiter.js'
import { createTurnstile } from './state/turnstile.js'
import { type Tracing, UNTRACED } from './telemetry/tracing.js'
import { PAGE_PATHS } from './web/paths.js'

export interface AppLog extends HttpLog, CallLog {
  /** A resolver has answered a question, or has had its time for it. */
  question: NonNullable<DohOptions['onAnswer']>
}

/** What instances may share. */
export interface SharedState {
  readonly limiter: Limiter
  readonly ledger: Ledger
  /** Null where nothing is shared. */
  readonly isStoreUp: (() => boolean) | null
}

/** Reports that wait for a place, and for how long: beyond it the caller had better come again. */
const WAITING = { maxWaiting: 400, maxWaitMs: 2_000 }
/** Sales under way: each may wait half a minute for a chain, and holds a report meanwhile. */
const SALES = { places: 1_000, maxWaiting: 0, maxWaitMs: 0 }

export interface AppOptions {
  readonly config: Config
  readonly log: AppLog
  readonly isDraining: () => boolean
  readonly till: Till
  readonly state: SharedState
  readonly tracing?: Tracing
  readonly sandbox?: SandboxDoors
  /** The live DNS; tests bring one with their own certificate. */
  readonly dns?: DohDns
  /** Monotonic milliseconds; tests bring a clock of their own. */
  readonly now?: () => number
  /** Milliseconds since 1970; the same. */
  readonly wallClock?: () => number
}

export interface App {
  readonly http: Hono<HttpEnv>
  readonly resolvers: DohDns['resolvers']
  /** How many reports are being made, and how many wait. */
  readonly reports: { running(): number; waiting(): number; readonly limit: number }
  /** Some sale is under way, whether anybody waits for it or not. */
  isSelling(): boolean
  close(): void
}

export function createApp(options: AppOptions): App {
  const { config, log, isDraining, till, state, now = () => performance.now() } = options
  const { wallClock = () => Date.now(), tracing = UNTRACED } = options
  const dns = options.dns ?? createDohDns({ urls: config.dohUrls, onAnswer: log.question })
  const dnsFor = config.mode === 'sandbox' ? createDemoDns(dns) : () => dns

  const { baseUrl, service } = config

  const bench: Bench = {
    openLookup: (subject, signal) =>
      createLookup(tracing.dns(dnsFor(subject)), {
        deadlineMs: config.dnsTimeoutMs,
        ...(signal && { signal }),
      }),
    now,
    today: () => new Date(),
    randomLabel: () => randomBytes(10).toString('hex'),
  }
  const { limiter } = state
  const callerOf = callerReader(config.trustProxyHops)
  const visitorOf = visitorReader(callerOf)
  const takeTurn = turnTaker({ limiter, callerOf, log })
  const places = config.maxConcurrentReports
  const desk = createTurnstile({ places, ...WAITING })
  const work = queued((job, { signal }) => perform(job, bench, signal), desk.enter)
  const facilitator = tracing.facilitator(till.facilitator)
  const ledger = tracing.ledger(state.ledger)
  const gate = createGate({ ...till, facilitator, ledger, now: wallClock })
  const shell = { perform: tracing.perform(work), visitorOf, takeTurn, now, log }
  const sales = createTurnstile(SALES)
  const sell = createCounter({ ...shell, gate, beginSale: sales.enter, isDraining })
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
    ...shell,
    ...(tracing.around && { around: tracing.around }),
    isDraining,
    newRequestId: () => randomUUID(),
    resolvers: dns.resolvers,
    refuse: web.refuse,
    sell,
    offerFor,
    paymentsComplaint: paymentsComplaint(till, state, now),
  })

  const toolOffer = offersAt(toolStall(baseUrl + PATHS.mcp))
  mountMcp(http, { ...info, ...shell, sell, operations: OPERATIONS, offerFor: toolOffer })
  const { '/': description, ...others } = documentsOf({
    operations: OPERATIONS,
    service: info,
    answers,
    offerFor,
    pages: PAGE_PATHS,
  })
  for (const [path, document] of Object.entries(others)) mountDocument(http, path, document)
  web.mount(http, { ...shell, sell, offerFor, description })
  if (options.sandbox) mountSandbox(http, options.sandbox)
  const reports = { running: desk.running, waiting: desk.waiting, limit: places }
  return {
    http,
    resolvers: dns.resolvers,
    reports,
    isSelling: () => sales.running() > 0,
    close: dns.close,
  }
}

function paymentsComplaint({ facilitator }: Till, { isStoreUp }: SharedState, now: () => number) {
  const complaint = remembered(facilitator.complaint, { ms: 5_000, now })
  return async () => (isStoreUp?.() === false ? 'the store does not answer' : complaint())
}
