/** Builds the application: configuration in, an HTTP app out. */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { withoutPrivateNames } from '@mailgrade/core'
import {
  type AbortableDns,
  createDohDns,
  createReportDns,
  type DohDns,
  queryTimeoutWithin,
  randomLabel,
} from '@mailgrade/doh'
import { ICON_PATH } from '@mailgrade/operations/mcp/server-identity'
import { findMistypedPath } from '@mailgrade/operations/mistyped-name'
import { isPaid } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import {
  type Runtime,
  runOperation,
  withConcurrencyLimit,
} from '@mailgrade/operations/run-operation'
import { PATHS } from '@mailgrade/operations/service-paths'
import type { Hono } from 'hono'
import type { Config } from './config.js'
import {
  createDemoDns,
  createDemoExamples,
  createDemoReports,
  createDemoSample,
  DEMO_RESOLVER,
} from './demo/demo-dns.js'
import { documentResponses } from './discovery/documented-responses.js'
import { createHttpApp } from './http/http-app.js'
import { createConsumeRateLimit } from './http/rate-limit.js'
import { createReadCaller, createReadRequestContext } from './http/request-context.js'
import type { HttpEnv } from './http/respond.js'
import type { PaymentBackend } from './payments/facilitator.js'
import { createPaidRequestHandler } from './payments/handle-paid-request.js'
import type { OfferReceipts } from './payments/offer-receipt.js'
import { createPaymentFlow } from './payments/payment-flow.js'
import {
  createPaymentOffers,
  type GetPaymentOffer,
  httpResourceLocator,
  mcpResourceLocator,
  type ResourceLocator,
} from './payments/payment-offer.js'
import { describeCurrency } from './payments/payment-terms.js'
import { createTroubleBudget, type TroubleBudget } from './payments/trouble-budget.js'
import { addApiRoutes, addNotForSaleRoutes } from './routes/api-routes.js'
import { addDocumentRoutes } from './routes/document-routes.js'
import { createImageRoutes } from './routes/image-routes.js'
import { addMcpRoutes } from './routes/mcp-routes.js'
import { addSandboxRoutes, type SandboxRpcHandlers } from './routes/sandbox-routes.js'
import { createWebRoutes } from './routes/web-routes.js'
import { createFairSemaphore } from './state/fair-semaphore.js'
import type { Ledger } from './state/ledger.js'
import { memoizeAsync } from './state/memoize-async.js'
import type { RateLimiter } from './state/memory-rate-limiter.js'
import type { AppLog } from './telemetry/log.js'
import { NO_TRACING, type Tracing } from './telemetry/tracing.js'
import { pagePaths } from './web/page-paths.js'

/** State that several instances may share. */
export interface SharedState {
  readonly rateLimiter: RateLimiter
  readonly ledger: Ledger
  /** Null without a shared store. */
  readonly isStoreUp: (() => boolean) | null
}

/** How many reports wait for a free slot, and how long, before the caller gets a 503. */
const REPORT_QUEUE = { maxWaiting: 400, maxWaitMs: 2_000 }
/**
 * As many as all requests that may be unanswered, so payments are no cheaper to block than pages.
 * What takes work or memory has queues of its own, in which callers take turns.
 */
const PAYMENT_LIMIT = { permits: 4_000, maxPerCaller: 250, maxWaiting: 0, maxWaitMs: 0 }

const HEALTH_CACHE_MS = 5_000
/** Faster answers seem instant, so a page that is faster shows no progress. */
const PROGRESS_AFTER_MS = 100

export interface AppOptions {
  readonly config: Config
  readonly log: AppLog
  readonly isDraining: () => boolean
  /** Null: nothing is for sale. */
  readonly paymentBackend: PaymentBackend | null
  readonly state: SharedState
  readonly tracing?: Tracing
  readonly sandbox?: SandboxRpcHandlers | null
  /** Null: offers and receipts are not signed. */
  readonly offerReceipts?: OfferReceipts | null
  /** The live DNS; tests pass their own. */
  readonly dns?: DohDns
  /** Monotonic milliseconds; tests pass their own clock. */
  readonly now?: () => number
  /** Milliseconds since 1970; tests pass their own clock. */
  readonly wallClock?: () => number
  /** Waits for the chain; tests pass their own. */
  readonly wait?: (ms: number) => Promise<unknown>
  /** Waits before a page shows progress; tests pass their own. */
  readonly waitBeforeProgress?: () => Promise<unknown>
}

export interface App {
  readonly http: Hono<HttpEnv>
  readonly resolvers: DohDns['resolvers']
  /** Reports in progress and waiting. */
  readonly reports: { running(): number; waiting(): number; readonly limit: number }
  /** For a payment whose outcome was found out without a request. */
  readonly settleGas: TroubleBudget['settleGas']
  /** True also when the caller of a payment has disconnected. */
  hasPaymentsInProgress(): boolean
  close(): void
}

export function createApp(options: AppOptions): App {
  const { config, log, isDraining, paymentBackend, state, now = () => performance.now() } = options
  const { wallClock = () => Date.now(), tracing = NO_TRACING, offerReceipts = null } = options
  const { baseUrl, service, maxConcurrentReports } = config
  const { rateLimiter } = state
  const trouble = createTroubleBudget({ limit: config.rateLimitPerMinute, now })
  const terms = paymentBackend?.terms ?? null
  // Every surface is derived from this table, so what is not in it is not for sale anywhere.
  const operations = paymentBackend ? OPERATIONS : OPERATIONS.filter((it) => !isPaid(it))

  const queryTimeoutMs = queryTimeoutWithin(config.dnsTimeoutMs)
  const dns =
    options.dns ?? createDohDns({ urls: config.dohUrls, queryTimeoutMs, onAnswer: log.dnsQuery })
  const dnsFor = config.mode === 'sandbox' ? createDemoDns(dns) : () => dns
  const publicOnly = config.allowPrivateNames ? (any: AbortableDns) => any : withoutPrivateNames
  const runtime: Runtime = {
    openReportDns: (subject, signal) =>
      createReportDns(publicOnly(tracing.dns(dnsFor(subject))), {
        deadlineMs: config.dnsTimeoutMs,
        ...(signal && { signal }),
      }),
    now,
    currentTime: () => new Date(),
    baseUrl,
    randomLabel,
  }
  const reportSemaphore = createFairSemaphore({ permits: maxConcurrentReports, ...REPORT_QUEUE })
  const limitedRun = withConcurrencyLimit(
    (prepared, { signal, onChecked }) =>
      runOperation(prepared, { ...runtime, onChecked }, signal()),
    reportSemaphore.acquire,
  )

  const readCaller = createReadCaller(config.trustProxyHops)
  const shared = {
    runOperation: tracing.runOperation(limitedRun),
    readRequestContext: createReadRequestContext(readCaller),
    consumeRateLimit: createConsumeRateLimit({ limiter: rateLimiter, readCaller, log }),
    now,
    log,
    allowPrivateNames: config.allowPrivateNames,
  }

  const paymentSemaphore = createFairSemaphore(PAYMENT_LIMIT)
  const handlePaidRequest = paymentBackend
    ? createPaidRequestHandler({
        ...shared,
        paymentFlow: createPaymentFlow({
          ...paymentBackend,
          facilitator: tracing.facilitator(paymentBackend.facilitator),
          ledger: tracing.ledger(state.ledger),
          trouble,
          now: wallClock,
          wait: options.wait ?? ((ms) => delay(ms, undefined, { ref: false })),
          issueReceipt: offerReceipts?.issueReceipt ?? null,
        }),
        acquirePaymentSlot: paymentSemaphore.acquire,
        isDraining,
      })
    : nothingForSale
  const examples = createDemoExamples()
  const offersFor = (locateResource: ResourceLocator) =>
    terms
      ? createPaymentOffers({
          terms,
          locateResource,
          serviceName: service.name,
          iconUrl: baseUrl + ICON_PATH,
          // A payment must not depend on the demo zones.
          exampleResult: async ({ id }) => (await examples().catch(() => null))?.get(id) ?? {},
        })
      : nothingForSale
  const httpOffers = offersFor(httpResourceLocator(baseUrl))
  const mcpOffers = offersFor(mcpResourceLocator(baseUrl + PATHS.mcp))
  // Documents are cached longer than a signed offer is valid, so they show offers without it.
  const signed = (getOffer: GetPaymentOffer) => offerReceipts?.signOffers(getOffer, now) ?? getOffer
  const signedHttpOffers = signed(httpOffers)

  const isSandbox = config.mode === 'sandbox'
  const serviceInfo = {
    ...service,
    baseUrl,
    terms,
    money: terms && describeCurrency({ terms, isSandbox }),
    isSandbox,
    receiptSigner: offerReceipts?.signer ?? null,
    ownershipProofs: [config.ownershipProof, offerReceipts?.ownershipProof].filter(
      (proof) => typeof proof === 'string',
    ),
    limit: rateLimiter.limit,
    windowSeconds: rateLimiter.windowSeconds,
  }
  const operationAnswers = memoizeAsync(async () =>
    documentResponses(operations, serviceInfo, await examples(), httpOffers),
  )
  const web = createWebRoutes({
    operations,
    service: serviceInfo,
    operationAnswers,
    sampleCheck: createDemoSample(),
    sampleReport: createDemoReports(baseUrl),
    wallClock,
  })
  const images = createImageRoutes(serviceInfo)

  const http = createHttpApp({
    baseUrl,
    now,
    log,
    ...(tracing.requestMiddleware && { tracingMiddleware: tracing.requestMiddleware }),
    isDraining,
    newRequestId: () => randomUUID(),
    findMistypedPath: (pathname) => findMistypedPath(pathname, operations),
    sendProblem: images.orOtherProblem(web.sendProblem),
  })
  addApiRoutes(http, {
    ...shared,
    operations,
    handlePaidRequest,
    offerFor: signedHttpOffers,
    isDraining,
    resolvers: dns.resolvers,
    demoResolver: isSandbox ? DEMO_RESOLVER : null,
    paymentsHealthProblem: paymentBackend && paymentsHealthProblem(paymentBackend, state, now),
  })
  const unsold = OPERATIONS.filter((operation) => !operations.includes(operation))
  addNotForSaleRoutes(http, unsold)
  addMcpRoutes(http, {
    ...serviceInfo,
    ...shared,
    operations,
    handlePaidRequest,
    offerFor: signed(mcpOffers),
    sendEndpointPage: web.sendMcpPage,
  })
  const description = addDocumentRoutes(http, {
    operations,
    service: serviceInfo,
    operationAnswers,
    getOffer: httpOffers,
    pages: pagePaths(operations),
  })
  web.addRoutes(http, {
    ...shared,
    handlePaidRequest,
    offerFor: signedHttpOffers,
    description,
    waitBeforeProgress: options.waitBeforeProgress ?? (() => delay(PROGRESS_AFTER_MS)),
  })
  images.addRoutes(http, shared)
  if (options.sandbox) addSandboxRoutes(http, options.sandbox, { baseUrl })

  const { running, waiting } = reportSemaphore
  return {
    http,
    resolvers: dns.resolvers,
    reports: { running, waiting, limit: maxConcurrentReports },
    settleGas: trouble.settleGas,
    hasPaymentsInProgress: () => paymentSemaphore.running() > 0,
    close: dns.close,
  }
}

/** Stands in for payments where no operation has a price. */
async function nothingForSale(): Promise<never> {
  throw new Error('nothing is for sale')
}

function paymentsHealthProblem(
  { facilitator }: PaymentBackend,
  { isStoreUp }: SharedState,
  now: () => number,
) {
  const healthProblem = memoizeAsync(facilitator.healthProblem, { ttlMs: HEALTH_CACHE_MS, now })
  return async () => (isStoreUp?.() === false ? 'the store does not answer' : healthProblem())
}
