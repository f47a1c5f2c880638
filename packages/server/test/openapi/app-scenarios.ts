/** The application in every situation that the OpenAPI document covers. */
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

/** Accepts every payment: nothing is signed in these tests. */
const ACCEPTING: Facilitator = {
  verify: async () => ({ kind: 'valid' }),
  settle: async () => ({ kind: 'settled', transaction: `0x${'11'.repeat(32)}` }),
  healthProblem: async () => null,
}

/** In the sandbox, with the demo domains. */
function createSandboxApp(
  facilitator: Partial<Facilitator>,
  options: TestAppOptions = {},
): TestApp {
  const paymentBackend = {
    ...CLOSED_PAYMENT_BACKEND,
    facilitator: { ...ACCEPTING, ...facilitator },
  }
  return createTestApp(zoneDns(''), { env: {}, paymentBackend, ...options })
}

export const healthyApp = () => createSandboxApp({})
export const drainingApp = () => createSandboxApp({}, { isDraining: () => true })
/** Its clock does not advance. */
export const frozenClockApp = () => createSandboxApp({}, { now: () => 0 })
export const facilitatorDownApp = () => createSandboxApp(CLOSED_PAYMENT_BACKEND.facilitator)
export const settlementRefusedApp = () =>
  createSandboxApp({ settle: async () => ({ kind: 'rejected', reason: 'insufficient_funds' }) })
export const settlementUnknownApp = () =>
  createSandboxApp({ settle: async () => ({ kind: 'unknown', cause: 'connection lost' }) })
/** Every payment hangs forever. */
export const hangingVerificationApp = () =>
  createSandboxApp({ verify: () => new Promise(() => {}) })

/** Runs one report at a time, which never ends. */
export function overloadedApp(): TestApp {
  const env = { ...LIVE_ENV, MAX_CONCURRENT_REPORTS: '1', RATE_LIMIT_PER_MINUTE: '1000000' }
  const paymentBackend = { ...CLOSED_PAYMENT_BACKEND, facilitator: ACCEPTING }
  return createTestApp({ query: () => new Promise(() => {}) }, { env, paymentBackend })
}

/** The payment ledger is unavailable. */
export function ledgerDownApp(): TestApp {
  const clocks = { now: () => performance.now(), wallClock: () => Date.now() }
  const state = createMemoryState({ config: testConfig({}), ...clocks })
  const reserve = () => Promise.reject(new LedgerUnavailable('simulated failure'))
  return createSandboxApp({}, { state: { ...state, ledger: { ...state.ledger, reserve } } })
}

/** Every DNS query ends like this; there are no demo domains. */
export function failingDnsApp(answer: FailureReason | Error): TestApp {
  const paymentBackend = { ...CLOSED_PAYMENT_BACKEND, facilitator: ACCEPTING }
  const query = async () => {
    if (answer instanceof Error) throw answer
    return failed(answer, 'simulated failure')
  }
  return createTestApp({ query }, { paymentBackend })
}
