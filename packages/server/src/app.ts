/** Parts into a whole: configuration in, an application that can be served or asked directly. */

import { randomBytes, randomUUID } from 'node:crypto'
import { createDohDns, createReportDns, type DohDns, type DohDnsOptions } from '@mailgrade/doh'
import type { Hono } from 'hono'
import type { Config } from './config.js'
import { createDemoDns } from './demo/demo-dns.js'
import { createDemoExamples } from './demo/demo-examples.js'
import { documentResponses } from './discovery/documented-responses.js'
import { createHttpApp, type HttpLog } from './http/http-app.js'
import type { HttpEnv } from './http/http-env.js'
import { memoizeAsync } from './http/memoize-async.js'
import { createConsumeRateLimit } from './http/rate-limit.js'
import { createReadCaller, createReadRequestContext } from './http/request-context.js'
import { addDocumentRoute } from './http/static-document.js'
import type { ToolCallLog } from './mcp/mcp-tool.js'
import { OPERATIONS } from './operations/operations.js'
import { type Runtime, runOperation, withConcurrencyLimit } from './operations/run-operation.js'
import { PATHS } from './operations/service-paths.js'
import { cachedFor } from './payments/cached-for.js'
import { createPaidRequestHandler } from './payments/handle-paid-request.js'
import type { PaymentBackend } from './payments/payment-backend.js'
import { createPaymentFlow } from './payments/payment-flow.js'
import {
  createPaymentOffers,
  httpResourceLocator,
  mcpResourceLocator,
  type ResourceLocator,
} from './payments/payment-offer.js'
import { createDiscoveryDocuments } from './routes/discovery-documents.js'
import { addMcpRoutes } from './routes/mcp-routes.js'
import { addSandboxRoutes, type SandboxRpcHandlers } from './routes/sandbox-routes.js'
import { createWebRoutes } from './routes/web-routes.js'
import { createFairSemaphore } from './state/fair-semaphore.js'
import type { Ledger } from './state/ledger.js'
import type { RateLimiter } from './state/rate-limiter.js'
import { NO_TRACING, type Tracing } from './telemetry/tracing.js'
import { PAGE_PATHS } from './web/page-paths.js'

export interface AppLog extends HttpLog, ToolCallLog {
  /** A resolver has answered a question, or has had its time for it. */
  dnsQuery: NonNullable<DohDnsOptions['onAnswer']>
}

/** What instances may share. */
export interface SharedState {
  readonly rateLimiter: RateLimiter
  readonly ledger: Ledger
  /** Null where nothing is shared. */
  readonly isStoreUp: (() => boolean) | null
}

/** Reports that wait for a place, and for how long: beyond it the caller had better come again. */
const WAITING = { maxWaiting: 400, maxWaitMs: 2_000 }
/** Sales under way: each may wait half a minute for a chain, and holds a report meanwhile. */
const SALES = { permits: 1_000, maxWaiting: 0, maxWaitMs: 0 }

export interface AppOptions {
  readonly config: Config
  readonly log: AppLog
  readonly isDraining: () => boolean
  readonly paymentBackend: PaymentBackend
  readonly state: SharedState
  readonly tracing?: Tracing
  readonly sandbox?: SandboxRpcHandlers
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
  hasPaymentsInProgress(): boolean
  close(): void
}

export function createApp(options: AppOptions): App {
  const { config, log, isDraining, paymentBackend, state, now = () => performance.now() } = options
  const { wallClock = () => Date.now(), tracing = NO_TRACING } = options
  const dns = options.dns ?? createDohDns({ urls: config.dohUrls, onAnswer: log.dnsQuery })
  const dnsFor = config.mode === 'sandbox' ? createDemoDns(dns) : () => dns

  const { baseUrl, service } = config

  const bench: Runtime = {
    openReportDns: (subject, signal) =>
      createReportDns(tracing.dns(dnsFor(subject)), {
        deadlineMs: config.dnsTimeoutMs,
        ...(signal && { signal }),
      }),
    now,
    currentTime: () => new Date(),
    randomLabel: () => randomBytes(10).toString('hex'),
  }
  const { rateLimiter } = state
  const callerOf = createReadCaller(config.trustProxyHops)
  const readRequestContext = createReadRequestContext(callerOf)
  const consumeRateLimit = createConsumeRateLimit({
    limiter: rateLimiter,
    readCaller: callerOf,
    log,
  })
  const permits = config.maxConcurrentReports
  const desk = createFairSemaphore({ permits: permits, ...WAITING })
  const work = withConcurrencyLimit(
    (job, { signal }) => runOperation(job, bench, signal),
    desk.acquire,
  )
  const facilitator = tracing.facilitator(paymentBackend.facilitator)
  const ledger = tracing.ledger(state.ledger)
  const gate = createPaymentFlow({ ...paymentBackend, facilitator, ledger, now: wallClock })
  const shell = {
    runOperation: tracing.runOperation(work),
    readRequestContext,
    consumeRateLimit,
    now,
    log,
  }
  const sales = createFairSemaphore(SALES)
  const handlePaidRequest = createPaidRequestHandler({
    ...shell,
    paymentFlow: gate,
    acquirePaymentSlot: sales.acquire,
    isDraining,
  })
  const examples = createDemoExamples()
  const offersAt = (stall: ResourceLocator) =>
    createPaymentOffers({
      terms: paymentBackend.terms,
      locateResource: stall,
      serviceName: service.name,
      // A sale must not depend on the demo zones.
      exampleResult: async ({ id }) => (await examples().catch(() => null))?.get(id) ?? {},
    })

  const offerFor = offersAt(httpResourceLocator(baseUrl))
  const info = {
    ...service,
    baseUrl,
    terms: paymentBackend.terms,
    isSandbox: config.mode === 'sandbox',
    limit: rateLimiter.limit,
    windowSeconds: rateLimiter.windowSeconds,
  }
  const answers = memoizeAsync(async () =>
    documentResponses(OPERATIONS, info, await examples(), offerFor),
  )
  const web = createWebRoutes({ service: info, operationAnswers: answers, onFault: log.fault })
  const http = createHttpApp({
    baseUrl,
    operations: OPERATIONS,
    ...shell,
    ...(tracing.requestMiddleware && { tracingMiddleware: tracing.requestMiddleware }),
    isDraining,
    newRequestId: () => randomUUID(),
    resolvers: dns.resolvers,
    sendProblem: web.sendProblem,
    handlePaidRequest: handlePaidRequest,
    offerFor,
    paymentsHealthProblem: paymentsComplaint(paymentBackend, state, now),
  })

  const toolOffer = offersAt(mcpResourceLocator(baseUrl + PATHS.mcp))
  addMcpRoutes(http, {
    ...info,
    ...shell,
    handlePaidRequest: handlePaidRequest,
    operations: OPERATIONS,
    offerFor: toolOffer,
  })
  const { '/': description, ...others } = createDiscoveryDocuments({
    operations: OPERATIONS,
    service: info,
    operationAnswers: answers,
    getOffer: offerFor,
    pages: PAGE_PATHS,
  })
  for (const [path, document] of Object.entries(others)) addDocumentRoute(http, path, document)
  web.addRoutes(http, { ...shell, handlePaidRequest: handlePaidRequest, offerFor, description })
  if (options.sandbox) addSandboxRoutes(http, options.sandbox)
  const reports = { running: desk.running, waiting: desk.waiting, limit: permits }
  return {
    http,
    resolvers: dns.resolvers,
    reports,
    hasPaymentsInProgress: () => sales.running() > 0,
    close: dns.close,
  }
}

function paymentsComplaint(
  { facilitator }: PaymentBackend,
  { isStoreUp }: SharedState,
  now: () => number,
) {
  const complaint = cachedFor(facilitator.healthProblem, { ttlMs: 5_000, now })
  return async () => (isStoreUp?.() === false ? 'the store does not answer' : complaint())
}
