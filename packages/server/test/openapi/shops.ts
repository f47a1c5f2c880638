/** The application in every plight that the document speaks of. */

import type { FailureReason } from '@mailgrade/doh/dns'
import { failed } from '@mailgrade/doh/dns'
import { world } from '@mailgrade/testing/world'
import type { Facilitator } from '../../src/payments/facilitator.js'
import { LedgerUnavailable } from '../../src/state/ledger.js'
import { memoryState } from '../../src/state/open-state.js'
import { configOf } from '../support/load-config.js'
import {
  CLOSED_TILL,
  LIVE,
  type TestApp,
  type TestAppOptions,
  testApp,
} from '../support/test-app.js'

/** Nobody signs anything here, so everything is good. */
const OBLIGING: Facilitator = {
  verify: async () => ({ kind: 'valid' }),
  settle: async () => ({ kind: 'settled', transaction: `0x${'11'.repeat(32)}` }),
  complaint: async () => null,
}

/** With the demo domains, unless a DNS of its own is given. */
function shop(facilitator: Partial<Facilitator>, options: TestAppOptions = {}): TestApp {
  const till = { ...CLOSED_TILL, facilitator: { ...OBLIGING, ...facilitator } }
  return testApp(world(''), { env: {}, till, ...options })
}

export const inOrder = () => shop({})
export const closing = () => shop({}, { isDraining: () => true })
/** Where no time passes. */
export const standingStill = () => shop({}, { now: () => 0 })
export const withoutFacilitator = () => shop(CLOSED_TILL.facilitator)
export const refusing = () =>
  shop({ settle: async () => ({ kind: 'refused', reason: 'insufficient_funds' }) })
export const inDoubt = () => shop({ settle: async () => ({ kind: 'unknown', cause: 'broke off' }) })
/** Where every sale takes for ever. */
export const atWork = () => shop({ verify: () => new Promise(() => {}) })

/** Where one report is made at a time, and takes for ever. */
export function crowded(): TestApp {
  const env = { ...LIVE, MAX_CONCURRENT_REPORTS: '1', RATE_LIMIT_PER_MINUTE: '1000000' }
  const till = { ...CLOSED_TILL, facilitator: OBLIGING }
  return testApp({ ask: () => new Promise(() => {}) }, { env, till })
}

/** Where nobody can tell which payments were taken. */
export function withoutLedger(): TestApp {
  const clocks = { now: () => performance.now(), wallClock: () => Date.now() }
  const state = memoryState({ config: configOf({}), ...clocks })
  const claim = () => Promise.reject(new LedgerUnavailable('as the story wants it'))
  return shop({}, { state: { ...state, ledger: { ...state.ledger, claim } } })
}

/** No demo domains: whatever is asked of the DNS ends like this. */
export function withDns(answer: FailureReason | Error): TestApp {
  const till = { ...CLOSED_TILL, facilitator: OBLIGING }
  const ask = async () => {
    if (answer instanceof Error) throw answer
    return failed(answer, 'as the story wants it')
  }
  return testApp({ ask }, { till })
}
