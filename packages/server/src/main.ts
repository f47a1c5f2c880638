/** Starts the service, and ends it in good order. */
import { Console } from 'node:console'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createApp } from './app.js'
import { startupBanner } from './banner.js'
import { loadConfig } from './config.js'
import { startHttpServer } from './http/http-server.js'
import { openPaymentBackend } from './payments/payment-backend.js'
import { openState } from './state/open-state.js'
import { createAppLog, createLogger, errorLocation, teeLog } from './telemetry/log.js'
import { openMetrics, openTracing } from './telemetry/telemetry.js'

/** After SIGTERM we serve on this long, so that proxies see `/readyz` turn before the door closes. */
const GRACE_MS = 2_000
/** To verify, look up and settle may take 45 s, and a caller who has paid must get the report. */
const STOP_DEADLINE_MS = 50_000
const SALE_CHECK_MS = 50

const loaded = loadConfig(process.env)
if (loaded.kind === 'faults') {
  const lines = loaded.faults.map(({ name, message }) => `  ${name} ${message}`)
  process.stderr.write(`Mailgrade cannot start; please correct:\n${lines.join('\n')}\n`)
  process.exit(1)
}

// A library that talks to itself does so on standard error: the log has standard output alone.
globalThis.console = new Console(process.stderr)

const { config } = loaded
const log = createLogger(config.logLevel)
let isDraining = false
const { paymentBackend, ...sandbox } = config.payments
  ? { paymentBackend: await openPaymentBackend(config.payments) }
  : await openSandbox()
const metrics =
  config.metricsPort === null ? null : await openMetrics(config, paymentBackend.terms.network)
const traces = config.isTraced ? await openTracing() : null
const state = await openState({
  config,
  now: () => performance.now(),
  wallClock: () => Date.now(),
  onCommand: (told) => metrics?.events.command(told),
  onState: (isUp, cause) =>
    isUp ? log.info('the store answers') : log.warn({ cause }, 'the store does not answer'),
})
const app = createApp({
  config,
  paymentBackend,
  state,
  log: teeLog(createAppLog(log), metrics?.events ?? {}),
  isDraining: () => isDraining,
  ...(traces && { tracing: traces.tracing }),
  ...('handleChainRpc' in sandbox && { sandbox }),
})
const server = await startHttpServer(app.http, {
  ...config,
  newRequestId: () => randomUUID(),
  onClientError(requestId, code, status) {
    log.info({ requestId, status, problem: code }, 'refused')
    metrics?.events.refused(code)
  },
}).catch(cannotListen('PORT', config.port))
const watching = await metrics
  ?.serve(
    { ...app, ...state, isDraining: () => isDraining },
    { ...config, port: config.metricsPort ?? 0 },
  )
  .catch(cannotListen('METRICS_PORT', config.metricsPort ?? 0))

function cannotListen(name: string, port: number) {
  return ({ code }: NodeJS.ErrnoException) => {
    process.stderr.write(
      `Mailgrade cannot listen on ${config.host} port ${port} (${code}); set HOST to an address of this machine and ${name} to one that is free.\n`,
    )
    return process.exit(1)
  }
}

/** Loaded here alone: where real money is taken, nothing of the sandbox is. */
async function openSandbox() {
  const sandbox = await import('./sandbox/sandbox.js')
  return sandbox.openSandbox().catch((error: Error) => {
    process.stderr.write(`Mailgrade cannot start: ${error.message}\n`)
    return process.exit(1)
  })
}

async function stop(signal: NodeJS.Signals, graceMs: number): Promise<void> {
  if (isDraining) return
  isDraining = true
  log.info({ signal }, 'draining')
  const deadlineAt = performance.now() + STOP_DEADLINE_MS
  await server.stop(graceMs, STOP_DEADLINE_MS)
  // Who hung up has paid all the same, and comes back for the report.
  while (app.hasPaymentsInProgress() && performance.now() < deadlineAt) await delay(SALE_CHECK_MS)
  watching?.close()
  app.close()
  state.close()
  await traces?.stop()
  log.info('stopped')
  process.exit(0)
}
process.on('SIGTERM', (signal) => stop(signal, GRACE_MS))
process.on('SIGINT', (signal) => stop(signal, 0))
process.on('unhandledRejection', (error) => log.error(errorLocation(error), 'unhandled rejection'))
process.on('uncaughtException', (error) => {
  // Whatever threw left its work half done; only a new process is in a known state.
  log.fatal(errorLocation(error), 'uncaught exception')
  process.exit(1)
})

// Said last: whoever reads it may send a signal at once. The log has standard output to
// itself, so that every line there is JSON.
process.stderr.write(startupBanner(config, paymentBackend.terms, server.port))
log.info({ port: server.port, metricsPort: watching?.port, mode: config.mode }, 'listening')
if (config.mode === 'live' && !config.baseUrl.startsWith('https:')) {
  log.warn({ baseUrl: config.baseUrl }, 'BASE_URL is no public https address')
}
const complaint = await paymentBackend.facilitator.healthProblem()
if (complaint) log.warn({ complaint }, 'payments unavailable')
