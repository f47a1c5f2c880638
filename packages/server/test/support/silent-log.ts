import type { AppLog } from '../../src/app.js'

/** For tests of everything else. */
export const SILENT: AppLog = {
  request: () => {},
  problem: () => {},
  sale: () => {},
  call: () => {},
  fault: () => {},
  limited: () => {},
  question: () => {},
}
