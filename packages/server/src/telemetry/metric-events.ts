/**
 * Counts events for Prometheus. Labels come from the code, never from callers: a domain in a label
 * would be kept forever, and every caller could create new series.
 */
import { PATHS } from '@mailgrade/operations/service-paths'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { RedisCommand } from '../state/redis-store.js'
import type { AppLog } from './log.js'

interface MetricEventsOptions {
  readonly build: Readonly<Record<'version' | 'mode' | 'network', string>>
  /** The operation id for a tool name. */
  readonly operationOf: (tool: string) => string
  /** Monotonic milliseconds. */
  readonly now: () => number
}

/** Every log event except `problem`: a request that ends in a problem is counted as a request. */
export interface MetricEvents extends Omit<AppLog, 'problem'> {
  /** A request that never reached the application. */
  rejectedRequest(code: string): void
  storeCommand(command: RedisCommand): void
  /** The chain has shown that a payment of unknown outcome was paid. */
  paidNotDelivered(usd: number): void
}

export function createMetricEvents(
  { build, operationOf, now }: MetricEventsOptions,
  registry: Registry,
): MetricEvents {
  const registers = [registry]
  new Gauge({
    name: 'mailgrade_build_info',
    help: 'Version, mode, and network of this instance',
    labelNames: Object.keys(build),
    registers,
  }).set(build, 1)

  const metrics = createMetricInstruments(registry)
  const rateLimitedCallers = createRecentCallers(now)
  new Gauge({
    name: 'mailgrade_rate_limited_callers',
    help: 'Callers rejected by the rate limit in the last minute',
    registers,
    collect() {
      this.set(rateLimitedCallers.count())
    },
  })

  function countRequest(
    surface: Surface,
    operation: string,
    outcome: string,
    durationMs: number,
  ): void {
    metrics.requests.inc({ surface, operation, outcome })
    metrics.requestSeconds.observe({ surface, operation }, durationMs / 1_000)
  }

  return {
    request({ route, operation, problem, isAborted, durationMs }) {
      const outcome = isAborted ? 'aborted' : (problem ?? 'ok')
      if (operation === null) return countRequest('other', route ?? 'none', outcome, durationMs)
      countRequest(surfaceOf(route), operation, outcome, durationMs)
    },
    toolCall: ({ tool, outcome, durationMs }) =>
      countRequest('mcp', operationOf(tool), outcome, durationMs),
    // It has no duration, because its start is unknown.
    rejectedRequest: (code) =>
      metrics.requests.inc({ surface: 'other', operation: 'none', outcome: code }),
    payment({ operation, outcome, usd, durationMs }) {
      metrics.payments.inc({ operation, outcome })
      metrics.settled.inc({ operation }, usd)
      metrics.paymentSeconds.observe({ operation }, durationMs / 1_000)
    },
    // It belongs to no request, so its operation is not known.
    paidNotDelivered(usd) {
      metrics.payments.inc({ operation: 'none', outcome: 'paid_not_delivered' })
      metrics.settled.inc({ operation: 'none' }, usd)
    },
    rateLimitExceeded(caller) {
      metrics.rateLimited.inc()
      rateLimitedCallers.add(caller)
    },
    error: () => metrics.internalErrors.inc(),
    dnsQuery({ resolver, outcome, durationMs }) {
      metrics.dnsQueries.inc({ resolver, outcome })
      metrics.dnsQuerySeconds.observe({ resolver }, durationMs / 1_000)
    },
    storeCommand({ command, outcome, ms }) {
      metrics.storeCommands.inc({ command, outcome })
      if (outcome !== 'skipped') metrics.storeCommandSeconds.observe({ command }, ms / 1_000)
    },
  }
}

type Surface = 'http' | 'page' | 'image' | 'mcp' | 'other'

/** Of the route of an operation. */
function surfaceOf(route: string | null): Surface {
  if (route?.startsWith('/v1/')) return 'http'
  const isImage = [PATHS.badge, PATHS.share].some((folder) => route?.startsWith(`${folder}/`))
  return isImage ? 'image' : 'page'
}

const RECENT_MS = 60_000
/** Limits memory; above this the exact number does not matter. */
const MAX_CALLERS = 100_000

function createRecentCallers(now: () => number) {
  /** When each caller was last seen, oldest first. */
  const lastSeen = new Map<string, number>()

  function removeOld(): void {
    for (const [caller, seenAt] of lastSeen) {
      if (now() - seenAt < RECENT_MS && lastSeen.size <= MAX_CALLERS) return
      lastSeen.delete(caller)
    }
  }

  return {
    add(caller: string): void {
      lastSeen.delete(caller)
      lastSeen.set(caller, now())
      if (lastSeen.size > MAX_CALLERS) removeOld()
    },
    count(): number {
      removeOld()
      return lastSeen.size
    },
  }
}

/** Up to 40 s, because a settlement may take 30 seconds. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 40]
const DNS_QUERY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5]
const STORE_COMMAND_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1]

/** Dashboards and alerts rely on the names. */
function createMetricInstruments(registry: Registry) {
  const registers = [registry]
  return {
    requests: new Counter({
      name: 'mailgrade_requests_total',
      help: 'Requests by surface, operation, and outcome',
      labelNames: ['surface', 'operation', 'outcome'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'mailgrade_request_duration_seconds',
      help: 'Time from the request to the end of its response',
      labelNames: ['surface', 'operation'],
      buckets: REQUEST_SECONDS,
      registers,
    }),
    payments: new Counter({
      name: 'mailgrade_payments_total',
      help: 'Payments by operation and outcome',
      labelNames: ['operation', 'outcome'],
      registers,
    }),
    settled: new Counter({
      name: 'mailgrade_settled_usd_total',
      help: 'Revenue from settled payments in US dollars',
      labelNames: ['operation'],
      registers,
    }),
    paymentSeconds: new Histogram({
      name: 'mailgrade_payment_duration_seconds',
      help: 'Time from a payment to its report',
      labelNames: ['operation'],
      buckets: REQUEST_SECONDS,
      registers,
    }),
    dnsQueries: new Counter({
      name: 'mailgrade_dns_queries_total',
      help: 'DNS queries by resolver and outcome',
      labelNames: ['resolver', 'outcome'],
      registers,
    }),
    dnsQuerySeconds: new Histogram({
      name: 'mailgrade_dns_query_duration_seconds',
      help: 'Time from a DNS query to its answer or timeout',
      labelNames: ['resolver'],
      buckets: DNS_QUERY_SECONDS,
      registers,
    }),
    storeCommands: new Counter({
      name: 'mailgrade_store_commands_total',
      help: 'Commands to the shared store by outcome',
      labelNames: ['command', 'outcome'],
      registers,
    }),
    storeCommandSeconds: new Histogram({
      name: 'mailgrade_store_command_duration_seconds',
      help: 'Time from a store command to its reply',
      labelNames: ['command'],
      buckets: STORE_COMMAND_SECONDS,
      registers,
    }),
    rateLimited: new Counter({
      name: 'mailgrade_rate_limited_total',
      help: 'Free requests rejected by the rate limit',
      registers,
    }),
    internalErrors: new Counter({
      name: 'mailgrade_internal_errors_total',
      help: 'Unexpected errors; the log shows where they happened',
      registers,
    }),
  }
}
