/** How to get each answer that the document has an example of, by the example's name. */
import { isPaid, type Operation } from '../../src/operations/operation.js'
import type { TestApp } from '../support/test-app.js'
import { buy, paymentFor } from './pay.js'
import { sendRaw } from './raw-requests.js'
import {
  atWork,
  closing,
  crowded,
  inDoubt,
  inOrder,
  refusing,
  standingStill,
  withDns,
  withoutFacilitator,
  withoutLedger,
} from './shops.js'

/** The path is the one of the example, or the operation's own. */
type Provoke = (path: string) => Promise<Response>
type Ask = (app: TestApp, path: string) => Promise<Response>

const FREE_LIMIT = 30
/** As many sales as may be under way at once. */
const SALES = 1_000
/** More reports than have a place, and room to wait for one. */
const REPORTS = 401

const EVERYBODY: Record<string, Provoke> = {
  uri_too_long: (path) => inOrder().get(`${path}&more=${'x'.repeat(2_048)}`),
  malformed_request: (path) => sendRaw(`GET ${path}&more=ü HTTP/1.1\r\nhost: localhost\r\n\r\n`),
  request_timeout: (path) => sendRaw(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n`),
  headers_too_large: (path) => sendRaw(`GET ${path} HTTP/1.1\r\nmore: ${'x'.repeat(20_000)}\r\n`),
}

const FREE: Record<string, Provoke> = {
  async rate_limited(path) {
    const app = standingStill()
    for (let turn = 0; turn < FREE_LIMIT; turn++) await app.get(path)
    return app.get(path)
  },
}

const PAID: Record<string, Provoke> = {
  payment_required: (path) => inOrder().get(path),
  malformed_payment: (path) => inOrder().get(path, { 'PAYMENT-SIGNATURE': 'nonsense' }),
  insufficient_funds: (path) => buy(refusing(), path),
  not_verified: (path) => buy(withoutFacilitator(), path),
  not_settled: (path) => buy(inDoubt(), path),
  shutting_down: (path) => buy(closing(), path),
  async waiting(path) {
    const app = atWork()
    const payment = (await paymentFor(app, path))()
    void app.get(path, { 'PAYMENT-SIGNATURE': payment })
    return app.get(path, { 'PAYMENT-SIGNATURE': payment })
  },
  async too_many_sales(path) {
    const app = atWork()
    const nextPayment = await paymentFor(app, path)
    const pay = () => app.get(path, { 'PAYMENT-SIGNATURE': nextPayment() })
    for (let sale = 0; sale < SALES; sale++) void pay()
    return pay()
  },
  ledger_unavailable: (path) => buy(withoutLedger(), path),
}

/** One after the other: who asks first is refused last. */
async function overloaded(ask: Ask, path: string): Promise<Response> {
  const app = crowded()
  const answers = Array.from({ length: REPORTS + 1 }, () => ask(app, path))
  return Promise.race(answers)
}

/** Everything that can befall this operation. */
export function provocationsOf(operation: Operation): Record<string, Provoke> {
  const ask: Ask = isPaid(operation) ? buy : (app, path) => app.get(path)
  return {
    ...EVERYBODY,
    ...(isPaid(operation) ? PAID : FREE),
    invalid_input: (path) => inOrder().get(path),
    ...(!operation.answersUnknownDomains && { unknown_domain: (path) => ask(inOrder(), path) }),
    overloaded: (path) => overloaded(ask, path),
    internal: (path) => ask(withDns(new Error('a fault of ours')), path),
    dns_unavailable: (path) => ask(withDns('servfail'), path),
    dns_timeout: (path) => ask(withDns('timeout'), path),
  }
}
