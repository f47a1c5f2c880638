/** How to trigger each problem that the document has an example of, by example name. */
import { isPaid, type Operation } from '@mailgrade/operations/operation'
import { MAX_UNKNOWN_PER_PAYER } from '../../src/state/ledger-rules.js'
import type { TestApp } from '../support/test-app.js'
import {
  drainingApp,
  facilitatorDownApp,
  failingDnsApp,
  frozenClockApp,
  hangingSettlementApp,
  hangingVerificationApp,
  healthyApp,
  ledgerDownApp,
  lostReportApp,
  overloadedApp,
  revertingApp,
  settlementRefusedApp,
  settlementUnknownApp,
  unsoldApp,
} from './app-scenarios.js'
import { sendRawRequest } from './raw-request.js'
import { createUnsignedPayments, getWithPayment } from './unsigned-payment.js'

/** Takes the path and query of the example. */
type Trigger = (path: string) => Promise<Response>
type Get = (app: TestApp, path: string, payer?: string) => Promise<Response>

/** Also the limit of paid requests that end without a report. */
const FREE_LIMIT = 30
const IDENTIFIER = 'pay_7d5d747be160e280504c099d984bcfe0'
/** The number of payment slots. */
const PAYMENT_SLOTS = 1_000
/** One more report than can run or wait. */
const REPORTS = 401

const ANY_OPERATION: Record<string, Trigger> = {
  uri_too_long: (path) => healthyApp().get(`${path}&more=${'x'.repeat(2_048)}`),
  malformed_request: (path) =>
    sendRawRequest(`GET ${path}&more=ü HTTP/1.1\r\nhost: localhost\r\n\r\n`),
  request_timeout: (path) => sendRawRequest(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n`),
  headers_too_large: (path) =>
    sendRawRequest(`GET ${path} HTTP/1.1\r\nmore: ${'x'.repeat(20_000)}\r\n`),
}

const FREE: Record<string, Trigger> = {
  async rate_limited(path) {
    const app = frozenClockApp()
    for (let count = 0; count < FREE_LIMIT; count++) await app.get(path)
    return app.get(path)
  },
}

const PAID: Record<string, Trigger> = {
  payment_required: (path) => healthyApp().get(path),
  malformed_payment: (path) => healthyApp().get(path, { 'PAYMENT-SIGNATURE': 'nonsense' }),
  malformed_identifier: (path) => getWithPayment(healthyApp(), path, { identifier: 'too short' }),
  unsupported_version: (path) => healthyApp().get(path, { 'X-PAYMENT': 'e30=' }),
  insufficient_funds: (path) => getWithPayment(settlementRefusedApp(), path),
  not_verified: (path) => getWithPayment(facilitatorDownApp(), path),
  not_settled: (path) => getWithPayment(settlementUnknownApp(), path),
  shutting_down: (path) => getWithPayment(drainingApp(), path),
  async waiting(path) {
    const app = hangingVerificationApp()
    const payment = (await createUnsignedPayments(app, path))()
    // Hangs on purpose; the second request meets the first.
    void app.get(path, { 'PAYMENT-SIGNATURE': payment })
    return app.get(path, { 'PAYMENT-SIGNATURE': payment })
  },
  identifier_waiting(path) {
    const app = hangingSettlementApp()
    // One hangs on purpose; the other payment has the same identifier.
    return Promise.race([1, 2].map(() => getWithPayment(app, path, { identifier: IDENTIFIER })))
  },
  identifier_used: (path) => getWithPayments(healthyApp(), path, 2, IDENTIFIER),
  analysis_failed: (path) => getWithPayment(lostReportApp(), path),
  async unsold_attempts(path) {
    const app = unsoldApp()
    // Of one wallet, each from another caller.
    for (let caller = 0; caller < FREE_LIMIT; caller++) {
      await getWithPayment({ ...app, ...app.from(`192.0.2.${caller}`) }, path)
    }
    return getWithPayment({ ...app, ...app.from('192.0.2.200') }, path)
  },
  report_limited: (path) => getWithPayments(lostReportApp(), path, FREE_LIMIT + 1),
  payer_on_hold: (path) => getWithPayments(revertingApp(), path, 2),
  unknown_outcomes: (path) =>
    getWithPayments(settlementUnknownApp(), path, MAX_UNKNOWN_PER_PAYER + 1),
  async too_many_sales(path) {
    const app = hangingVerificationApp()
    const nextPayment = await createUnsignedPayments(app, path)
    const pay = () => app.get(path, { 'PAYMENT-SIGNATURE': nextPayment() })
    // These hang on purpose and occupy every slot.
    for (let count = 0; count < PAYMENT_SLOTS; count++) void pay()
    return pay()
  },
  ledger_unavailable: (path) => getWithPayment(ledgerDownApp(), path),
}

/** Sends this many payments, one after the other; the last response. */
async function getWithPayments(
  app: TestApp,
  path: string,
  count: number,
  identifier?: string,
): Promise<Response> {
  for (let left = count - 1; left > 0; left--) await getWithPayment(app, path, { identifier })
  return getWithPayment(app, path, { identifier })
}

/** Sends more requests than fit, from many callers; the first response is a rejection. */
async function overloaded(get: Get, path: string): Promise<Response> {
  const app = overloadedApp()
  const responses = Array.from({ length: REPORTS + 1 }, (_, index) =>
    get({ ...app, ...app.from(`192.0.2.${index % 200}`) }, path, toPayer(index % 200)),
  )
  return Promise.race(responses)
}

const toPayer = (index: number) => `0x${index.toString(16).padStart(40, '0')}`

/** Every problem this operation can return. */
export function problemTriggers(operation: Operation): Record<string, Trigger> {
  const get: Get = (app, path, payer) =>
    isPaid(operation) ? getWithPayment(app, path, { payer }) : app.get(path)
  return {
    ...ANY_OPERATION,
    ...(isPaid(operation) ? PAID : FREE),
    invalid_input: (path) => healthyApp().get(path),
    ...(!operation.answersUnknownDomains && { unknown_domain: (path) => get(healthyApp(), path) }),
    overloaded: (path) => overloaded(get, path),
    internal: (path) => get(failingDnsApp(new Error('internal error')), path),
    dns_unavailable: (path) => get(failingDnsApp('servfail'), path),
    dns_timeout: (path) => get(failingDnsApp('timeout'), path),
  }
}
