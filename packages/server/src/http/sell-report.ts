/** Answers a request for a paid report: x402 version 2 over HTTP, in whichever form. */
import type { Context } from 'hono'
import type { PaidOperation } from '../operations/operation.js'
import type { ProblemLog } from '../operations/perform.js'
import type { Sell } from '../payments/counter.js'
import type { Challenge, Sold } from '../payments/gate.js'
import { HEADER } from '../payments/header-carrier.js'
import type { OfferFor } from '../payments/offers.js'
import { decodePayment } from '../payments/payment.js'
import { sentenceFor } from '../payments/reasons.js'
import { readJob, setback } from './give-report.js'
import type { HttpEnv } from './http-env.js'
import type { Handle, Refuse } from './mount.js'
import { problem } from './problem.js'
import { carry, replyJson } from './reply.js'
import type { VisitorOf } from './visitor.js'
import { base64, base64Once } from './written-once.js'

export interface SellOptions {
  readonly sell: Sell
  readonly offerFor: OfferFor
  readonly visitorOf: VisitorOf
  readonly log: ProblemLog
}

/** How answers are written: as JSON, unless people are to read them. */
export interface SaleForm {
  write(c: Context<HttpEnv>, sold: Sold): Response | Promise<Response>
  readonly refuse: Refuse
}

const JSON_FORM: SaleForm = {
  write: (c, { report }) => replyJson(c, report),
  refuse: problem,
}

export function sellReport(
  operation: PaidOperation,
  { sell, offerFor, visitorOf, log }: SellOptions,
  { write, refuse }: SaleForm = JSON_FORM,
): Handle {
  return async function handlePaid(c) {
    const header = c.req.header('payment-signature')
    // HEAD would be charged for a report that it cannot carry; whoever asks sees the price.
    const isPayment = header !== undefined && c.req.method !== 'HEAD'
    const bargain = await sell({
      operation,
      job: readJob(c, operation),
      offerFor,
      payment: isPayment ? decodePayment(header) : undefined,
      carrier: HEADER,
      visitor: visitorOf(c),
    })
    if (bargain.kind === 'problem') return setback(c, bargain, log, refuse)
    if (bargain.kind === 'challenge') return challenged(c, bargain, refuse)
    carry(c, 'PAYMENT-RESPONSE', base64(bargain.receipt))
    return write(c, bargain)
  }
}

function challenged(
  c: Context<HttpEnv>,
  { reason, required, receipt }: Challenge,
  refuse: Refuse,
): Response | Promise<Response> {
  carry(c, 'PAYMENT-REQUIRED', base64Once(required))
  if (receipt) carry(c, 'PAYMENT-RESPONSE', base64(receipt))
  // Mirrored in the body: an agent that reads no headers still learns the price.
  return refuse(c, 'payment_required', { detail: sentenceFor(reason, HEADER) }, required)
}
