import type { AppLog } from '../../src/telemetry/log.js'

/** For tests that ignore the log. */
export const SILENT_LOG: AppLog = {
  request: () => {},
  problem: () => {},
  payment: () => {},
  toolCall: () => {},
  error: () => {},
  rateLimitExceeded: () => {},
  dnsQuery: () => {},
}
