/** The application in every plight that the document speaks of. */

import type { FailureReason } from '@mailgrade/doh/dns'
import { failed } from '@mailgrade/doh/dns'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import type { Facilitator } from '../../src/payments/facilitator.js'
import { LedgerUnavailable } from '../../src/state/ledger.js'
import { createMemoryState } from '../../src/state/open-state.js'
import {
  CLOSED_PAYMENT_BACKEND,
  createTestApp,
  LIVE_ENV,
  type TestApp,
  type TestAppOptions,
} from '../support/test-app.js'
import { testConfig } from '../support/test-config.js'

/** Nobody signs anything here, so everything is good. */
const OBLIGING: Facilitator = {
  verify: async () => ({ kind: 'valid' }),
  settle: async () => ({ kind: 'settled', transaction: `0x${'11'.repeat(32)}` }),
  healthProblem: async () => null,
}

/** With the demo domains, unless a DNS of its own is given. */
function shop(facilitator: Partial<Facilitator>, options: TestAppOptions = {}): TestApp {
  const till = { ...CLOSED_PAYMENT_BACKEND, facilitator: { ...OBLIGING, ...facilitator } }
  return createTestApp(zoneDns(''), { env: {}, paymentBackend: till, ...options })
}

export const healthyApp = () => shop({})
export const drainingApp = () => shop({}, { isDraining: () => true })
/** Where no time passes. */
export const frozenClockApp = () => shop({}, { now: () => 0 })
export const facilitatorDownApp = () => shop(CLOSED_PAYMENT_BACKEND.facilitator)
export const settlementRefusedApp = () =>
  shop({ settle: async () => ({ kind: 'rejected', reason: 'insufficient_funds' }) })
export const settlementUnknownApp = () =>
  shop({ settle: async () => ({ kind: 'unknown', cause: 'broke off' }) })
/** Where every sale takes for ever. */
export const hangingVerificationApp = () => shop({ verify: () => new Promise(() => {}) })

/** Where one report is made at a time, and takes for ever. */
export function overloadedApp(): TestApp {
  const env = { ...LIVE_ENV, MAX_CONCURRENT_REPORTS: '1', RATE_LIMIT_PER_MINUTE: '1000000' }
  const till = { ...CLOSED_PAYMENT_BACKEND, facilitator: OBLIGING }
  return createTestApp({ query: () => new Promise(() => {}) }, { env, paymentBackend: till })
}

/** Where nobody can tell which payments were taken. */
export function ledgerDownApp(): TestApp {
  const clocks = { now: () => performance.now(), wallClock: () => Date.now() }
  const state = createMemoryState({ config: testConfig({}), ...clocks })
  const claim = () => Promise.reject(new LedgerUnavailable('as the story wants it'))
  return shop({}, { state: { ...state, ledger: { ...state.ledger, reserve: claim } } })
}

/** No demo domains: whatever is asked of the DNS ends like this. */
export function failingDnsApp(answer: FailureReason | Error): TestApp {
  const till = { ...CLOSED_PAYMENT_BACKEND, facilitator: OBLIGING }
  const ask = async () => {
    if (answer instanceof Error) throw answer
    return failed(answer, 'as the story wants it')
  }
  return createTestApp({ query: ask }, { paymentBackend: till })
}
