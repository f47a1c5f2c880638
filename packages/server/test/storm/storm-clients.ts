/** Clients that behave as docs/payments.md says: whatever happens, they end with a report. */
import { Agent } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { PaymentRequired } from '@x402/core/types'
import { BENCH_DOMAINS } from '../../../../bench/bench-zones.js'
import { paymentId } from '../../src/payments/payment.js'
import { describeOutcome } from '../production/outcome-counts.js'
import {
  type CallerResponse,
  decodePaymentRequiredHeader,
  sendRequest,
} from '../production/send-request.js'
import { decodeBase64Json, type TestPayer } from '../support/test-payer.js'
import type { SeededRandom } from './seeded-random.js'
import { CLIENTS, WAIT_SHARE } from './storm-settings.js'
import type { StormSite } from './storm-site.js'

/** A report that a client has, and the payment that bought it. */
export interface Sale {
  /** As the ledger names the payment. */
  readonly id: string
  readonly nonce: string
  readonly payer: string
  readonly units: bigint
  readonly transaction: string
}

export interface StormClients {
  readonly sales: readonly Sale[]
  /** Of every request, by its outcome. */
  readonly outcomes: Readonly<Record<string, number>>
  /** How many requests have ended. */
  answered(): number
  /** What no client should see. */
  readonly problems: readonly string[]
  /** Buys reports until that many are enough, and returns how many it bought. */
  run(isEnough: (begun: number) => boolean): Promise<number>
}

interface Order {
  readonly payer: TestPayer
  readonly path: string
  readonly required: PaymentRequired
  /** The first request is abandoned after this time. */
  readonly patienceMs: number | null
  /** A second request with the same payment is sent at the same time. */
  readonly hasCopy: boolean
}

const SCORE = { path: '/v1/score', query: (domain: string) => `domain=${domain}` }
const EMAIL_CHECK = { path: '/v1/email-check', query: (domain: string) => `email=ann@${domain}` }
const FIX_PLAN = { path: '/v1/fix-plan', query: (domain: string) => `domain=${domain}` }
/** Of ten orders, five are scores. */
const REPORTS = [
  SCORE,
  SCORE,
  SCORE,
  SCORE,
  SCORE,
  EMAIL_CHECK,
  EMAIL_CHECK,
  EMAIL_CHECK,
  FIX_PLAN,
  FIX_PLAN,
]

/** The same payment is sent again after these statuses; 0 is a lost connection. */
const RETRIED = new Set([0, 409, 429, 502, 503, 504])
/** What the `error` of a 402 says to do. */
const SIGN_AGAIN = new Set(['expired', 'payment_already_used', 'invalid_signature'])
/**
 * A facilitator that cannot reach its node may say so, and worse, of a good payment. A service whose
 * clock is behind takes it for one of a far future.
 */
const SEND_AGAIN = new Set(['payment_refused', 'valid_too_long'])
const WAIT_WITHOUT_RESPONSE_MS = 300
/** Longer than the default of Retry-After by far: the client would be left without a report. */
const MAX_RETRY_SECONDS = 300
/** With the waits between them, ten minutes on a fast machine. */
const MAX_ATTEMPTS = 2_000

export async function createStormClients(
  { instances }: Pick<StormSite, 'instances'>,
  payers: readonly TestPayer[],
  random: SeededRandom,
): Promise<StormClients> {
  const sales: Sale[] = []
  const outcomes: Record<string, number> = {}
  const problems: string[] = []
  const agent = new Agent({ keepAlive: true })
  const offers = new Map<string, PaymentRequired>()
  let sent = 0
  let answered = 0
  for (const { path } of [SCORE, EMAIL_CHECK, FIX_PLAN]) {
    offers.set(path, decodePaymentRequiredHeader(await sendRequest(`${instances[0]?.url}${path}`)))
  }

  function newOrder(): Order {
    const { path, query } = random.pick(REPORTS)
    return {
      payer: random.pick(payers),
      path: `${path}?${query(random.pick(BENCH_DOMAINS))}`,
      required: offers.get(path) as PaymentRequired,
      patienceMs: random.integerBelow(20) === 0 ? 20 + random.integerBelow(500) : null,
      hasCopy: random.integerBelow(20) === 0,
    }
  }

  async function send({ payer, path }: Order, payment: string, deadlineMs?: number | null) {
    const instance = instances[sent++ % instances.length]
    const response = await sendRequest(`${instance?.url}${path}`, {
      payment,
      agent,
      headers: { 'x-forwarded-for': callerAddress(payers.indexOf(payer)) },
      ...(deadlineMs && { deadlineMs }),
    })
    answered++
    const outcome = describeOutcome(response)
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    return response
  }

  async function buy(order: Order): Promise<Sale | null> {
    let attempts = 1
    let payment = await order.payer.sign(order.required)
    const copy = order.hasCopy ? sendCopy(order, payment) : null
    let response = await send(order, payment, order.patienceMs)
    while (response.status !== 200) {
      const problem = findProblem(response, attempts++)
      if (problem) {
        problems.push(`${problem}: ${order.path} ${response.text.slice(0, 300)}`)
        return null
      }
      await delay(waitMs(response))
      if (mustSignAgain(order, payment, response)) payment = await order.payer.sign(order.required)
      response = await send(order, payment)
    }
    const sale = toSale(payment, response)
    const copied = await copy
    if (copied && copied.transaction !== sale.transaction) problems.push(`sold twice: ${sale.id}`)
    return sale
  }

  /** Once: whether it gets the report, too, is up to the service. */
  async function sendCopy(order: Order, payment: string): Promise<Sale | null> {
    const response = await send(order, payment)
    return response.status === 200 ? toSale(payment, response) : null
  }

  return {
    sales,
    outcomes,
    answered: () => answered,
    problems,
    async run(isEnough) {
      let begun = 0
      const buyInTurn = async () => {
        while (!isEnough(begun)) {
          begun++
          const sale = await buy(newOrder())
          if (sale) sales.push(sale)
        }
      }
      await Promise.all(Array.from({ length: CLIENTS }, buyInTurn))
      agent.destroy()
      return begun
    },
  }
}

function findProblem(response: CallerResponse, attempts: number): string | null {
  const { status, body, headers } = response
  if (attempts > MAX_ATTEMPTS) return `no report after ${MAX_ATTEMPTS} attempts`
  if (Number(headers['retry-after'] ?? 0) > MAX_RETRY_SECONDS) return 'told to wait for very long'
  if (SIGN_AGAIN.has(body?.error) || SEND_AGAIN.has(body?.error)) return null
  return RETRIED.has(status) ? null : `unexpected ${describeOutcome(response)}`
}

/** Another request with this payment may find a clock that is right, and be charged. */
function mustSignAgain(order: Order, payment: string, { body }: CallerResponse): boolean {
  if (!SIGN_AGAIN.has(body?.error)) return false
  const isAlone = order.patienceMs === null && !order.hasCopy
  const { validBefore } = decodeBase64Json(payment).payload.authorization
  return isAlone || body.error !== 'expired' || Number(validBefore) < Date.now() / 1_000
}

function waitMs({ headers }: CallerResponse): number {
  const seconds = Number(headers['retry-after'] ?? 0)
  return seconds > 0 ? seconds * 1_000 * WAIT_SHARE : WAIT_WITHOUT_RESPONSE_MS
}

function toSale(payment: string, { headers }: CallerResponse): Sale {
  const { accepted, payload } = decodeBase64Json(payment)
  const { from, nonce, value } = payload.authorization
  const { network, asset } = accepted
  return {
    id: paymentId({ network, asset, from, nonce }),
    nonce,
    payer: from.toLowerCase(),
    units: BigInt(value),
    transaction: decodeBase64Json(String(headers['payment-response'])).transaction,
  }
}

const callerAddress = (index: number) => `198.18.0.${1 + index}`
