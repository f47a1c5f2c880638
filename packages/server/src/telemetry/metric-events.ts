/**
 * What operators want to know, counted for Prometheus. It hears of the same events as the log, and
 * reads what stands still when it is asked. Labels come from the code alone, never from callers:
 * a domain in a label would be kept for ever, and every caller could make new series.
 */
import { Gauge, type Registry } from 'prom-client'
import { createMetricInstruments } from './metric-instruments.js'
import { createRecentCallers } from './recent-callers.js'

export interface MetricEventsOptions {
  readonly build: Readonly<Record<'version' | 'mode' | 'network', string>>
  /** By the name of its tool, the operation behind it. */
  readonly operationOf: (tool: string) => string
  /** Monotonic milliseconds. */
  readonly now: () => number
}

interface RequestEvent {
  readonly route: string | null
  readonly operation: string | null
  readonly problem: string | null
  readonly isAborted: boolean
  readonly durationMs: number
}

interface CallEvent {
  readonly tool: string
  readonly outcome: string
  readonly durationMs: number
}

interface SaleEvent {
  readonly operation: string
  readonly outcome: string
  readonly usd: number
  readonly durationMs: number
}

export function createMetricEvents(
  { build, operationOf, now }: MetricEventsOptions,
  registry: Registry,
) {
  const registers = [registry]
  new Gauge({
    name: 'mailgrade_build_info',
    help: 'What runs here',
    labelNames: Object.keys(build),
    registers,
  }).set(build, 1)

  const {
    requests,
    requestSeconds,
    payments,
    settled,
    saleSeconds,
    questions,
    questionSeconds,
    commands,
    commandSeconds,
    limited,
    faults,
  } = createMetricInstruments(registry)
  const limitedCallers = createRecentCallers(now)
  new Gauge({
    name: 'mailgrade_rate_limited_callers',
    help: 'Callers that were refused as too frequent in the last minute',
    registers,
    collect() {
      this.set(limitedCallers.count())
    },
  })

  function count(surface: string, operation: string, outcome: string, durationMs: number): void {
    requests.inc({ surface, operation, outcome })
    requestSeconds.observe({ surface, operation }, durationMs / 1_000)
  }

  return {
    request({ route, operation, problem, isAborted, durationMs }: RequestEvent): void {
      const outcome = isAborted ? 'aborted' : (problem ?? 'ok')
      if (operation === null) count('other', route ?? 'none', outcome, durationMs)
      else count(route?.startsWith('/v1/') ? 'http' : 'page', operation, outcome, durationMs)
    },
    toolCall({ tool, outcome, durationMs }: CallEvent): void {
      count('mcp', operationOf(tool), outcome, durationMs)
    },
    /** What was no request in the end; nobody knows when it began. */
    refused(code: string): void {
      requests.inc({ surface: 'other', operation: 'none', outcome: code })
    },
    payment({ operation, outcome, usd, durationMs }: SaleEvent): void {
      payments.inc({ operation, outcome })
      settled.inc({ operation }, usd)
      saleSeconds.observe({ operation }, durationMs / 1_000)
    },
    rateLimitExceeded(caller: string): void {
      limited.inc()
      limitedCallers.add(caller)
    },
    fault: () => faults.inc(),
    dnsQuery(told: { resolver: string; outcome: string; durationMs: number }): void {
      questions.inc({ resolver: told.resolver, outcome: told.outcome })
      questionSeconds.observe({ resolver: told.resolver }, told.durationMs / 1_000)
    },
    command(told: { command: string; outcome: string; ms: number }): void {
      commands.inc({ command: told.command, outcome: told.outcome })
      if (told.outcome !== 'skipped') {
        commandSeconds.observe({ command: told.command }, told.ms / 1_000)
      }
    },
  }
}
