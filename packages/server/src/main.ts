/** Starts the service and shuts it down. */
import { Console } from 'node:console'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { RELEASE_VERSION } from '@mailgrade/operations/release-version'
import { createApp } from './app.js'
import { startupBanner } from './banner.js'
import { loadConfig } from './config.js'
import { startHttpServer } from './http/http-server.js'
import { openPaymentBackend, originOf, provesOwnership } from './payments/payment-backend.js'
import type { HexText } from './payments/payment-terms.js'
import { startResolvingUnknown } from './payments/resolve-unknown.js'
import { openState } from './state/open-state.js'
import type { StoreRisk } from './state/redis-store.js'
import { createAppLog, createLogger, errorLocation, teeLog } from './telemetry/log.js'

/** After SIGTERM the service keeps serving this long, so proxies see `/readyz` fail first. */
const GRACE_MS = 2_000
/** Verify, look up and settle may take 53 s, and a caller who has paid must get the report. */
const STOP_DEADLINE_MS = 55_000
const PAYMENT_CHECK_MS = 50
/** The longest wait for the last lines of the log. */
const LOG_FLUSH_MS = 1_000
const LOG_COUNTS_MS = 60_000
const NEW_LEDGER =
  'the payment ledger is new: if this service has sold reports before, restore the ledger or run `npm run reconcile` first'
const STORE_RISKS: Record<StoreRisk['kind'], string> = {
  evicts: 'the store may drop payments: set maxmemory-policy noeviction',
  forgets: 'the store loses payments when it restarts: set appendonly yes',
  unchecked:
    'the store may lose payments: we cannot check, because its user is not allowed to run INFO. Allow it, or make sure that maxmemory-policy is noeviction and appendonly is yes',
}

const loaded = loadConfig(process.env)
if (loaded.kind === 'faults') {
  const lines = loaded.faults.map(({ name, message }) => `  ${name} ${message}`)
  exitWith(`Mailgrade cannot start. Correct these environment variables:\n${lines.join('\n')}`)
}

// Libraries that use console write to standard error, so standard output holds only the log.
globalThis.console = new Console(process.stderr)

const { config } = loaded
const log = createLogger(config.logLevel)
let isDraining = false
const { paymentBackend, sandbox } = await openPayments()
const terms = paymentBackend?.terms ?? null
const metrics =
  config.metricsPort === null
    ? null
    : (await import('./telemetry/metrics.js')).openMetrics(config, terms)
const tracing = config.isTraced
  ? (await import('./telemetry/start-tracing.js')).startTracing(RELEASE_VERSION)
  : null
const state = await openState({
  config,
  now: () => performance.now(),
  wallClock: () => Date.now(),
  onCommand: (command) => metrics?.events.storeCommand(command),
  onState: (isUp, cause) =>
    isUp ? log.info('the store answers') : log.warn({ cause }, 'the store does not answer'),
  onRisk: ({ kind, ...found }) => log.warn(found, STORE_RISKS[kind]),
  onNewLedger() {
    if (config.mode === 'live') log.warn(NEW_LEDGER)
  },
  onDroppedBytes: (bytes) => log.warn({ bytes }, 'the disk lost part of the payment ledger'),
}).catch((error: Error) => exitWith(`Mailgrade cannot start: ${error.message}`))
if (config.redisUrl !== null && new URL(config.redisUrl).password === '') {
  log.warn('REDIS_URL has no password, so the store’s files reveal callers’ IP addresses')
}
if (config.mode === 'live' && config.redisUrl === null) {
  log.warn('payments are in DATA_DIR: do not start a second instance without REDIS_URL')
}
const { receiptPrivateKey } = config
const offerReceipts =
  receiptPrivateKey && paymentBackend
    ? await loadOfferReceipts(receiptPrivateKey, config.baseUrl)
    : null
const appLog = createAppLog(log)
setInterval(appLog.writeCounts, LOG_COUNTS_MS).unref()
const app = createApp({
  config,
  paymentBackend,
  state,
  log: metrics ? teeLog(appLog, metrics.events) : appLog,
  isDraining: () => isDraining,
  ...(tracing && { tracing: tracing.tracing }),
  sandbox,
  offerReceipts,
})
const server = await startHttpServer(app.http, {
  ...config,
  newRequestId: () => randomUUID(),
  onClientError(requestId, code, status) {
    appLog.rejectedRequest(requestId, code, status)
    metrics?.events.rejectedRequest(code)
  },
}).catch(exitOnListenError('PORT', config.port))
const metricsServer = await metrics
  ?.serve(
    { ...app, ...state, isDraining: () => isDraining, wallClock: () => Date.now() },
    { ...config, port: config.metricsPort ?? 0 },
  )
  .catch(exitOnListenError('METRICS_PORT', config.metricsPort ?? 0))

const unknownResolver =
  paymentBackend &&
  startResolvingUnknown({
    ...paymentBackend,
    ledger: state.ledger,
    now: () => Date.now(),
    wait: (ms, signal) => delay(ms, undefined, { ref: false, signal }).catch(() => {}),
    onResolved({ transaction, ...resolved }) {
      // Without a payment, what was sent for it has failed, or was never mined.
      app.settleGas(resolved.reference, { isLost: transaction === null })
      if (transaction === null) return log.info(resolved, 'payment not made')
      log.warn({ ...resolved, transaction }, 'paid, not delivered')
      return metrics?.events.paidNotDelivered(resolved.usd)
    },
    onFailure: (error) => log.warn(errorLocation(error), 'unknown payments cannot be resolved'),
  })

process.on('SIGTERM', (signal) => void stop(signal, GRACE_MS))
process.on('SIGINT', (signal) => void stop(signal, 0))
process.on('unhandledRejection', (error) => log.error(errorLocation(error), 'unhandled rejection'))
process.on('uncaughtException', (error) => {
  // The state of the process is unknown, so only a new process is safe.
  log.fatal(errorLocation(error), 'uncaught exception')
  process.exit(1)
})

// Last, because a script may send a signal as soon as it reads this.
process.stderr.write(startupBanner(config, terms, { version: RELEASE_VERSION, port: server.port }))
log.info({ port: server.port, metricsPort: metricsServer?.port, mode: config.mode }, 'listening')
if (config.mode === 'live' && !config.baseUrl.startsWith('https:')) {
  log.warn({ baseUrl: config.baseUrl }, 'BASE_URL is not a public https URL')
}
if (config.ownershipProof && terms) {
  const { baseUrl, ownershipProof } = config
  if (!(await provesOwnership(ownershipProof, { baseUrl, payTo: terms.payTo }))) {
    log.warn(
      { origin: originOf(baseUrl) },
      'OWNERSHIP_PROOF is not the payee’s signature for this origin',
    )
  }
}
const healthProblem = await paymentBackend?.facilitator.healthProblem()
if (healthProblem) log.warn({ healthProblem }, 'payments unavailable')

async function openPayments() {
  if (config.mode === 'sandbox') return loadSandbox()
  const paymentBackend = config.payments && (await openPaymentBackend(config.payments))
  return { paymentBackend, sandbox: null }
}

/** Loaded on demand, so a live service runs no sandbox code. */
async function loadSandbox() {
  const { openSandbox } = await import('./sandbox/sandbox.js')
  const sandbox = await openSandbox().catch((error: Error) =>
    exitWith(`Mailgrade cannot start: ${error.message}`),
  )
  return { paymentBackend: sandbox.paymentBackend, sandbox }
}

async function loadOfferReceipts(privateKey: HexText, baseUrl: string) {
  const { createOfferReceipts } = await import('./payments/offer-receipt.js')
  return createOfferReceipts(privateKey, baseUrl)
}

async function stop(signal: NodeJS.Signals, graceMs: number): Promise<void> {
  if (isDraining) return
  isDraining = true
  log.info({ signal }, 'draining')
  const deadlineAt = performance.now() + STOP_DEADLINE_MS
  await server.stop(graceMs, STOP_DEADLINE_MS)
  // A caller who disconnected may still be charged, and comes back for the report.
  while (app.hasPaymentsInProgress() && performance.now() < deadlineAt) {
    await delay(PAYMENT_CHECK_MS)
  }
  unknownResolver?.stop()
  metricsServer?.close()
  app.close()
  await state.close()
  await tracing?.stop()
  appLog.writeCounts()
  log.info('stopped')
  // Lines are written in the background, and an exit would overtake one. Nobody may read them.
  setTimeout(() => process.exit(0), LOG_FLUSH_MS)
  log.flush(() => process.exit(0))
}

function exitOnListenError(variable: string, port: number) {
  return ({ code }: NodeJS.ErrnoException) =>
    exitWith(
      `Mailgrade cannot listen on ${config.host} port ${port} (${code}). Set HOST to an address of this machine and ${variable} to a free port.`,
    )
}

function exitWith(message: string): never {
  process.stderr.write(`${message}\n`)
  return process.exit(1)
}
