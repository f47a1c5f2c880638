/** The application in every situation that the OpenAPI document covers. */
import type { FailureReason } from '@mailgrade/doh/dns'
import { failed } from '@mailgrade/doh/dns'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import type { Facilitator, ReadAuthorizationState } from '../../src/payments/facilitator.js'
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
const TRANSACTION = `0x${'11'.repeat(32)}`
const SETTLED = { kind: 'sent', isClaimedPaid: true, transaction: TRANSACTION, cause: '' } as const
const ACCEPTING: Facilitator = {
  recordsTransactions: false,
  verify: async () => ({ kind: 'valid' }),
  settle: async () => SETTLED,
  healthProblem: async () => null,
}
const PAID: ReadAuthorizationState = async () => ({ kind: 'paid', transaction: TRANSACTION })

/** In the sandbox, with the demo domains. */
function createSandboxApp(
  facilitator: Partial<Facilitator>,
  options: TestAppOptions = {},
  readAuthorizationState = PAID,
): TestApp {
  const paymentBackend = {
    ...CLOSED_PAYMENT_BACKEND,
    facilitator: { ...ACCEPTING, ...facilitator },
    readAuthorizationState,
  }
  return createTestApp(zoneDns(''), { env: {}, paymentBackend, ...options })
}

export const healthyApp = () => createSandboxApp({})
export const drainingApp = () => createSandboxApp({}, { isDraining: () => true })
/** Its clock does not advance. */
export const frozenClockApp = () => createSandboxApp({}, { now: () => 0 })
export const facilitatorDownApp = () => createSandboxApp(CLOSED_PAYMENT_BACKEND.facilitator)
export const settlementRefusedApp = () =>
  createSandboxApp({
    settle: async () => ({ kind: 'notSent', reason: 'insufficient_funds', cause: '' }),
  })
export const settlementUnknownApp = () =>
  createSandboxApp({}, { wait: async () => {} }, async () => ({
    kind: 'unknown',
    cause: 'connection lost',
  }))
/** The chain never answers. */
export const hangingSettlementApp = () =>
  createSandboxApp({}, { wait: async () => {} }, () => new Promise(() => {}))
/** Every transaction is mined and fails; the clock does not advance. */
export const revertingApp = () =>
  createSandboxApp({}, { now: () => 0, wait: async () => {} }, async () => ({
    kind: 'unused',
    hasReverted: true,
    isPending: false,
  }))
/** No payment ends with a report; the clock does not advance. */
export const unsoldApp = () =>
  createSandboxApp(
    { settle: async () => ({ kind: 'notSent', reason: 'insufficient_funds', cause: '' }) },
    { now: () => 0 },
  )
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

/** Every payment was received earlier, but its report is not stored, and DNS fails now. */
export function lostReportApp(): TestApp {
  const clocks = { now: () => 0, wallClock: () => Date.now() }
  const state = createMemoryState({ config: testConfig({}), ...clocks })
  const reserve = async () => ({ kind: 'paid', report: null, transaction: TRANSACTION }) as const
  const options = { now: clocks.now, state: { ...state, ledger: { ...state.ledger, reserve } } }
  return failingDnsApp('servfail', options)
}

/** Every DNS query ends like this; there are no demo domains. */
export function failingDnsApp(
  answer: FailureReason | Error,
  options: TestAppOptions = {},
): TestApp {
  const paymentBackend = { ...CLOSED_PAYMENT_BACKEND, facilitator: ACCEPTING }
  const query = async () => {
    if (answer instanceof Error) throw answer
    return failed(answer, 'simulated failure')
  }
  return createTestApp({ query }, { paymentBackend, ...options })
}
