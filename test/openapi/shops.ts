/** The application in every plight that the document speaks of. */

import type { FailureReason } from '../../src/dns/dns.js'
import { failed } from '../../src/dns/dns.js'
import type { Facilitator } from '../../src/payments/facilitator.js'
import { CLOSED_TILL, type TestApp, type TestAppOptions, testApp } from '../support/test-app.js'
import { world } from '../support/world.js'

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

/** No demo domains: whatever is asked of the DNS ends like this. */
export function withDns(answer: FailureReason | Error): TestApp {
  const till = { ...CLOSED_TILL, facilitator: OBLIGING }
  const ask = async () => {
    if (answer instanceof Error) throw answer
    return failed(answer, 'as the story wants it')
  }
  return testApp({ ask }, { till })
}
