import type { AppLog } from '../../src/app.js'

/** For tests of everything else. */
export const SILENT_LOG: AppLog = {
  request: () => {},
  problem: () => {},
  payment: () => {},
  toolCall: () => {},
  fault: () => {},
  rateLimitExceeded: () => {},
  dnsQuery: () => {},
}
