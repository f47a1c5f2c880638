/** Structured logs, one JSON object a line on standard output. */
import { type Logger, pino } from 'pino'
import type { HttpLog } from './http/http-app.js'

/** Long enough to recognise a fault by, short enough that nobody's data fits in. */
const MAX_TEXT = 256

export function createLog(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  })
}

export function createHttpLog(log: Logger): HttpLog {
  return {
    request: (line) => log.info(line, 'request'),
    fault: (error, requestId) => log.error({ requestId, ...faultText(error) }, 'fault'),
  }
}

export function faultText(error: unknown) {
  if (!(error instanceof Error)) return { error: String(error).slice(0, MAX_TEXT) }
  return {
    error: `${error.name}: ${error.message}`.slice(0, MAX_TEXT),
    at:
      error.stack
        ?.split('\n')
        .slice(1, 4)
        .map((line) => line.trim()) ?? [],
  }
}
