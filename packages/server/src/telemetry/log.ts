/** Structured logs, one JSON object a line on standard output. */
import { type Logger, pino } from 'pino'
import type { AppLog } from '../app.js'
import type { AccessLogLine } from '../http/access-log.js'

export function createLogger(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  })
}

export function createAppLog(log: Logger): AppLog {
  return {
    request: (line) => log[isForAll(line) ? 'debug' : 'info'](line, 'request'),
    problem: (code, cause, requestId) => log.debug({ requestId, code, cause }, 'problem'),
    payment: ({ cause, ...line }) =>
      cause === null ? log.info(line, 'payment') : log.warn({ ...line, cause }, 'payment'),
    toolCall: (line) => log.info(line, 'tool'),
    // Counted, and nothing to read: the one is too much, the other nobody's business.
    dnsQuery: () => {},
    rateLimitExceeded: () => {},
    fault(error, requestId) {
      log.error({ requestId, ...errorLocation(error) }, 'fault')
      log.debug({ requestId, error: String(error) }, 'fault')
    },
  }
}

/** What anybody can have as often as he likes must not fill the disk; it is counted all the same. */
function isForAll({ status, problem }: AccessLogLine): boolean {
  return problem === 'rate_limited' || (status === 402 && problem === 'payment_required')
}

/** Tells whoever wants to know besides the log. */
export function teeLog(log: AppLog, other: Partial<AppLog>): AppLog {
  const names = Object.keys(log) as (keyof AppLog)[]
  const both = names.map((name) => {
    const tell = log[name] as (...event: unknown[]) => void
    const tellOther = other[name] as typeof tell | undefined
    const tellBoth = (...event: unknown[]) => {
      tell(...event)
      tellOther?.(...event)
    }
    return [name, tellBoth] as const
  })
  return Object.fromEntries(both) as unknown as AppLog
}

/** Where it broke. An error's message may hold somebody's domain; it is for debugging only. */
export function errorLocation(error: unknown) {
  if (!(error instanceof Error)) return { error: typeof error }
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? []
  return { error: error.name, at: frames.slice(0, 3).map((line) => line.trim()) }
}
