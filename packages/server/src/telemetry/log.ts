/** Structured logs: one JSON object per line on standard output. */
import { escapeJson } from '@mailgrade/core'
import type { DohDnsOptions } from '@mailgrade/doh'
import type { ToolCallLog } from '@mailgrade/operations/mcp/mcp-tool'
import { PROBLEM_TYPES } from '@mailgrade/operations/problem-types'
import type { ErrorLog, ProblemLog } from '@mailgrade/operations/run-operation'
import { type DestinationStream, type Logger, pino } from 'pino'
import type { AccessLog, AccessLogLine } from '../http/http-app.js'
import type { RateLimitLog } from '../http/rate-limit.js'
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

export function createLogger(
  level: string,
  // Without a minimum length, `flush` does not wait for a line that is being written.
  destination: DestinationStream = pino.destination({ minLength: 1 }),
): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    // A facilitator's answer may be in a line, and the line on a terminal.
    hooks: { streamWrite: escapeJson },
  }
  return pino(options, destination)
}

/** Lines a minute: of all reports together, and of each kind of failure. */
const MAX_REPORTS = 1_000
const MAX_FAILURES = 60

/** What callers can cause without limit is counted, and only logged at debug. */
export interface LimitedLog extends AppLog {
  /** A request that never reached the application. */
  rejectedRequest(requestId: string, code: string, status: number): void
  /** Writes one line with the number of lines that were not written. Called every minute. */
  writeCounts(): void
}

export function createAppLog(log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>): LimitedLog {
  const limit = createLineLimit()
  const levelFor = (outcome: LineOutcome, kind: string) => {
    if (outcome === 'report') return limit.admit(kind, MAX_REPORTS, outcome) ? 'info' : 'debug'
    return limit.admit(kind, outcome === 'failure' ? MAX_FAILURES : 0) ? 'info' : 'debug'
  }
  return {
    request: (line) => log[levelFor(requestOutcome(line), requestKind(line))](line, 'request'),
    rejectedRequest: (requestId, problem, status) =>
      log[levelFor('other', `${status} ${problem}`)](
        { requestId, status, problem },
        'rejected request',
      ),
    problem: (code, cause, requestId) => log.debug({ requestId, code, cause }, 'problem'),
    payment({ cause, ...line }) {
      // Settled, so the number of lines is limited by what callers spend.
      if (line.usd > 0) return log.info(line, 'payment')
      const outcome = cause === null ? problemOutcome(line.outcome) : 'failure'
      const level = levelFor(outcome, `payment ${line.outcome}`)
      if (level === 'info' && cause !== null) return log.warn({ ...line, cause }, 'payment')
      log[level]({ ...line, cause }, 'payment')
    },
    toolCall: (line) =>
      log[levelFor(toolCallOutcome(line.outcome), `tool call ${line.outcome}`)](line, 'tool call'),
    // Only counted: DNS queries are too many, and a caller's address is private.
    dnsQuery: () => {},
    rateLimitExceeded: () => {},
    error(error, requestId) {
      if (limit.admit('internal error', MAX_FAILURES)) {
        log.error({ requestId, ...errorLocation(error) }, 'internal error')
      }
      log.debug({ requestId, error: String(error) }, 'internal error')
    },
    writeCounts() {
      const counts = limit.takeCounts()
      if (Object.keys(counts).length > 0) log.info({ counts }, 'counted, not logged')
    },
  }
}

type LineOutcome = 'report' | 'failure' | 'other'

/** The rate limit and prices limit the number of reports. */
function requestOutcome({ status, problem, operation }: AccessLogLine): LineOutcome {
  if (status >= 500) return 'failure'
  return operation !== null && problem === null ? 'report' : 'other'
}

function requestKind({ status, problem, route }: AccessLogLine): string {
  return `${status} ${problem ?? route ?? 'none'}`
}

function toolCallOutcome(outcome: string): LineOutcome {
  return outcome === 'ok' ? 'report' : problemOutcome(outcome)
}

function problemOutcome(code: string): LineOutcome {
  const types: Readonly<Record<string, { readonly status: number }>> = PROBLEM_TYPES
  return (types[code]?.status ?? 0) >= 500 ? 'failure' : 'other'
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

/** Limits how many lines are written, so callers cannot fill the disk. The others are counted. */
function createLineLimit() {
  let written = new Map<string, number>()
  let counts = new Map<string, number>()
  return {
    /**
     * Whether one more line may be written: at most `limit` of a group until the next `takeCounts`.
     * If not, it is counted under its kind. Kinds come from the code, so there are few.
     */
    admit(kind: string, limit: number, group = kind): boolean {
      const lines = written.get(group) ?? 0
      if (lines < limit) written.set(group, lines + 1)
      else counts.set(kind, (counts.get(kind) ?? 0) + 1)
      return lines < limit
    },
    /** How many lines of each kind were not written since the last call. */
    takeCounts(): Record<string, number> {
      const taken = Object.fromEntries(counts)
      written = new Map()
      counts = new Map()
      return taken
    },
  }
}
