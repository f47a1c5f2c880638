/** Answers a request for a paid report: x402 version 2 over HTTP. */
import type { Context } from 'hono'
import type { PaidOperation } from '../operations/operation.js'
import { perform } from '../operations/perform.js'
import { type Challenge, challenge, type Gate } from '../payments/gate.js'
import type { OfferFor } from '../payments/offers.js'
import { decodePayment } from '../payments/payment.js'
import { sentenceFor } from '../payments/reasons.js'
import {
  invalidInput,
  type ReportLog,
  type ReportOptions,
  readJob,
  setback,
} from './give-report.js'
import type { HttpEnv } from './http-env.js'
import type { Handle } from './mount.js'
import { problem } from './problem.js'

export interface SellOptions extends ReportOptions {
  readonly gate: Gate
  readonly offerFor: OfferFor
  readonly isDraining: () => boolean
  readonly log: SaleLog
}

export interface SaleLog extends ReportLog {
  /** How a payment ended: `sold`, or the code of what came of it instead. */
  sale(line: SaleLine): void
}

interface SaleLine {
  readonly requestId: string
  readonly operation: string
  readonly outcome: string
  /** What ails whoever settles payments, for operators. */
  readonly cause: string | null
}

export function sellReport(
  operation: PaidOperation,
  { gate, offerFor, bench, log, isDraining }: SellOptions,
): Handle {
  return async function handlePaid(c) {
    const job = readJob(c, operation)
    if (job.kind === 'invalid' && !job.isMissing) return invalidInput(c, job)
    const offer = await offerFor(operation)
    const header = c.req.header('payment-signature')
    // HEAD would be charged for a report that it cannot carry; whoever asks sees the price.
    if (header === undefined || c.req.method === 'HEAD') {
      return challenged(c, challenge(offer, 'payment_required'))
    }
    if (job.kind === 'invalid') return invalidInput(c, job)
    // A sale that is begun now might be cut off between the money and the report.
    if (isDraining()) {
      return problem(c, 'shutting_down', {
        detail: 'Nothing was charged; send the same payment again, and another instance takes it.',
      })
    }

    const bargain = await gate({
      offer,
      payment: decodePayment(header),
      request: job.request,
      work: () => perform(job, bench, c.req.raw.signal),
    })
    log.sale({ requestId: c.var.requestId, operation: operation.id, ...outcomeOf(bargain) })
    if (bargain.kind === 'problem') return setback(c, bargain, log)
    if (bargain.kind === 'challenge') return challenged(c, bargain)
    c.header('PAYMENT-RESPONSE', encode(bargain.receipt))
    return c.body(bargain.report, 200, { 'content-type': 'application/json' })
  }
}

function challenged(c: Context<HttpEnv>, { reason, required, receipt }: Challenge): Response {
  c.header('PAYMENT-REQUIRED', encode(required))
  if (receipt) c.header('PAYMENT-RESPONSE', encode(receipt))
  // Mirrored in the body: an agent that reads no headers still learns the price.
  return problem(c, 'payment_required', { ...required, detail: sentenceFor(reason) })
}

function outcomeOf(bargain: Awaited<ReturnType<Gate>>): Pick<SaleLine, 'outcome' | 'cause'> {
  if (bargain.kind === 'sold') return { outcome: 'sold', cause: null }
  if (bargain.kind === 'challenge') return { outcome: bargain.reason, cause: null }
  // Other causes may name a domain.
  const isOurs = bargain.code === 'facilitator_unavailable'
  return { outcome: bargain.code, cause: isOurs ? bargain.cause : null }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}
