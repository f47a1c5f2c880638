/** Builds the application: configuration in, an HTTP app out. */

import { randomBytes, randomUUID } from 'node:crypto'
import { createDohDns, createReportDns, type DohDns } from '@mailgrade/doh'
import type { Hono } from 'hono'
import type { Config } from './config.js'
import { createDemoDns, createDemoExamples } from './demo/demo-dns.js'
import { documentResponses } from './discovery/documented-responses.js'
import { createHttpApp } from './http/http-app.js'
import type { HttpEnv } from './http/http-env.js'
import { memoizeAsync } from './http/memoize-async.js'
import { createConsumeRateLimit } from './http/rate-limit.js'
import { createReadCaller, createReadRequestContext } from './http/request-context.js'
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
import { addApiRoutes } from './routes/api-routes.js'
import { addDocumentRoutes } from './routes/document-routes.js'
import { addMcpRoutes } from './routes/mcp-routes.js'
import { addSandboxRoutes, type SandboxRpcHandlers } from './routes/sandbox-routes.js'
import { createWebRoutes } from './routes/web-routes.js'
import { createFairSemaphore } from './state/fair-semaphore.js'
import type { Ledger } from './state/ledger.js'
import type { RateLimiter } from './state/rate-limiter.js'
import type { AppLog } from './telemetry/log.js'
import { NO_TRACING, type Tracing } from './telemetry/tracing.js'
import { PAGE_PATHS } from './web/page-paths.js'

/** State that several instances may share. */
export interface SharedState {
  readonly rateLimiter: RateLimiter
  readonly ledger: Ledger
  /** Null without a shared store. */
  readonly isStoreUp: (() => boolean) | null
}

/** How many reports wait for a free slot, and how long, before the caller gets a 503. */
const REPORT_QUEUE = { maxWaiting: 400, maxWaitMs: 2_000 }
/** Limits memory: a payment may wait 30 seconds for the chain and holds a report meanwhile. */
const PAYMENT_LIMIT = { permits: 1_000, maxWaiting: 0, maxWaitMs: 0 }

const HEALTH_CACHE_MS = 5_000

export interface AppOptions {
  readonly config: Config
  readonly log: AppLog
  readonly isDraining: () => boolean
  readonly paymentBackend: PaymentBackend
  readonly state: SharedState
  readonly tracing?: Tracing
  readonly sandbox?: SandboxRpcHandlers | null
  /** The live DNS; tests pass their own. */
  readonly dns?: DohDns
  /** Monotonic milliseconds; tests pass their own clock. */
  readonly now?: () => number
  /** Milliseconds since 1970; tests pass their own clock. */
  readonly wallClock?: () => number
}

export interface App {
  readonly http: Hono<HttpEnv>
  readonly resolvers: DohDns['resolvers']
  /** Reports in progress and waiting. */
  readonly reports: { running(): number; waiting(): number; readonly limit: number }
  /** True also when the caller of a payment has disconnected. */
  hasPaymentsInProgress(): boolean
  close(): void
}

export function createApp(options: AppOptions): App {
  const { config, log, isDraining, paymentBackend, state, now = () => performance.now() } = options
  const { wallClock = () => Date.now(), tracing = NO_TRACING } = options
  const { baseUrl, service, maxConcurrentReports } = config
  const { rateLimiter } = state

  const dns = options.dns ?? createDohDns({ urls: config.dohUrls, onAnswer: log.dnsQuery })
  const dnsFor = config.mode === 'sandbox' ? createDemoDns(dns) : () => dns
  const runtime: Runtime = {
    openReportDns: (subject, signal) =>
      createReportDns(tracing.dns(dnsFor(subject)), {
        deadlineMs: config.dnsTimeoutMs,
        ...(signal && { signal }),
      }),
    now,
    currentTime: () => new Date(),
    baseUrl,
    randomLabel: () => randomBytes(10).toString('hex'),
  }
  const reportSemaphore = createFairSemaphore({ permits: maxConcurrentReports, ...REPORT_QUEUE })
  const limitedRun = withConcurrencyLimit(
    (prepared, { signal }) => runOperation(prepared, runtime, signal()),
    reportSemaphore.acquire,
  )

  const readCaller = createReadCaller(config.trustProxyHops)
  const shared = {
    runOperation: tracing.runOperation(limitedRun),
    readRequestContext: createReadRequestContext(readCaller),
    consumeRateLimit: createConsumeRateLimit({ limiter: rateLimiter, readCaller, log }),
    now,
    log,
  }

  const paymentSemaphore = createFairSemaphore(PAYMENT_LIMIT)
  const handlePaidRequest = createPaidRequestHandler({
    ...shared,
    paymentFlow: createPaymentFlow({
      ...paymentBackend,
      facilitator: tracing.facilitator(paymentBackend.facilitator),
      ledger: tracing.ledger(state.ledger),
      now: wallClock,
    }),
    acquirePaymentSlot: paymentSemaphore.acquire,
    isDraining,
  })
  const examples = createDemoExamples()
  const offersFor = (locateResource: ResourceLocator) =>
    createPaymentOffers({
      terms: paymentBackend.terms,
      locateResource,
      serviceName: service.name,
      // A payment must not depend on the demo zones.
      exampleResult: async ({ id }) => (await examples().catch(() => null))?.get(id) ?? {},
    })
  const httpOffers = offersFor(httpResourceLocator(baseUrl))
  const mcpOffers = offersFor(mcpResourceLocator(baseUrl + PATHS.mcp))

  const serviceInfo = {
    ...service,
    baseUrl,
    terms: paymentBackend.terms,
    isSandbox: config.mode === 'sandbox',
    limit: rateLimiter.limit,
    windowSeconds: rateLimiter.windowSeconds,
  }
  const operationAnswers = memoizeAsync(async () =>
    documentResponses(OPERATIONS, serviceInfo, await examples(), httpOffers),
  )
  const web = createWebRoutes({ service: serviceInfo, operationAnswers })

  const http = createHttpApp({
    baseUrl,
    now,
    log,
    ...(tracing.requestMiddleware && { tracingMiddleware: tracing.requestMiddleware }),
    isDraining,
    newRequestId: () => randomUUID(),
    sendProblem: web.sendProblem,
  })
  addApiRoutes(http, {
    ...shared,
    operations: OPERATIONS,
    handlePaidRequest,
    offerFor: httpOffers,
    isDraining,
    resolvers: dns.resolvers,
    paymentsHealthProblem: paymentsHealthProblem(paymentBackend, state, now),
  })
  addMcpRoutes(http, {
    ...serviceInfo,
    ...shared,
    operations: OPERATIONS,
    handlePaidRequest,
    offerFor: mcpOffers,
  })
  const description = addDocumentRoutes(http, {
    operations: OPERATIONS,
    service: serviceInfo,
    operationAnswers,
    getOffer: httpOffers,
    pages: PAGE_PATHS,
  })
  web.addRoutes(http, { ...shared, handlePaidRequest, offerFor: httpOffers, description })
  if (options.sandbox) addSandboxRoutes(http, options.sandbox)

  const { running, waiting } = reportSemaphore
  return {
    http,
    resolvers: dns.resolvers,
    reports: { running, waiting, limit: maxConcurrentReports },
    hasPaymentsInProgress: () => paymentSemaphore.running() > 0,
    close: dns.close,
  }
}

function paymentsHealthProblem(
  { facilitator }: PaymentBackend,
  { isStoreUp }: SharedState,
  now: () => number,
) {
  const healthProblem = cachedFor(facilitator.healthProblem, { ttlMs: HEALTH_CACHE_MS, now })
  return async () => (isStoreUp?.() === false ? 'the store does not answer' : healthProblem())
}
