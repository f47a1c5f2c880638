/** How to get each answer that the document has an example of, by the example's name. */
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

/** The path is the one of the example, or the operation's own. */
type Provoke = (path: string) => Promise<Response>
type Ask = (app: TestApp, path: string) => Promise<Response>

const FREE_LIMIT = 30
/** As many sales as may be under way at once. */
const SALES = 1_000
/** More reports than have a place, and room to wait for one. */
const REPORTS = 401

const EVERYBODY: Record<string, Provoke> = {
  uri_too_long: (path) => healthyApp().get(`${path}&more=${'x'.repeat(2_048)}`),
  malformed_request: (path) =>
    sendRawRequest(`GET ${path}&more=ü HTTP/1.1\r\nhost: localhost\r\n\r\n`),
  request_timeout: (path) => sendRawRequest(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n`),
  headers_too_large: (path) =>
    sendRawRequest(`GET ${path} HTTP/1.1\r\nmore: ${'x'.repeat(20_000)}\r\n`),
}

const FREE: Record<string, Provoke> = {
  async rate_limited(path) {
    const app = frozenClockApp()
    for (let turn = 0; turn < FREE_LIMIT; turn++) await app.get(path)
    return app.get(path)
  },
}

const PAID: Record<string, Provoke> = {
  payment_required: (path) => healthyApp().get(path),
  malformed_payment: (path) => healthyApp().get(path, { 'PAYMENT-SIGNATURE': 'nonsense' }),
  insufficient_funds: (path) => getWithPayment(settlementRefusedApp(), path),
  not_verified: (path) => getWithPayment(facilitatorDownApp(), path),
  not_settled: (path) => getWithPayment(settlementUnknownApp(), path),
  shutting_down: (path) => getWithPayment(drainingApp(), path),
  async waiting(path) {
    const app = hangingVerificationApp()
    const payment = (await createUnsignedPayments(app, path))()
    void app.get(path, { 'PAYMENT-SIGNATURE': payment })
    return app.get(path, { 'PAYMENT-SIGNATURE': payment })
  },
  async too_many_sales(path) {
    const app = hangingVerificationApp()
    const nextPayment = await createUnsignedPayments(app, path)
    const pay = () => app.get(path, { 'PAYMENT-SIGNATURE': nextPayment() })
    for (let sale = 0; sale < SALES; sale++) void pay()
    return pay()
  },
  ledger_unavailable: (path) => getWithPayment(ledgerDownApp(), path),
}

/** One after the other: who asks first is refused last. */
async function overloaded(ask: Ask, path: string): Promise<Response> {
  const app = overloadedApp()
  const answers = Array.from({ length: REPORTS + 1 }, () => ask(app, path))
  return Promise.race(answers)
}

/** Everything that can befall this operation. */
export function problemTriggers(operation: Operation): Record<string, Provoke> {
  const ask: Ask = isPaid(operation) ? getWithPayment : (app, path) => app.get(path)
  return {
    ...EVERYBODY,
    ...(isPaid(operation) ? PAID : FREE),
    invalid_input: (path) => healthyApp().get(path),
    ...(!operation.answersUnknownDomains && { unknown_domain: (path) => ask(healthyApp(), path) }),
    overloaded: (path) => overloaded(ask, path),
    internal: (path) => ask(failingDnsApp(new Error('a fault of ours')), path),
    dns_unavailable: (path) => ask(failingDnsApp('servfail'), path),
    dns_timeout: (path) => ask(failingDnsApp('timeout'), path),
  }
}
