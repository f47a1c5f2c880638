/** Handles a paid request: x402 version 2 over HTTP. */
import type { Context } from 'hono'
import type { PaidOperation } from '../operations/operation.js'
import type { ProblemLog } from '../operations/run-operation.js'
import type { HandlePaidRequest } from '../payments/handle-paid-request.js'
import { decodePaymentHeader } from '../payments/payment.js'
import type { DeliveredPayment, PaymentRequiredResult } from '../payments/payment-flow.js'
import type { GetPaymentOffer } from '../payments/payment-offer.js'
import { HTTP_PAYMENT_TRANSPORT, paymentRequiredDetail } from '../payments/payment-problems.js'
import type { RouteHandler, SendProblem } from './add-route.js'
import { logAndSendProblem, prepareRequest } from './free-report-handler.js'
import type { HttpEnv } from './http-env.js'
import type { ReadRequestContext } from './request-context.js'
import {
  encodeJsonBase64,
  memoizedJsonBase64,
  respondJson,
  sendProblemJson,
  setHeader,
} from './respond.js'

export interface PaidReportOptions {
  readonly handlePaidRequest: HandlePaidRequest
  readonly offerFor: GetPaymentOffer
  readonly readRequestContext: ReadRequestContext
  readonly log: ProblemLog
}

/** How responses are written: JSON for programs, HTML for people. */
export interface PaidReportFormat {
  sendReport(c: Context<HttpEnv>, delivered: DeliveredPayment): Response | Promise<Response>
  readonly sendProblem: SendProblem
}

const JSON_FORMAT: PaidReportFormat = {
  sendReport: (c, { report }) => respondJson(c, report),
  sendProblem: sendProblemJson,
}

export function paidReportHandler(
  operation: PaidOperation,
  { handlePaidRequest, offerFor, readRequestContext, log }: PaidReportOptions,
  { sendReport, sendProblem }: PaidReportFormat = JSON_FORMAT,
): RouteHandler {
  return async function handlePaidReport(c) {
    const header = c.req.header('payment-signature')
    // A HEAD response carries no report, so HEAD is never charged; it shows the price.
    const isPayment = header !== undefined && c.req.method !== 'HEAD'
    const result = await handlePaidRequest({
      operation,
      prepared: prepareRequest(c, operation),
      getOffer: offerFor,
      payment: isPayment ? decodePaymentHeader(header) : undefined,
      transport: HTTP_PAYMENT_TRANSPORT,
      context: readRequestContext(c),
    })
    if (result.kind === 'problem') return logAndSendProblem(c, result, log, sendProblem)
    if (result.kind === 'paymentRequired') {
      return sendPaymentRequired(c, operation, result, sendProblem)
    }
    setHeader(c, 'PAYMENT-RESPONSE', encodeJsonBase64(result.settlement))
    return sendReport(c, result)
  }
}

function sendPaymentRequired(
  c: Context<HttpEnv>,
  { price }: PaidOperation,
  { reason, paymentRequired, settlement }: PaymentRequiredResult,
  sendProblem: SendProblem,
): Response | Promise<Response> {
  setHeader(c, 'PAYMENT-REQUIRED', memoizedJsonBase64(paymentRequired))
  if (settlement) setHeader(c, 'PAYMENT-RESPONSE', encodeJsonBase64(settlement))
  // The body repeats the header for agents that read no headers.
  return sendProblem(
    c,
    'payment_required',
    { detail: paymentRequiredDetail(reason, price, HTTP_PAYMENT_TRANSPORT) },
    paymentRequired,
  )
}
