/** How to trigger each problem that the document has an example of, by example name. */
import { isPaid, type Operation } from '../../src/operations/operation.js'
import type { TestApp } from '../support/test-app.js'
import {
  drainingApp,
  facilitatorDownApp,
  failingDnsApp,
  frozenClockApp,
  hangingVerificationApp,
  healthyApp,
  ledgerDownApp,
  overloadedApp,
  settlementRefusedApp,
  settlementUnknownApp,
} from './app-scenarios.js'
import { sendRawRequest } from './raw-request.js'
import { createUnsignedPayments, getWithPayment } from './unsigned-payment.js'

/** Takes the path and query of the example. */
type Trigger = (path: string) => Promise<Response>
type Get = (app: TestApp, path: string) => Promise<Response>

const FREE_LIMIT = 30
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

/** Sends more requests than fit; the first response is a rejection. */
async function overloaded(get: Get, path: string): Promise<Response> {
  const app = overloadedApp()
  const responses = Array.from({ length: REPORTS + 1 }, () => get(app, path))
  return Promise.race(responses)
}

/** Every problem this operation can return. */
export function problemTriggers(operation: Operation): Record<string, Trigger> {
  const get: Get = isPaid(operation) ? getWithPayment : (app, path) => app.get(path)
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
