/** Structured logs: one JSON object per line on standard output. */
import type { DohDnsOptions } from '@mailgrade/doh'
import { type Logger, pino } from 'pino'
import type { ErrorLog } from '../http/http-app.js'
import type { AccessLog, AccessLogLine } from '../http/middleware.js'
import type { RateLimitLog } from '../http/rate-limit.js'
import type { ToolCallLog } from '../mcp/mcp-tool.js'
import type { ProblemLog } from '../operations/run-operation.js'
import type { PaymentLog } from '../payments/handle-paid-request.js'

/** The events of the service, for the log and the metrics. */
export interface AppLog
  extends AccessLog,
    ErrorLog,
    ProblemLog,
    PaymentLog,
    RateLimitLog,
    ToolCallLog {
  /** A resolver answered a query, or timed out. */
  dnsQuery: NonNullable<DohDnsOptions['onAnswer']>
}

export function createLogger(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  })
}

export function createAppLog(log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>): AppLog {
  return {
    request: (line) => log[isHighVolume(line) ? 'debug' : 'info'](line, 'request'),
    problem: (code, cause, requestId) => log.debug({ requestId, code, cause }, 'problem'),
    payment: ({ cause, ...line }) =>
      cause === null ? log.info(line, 'payment') : log.warn({ ...line, cause }, 'payment'),
    toolCall: (line) => log.info(line, 'tool call'),
    // Only counted: DNS queries are too many, and a caller's address is private.
    dnsQuery: () => {},
    rateLimitExceeded: () => {},
    error(error, requestId) {
      log.error({ requestId, ...errorLocation(error) }, 'internal error')
      log.debug({ requestId, error: String(error) }, 'internal error')
    },
  }
}

/** Any caller can cause these without limit, so they must not fill the disk. Metrics count them. */
function isHighVolume({ status, problem }: AccessLogLine): boolean {
  return problem === 'rate_limited' || (status === 402 && problem === 'payment_required')
}

/** Sends every event to both; a `problem` is only logged. */
export function teeLog(log: AppLog, other: Omit<AppLog, 'problem'>): AppLog {
  return {
    problem: log.problem,
    request: both(log.request, other.request),
    payment: both(log.payment, other.payment),
    toolCall: both(log.toolCall, other.toolCall),
    dnsQuery: both(log.dnsQuery, other.dnsQuery),
    rateLimitExceeded: both(log.rateLimitExceeded, other.rateLimitExceeded),
    error: both(log.error, other.error),
  }
}

function both<Event extends readonly unknown[]>(
  first: (...event: Event) => void,
  second: (...event: Event) => void,
): (...event: Event) => void {
  return (...event) => {
    first(...event)
    second(...event)
  }
}

/** Where an error happened. Its message may contain a domain, so it is logged at debug only. */
export function errorLocation(error: unknown) {
  if (!(error instanceof Error)) return { error: typeof error }
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? []
  return { error: error.name, at: frames.slice(0, 3).map((line) => line.trim()) }
}
