/**
 * Counts events for Prometheus. Labels come from the code, never from callers: a domain in a label
 * would be kept forever, and every caller could create new series.
 */
import { Gauge, type Registry } from 'prom-client'
import type { RedisCommand } from '../state/redis-store.js'
import type { AppLog } from './log.js'
import { createMetricInstruments } from './metric-instruments.js'

export interface MetricEventsOptions {
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
}

export function createMetricEvents(
  { build, operationOf, now }: MetricEventsOptions,
  registry: Registry,
): MetricEvents {
  const registers = [registry]
  new Gauge({
    name: 'mailgrade_build_info',
    help: 'Version, mode and network of this instance',
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
    surface: 'http' | 'page' | 'mcp' | 'other',
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
      const surface = route?.startsWith('/v1/') ? 'http' : 'page'
      countRequest(surface, operation, outcome, durationMs)
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
