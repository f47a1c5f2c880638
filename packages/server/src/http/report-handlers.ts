/** Handlers of the operations: query parameters in, a report or a problem out; paid ones through x402 version 2. */
import { type NameOptions, stringifySafely } from '@mailgrade/core'
import type {
  InvalidInput,
  Operation,
  OperationResult,
  PaidOperation,
  PreparedRequest,
} from '@mailgrade/operations/operation'
import {
  invalidInputProblem,
  type Problem,
  type ProblemLog,
  type RunOperation,
} from '@mailgrade/operations/run-operation'
import type { Context } from 'hono'
import type { HandlePaidRequest } from '../payments/handle-paid-request.js'
import { decodePaymentHeader } from '../payments/payment.js'
import type { DeliveredPayment, PaymentRequiredResult } from '../payments/payment-flow.js'
import type { GetPaymentOffer } from '../payments/payment-offer.js'
import {
  chargedBy,
  HTTP_PAYMENT_TRANSPORT,
  paymentRequiredDetail,
} from '../payments/payment-problems.js'
import type { RouteHandler } from './add-route.js'
import { parseQueryParameters } from './query-parameters.js'
import type { ReadRequestContext } from './request-context.js'
import {
  encodeJsonBase64,
  type HttpEnv,
  memoizedJsonBase64,
  respondJson,
  type SendProblem,
  sendProblemJson,
  setHeader,
} from './respond.js'

export interface FreeReportOptions extends NameOptions {
  readonly runOperation: RunOperation
  readonly readRequestContext: ReadRequestContext
  readonly log: ProblemLog
}

interface RequestFormat {
  /** The request comes from a form on a page. */
  readonly isForm?: boolean
  /** Parameters that are part of the path. */
  readonly pathParameters?: (c: Context<HttpEnv>) => Readonly<Record<string, string>>
}

/** How requests are sent and responses are written: JSON for programs, HTML for people. */
interface ReportFormat extends RequestFormat {
  readonly sendProblem: SendProblem
}

export interface FreeReportFormat<Report = object> extends ReportFormat {
  sendReport(c: Context<HttpEnv>, result: OperationResult<Report>): Response | Promise<Response>
}

const FREE_JSON: FreeReportFormat<unknown> = {
  sendReport: (c, result) => respondJson(c, stringifySafely(result)),
  sendProblem: sendProblemJson,
}

export function freeReportHandler<Report = object>(
  operation: Operation<Report>,
  { runOperation, readRequestContext, log, allowPrivateNames }: FreeReportOptions,
  format: FreeReportFormat<Report> = FREE_JSON,
): RouteHandler {
  const { sendReport, sendProblem } = format
  return async function handleFreeRequest(c) {
    const prepared = prepareRequest(c, operation, { ...format, allowPrivateNames })
    if (prepared.kind === 'invalid') {
      return logAndSendProblem(c, invalidInputProblem(prepared), log, sendProblem)
    }
    const outcome = await runOperation(prepared, readRequestContext(c))
    return outcome.kind === 'result'
      ? sendReport(c, outcome.result)
      : logAndSendProblem(c, outcome, log, sendProblem)
  }
}

export interface PaidReportOptions extends NameOptions {
  readonly handlePaidRequest: HandlePaidRequest
  readonly offerFor: GetPaymentOffer
  readonly readRequestContext: ReadRequestContext
  readonly log: ProblemLog
}

export interface PaidReportFormat extends ReportFormat {
  sendReport(c: Context<HttpEnv>, delivered: DeliveredPayment): Response | Promise<Response>
}

const PAID_JSON: PaidReportFormat = {
  sendReport: (c, { report }) => respondJson(c, report),
  sendProblem: sendProblemJson,
}

export function paidReportHandler(
  operation: PaidOperation,
  { handlePaidRequest, offerFor, readRequestContext, log, allowPrivateNames }: PaidReportOptions,
  format: PaidReportFormat = PAID_JSON,
): RouteHandler {
  const { sendReport, sendProblem } = format
  return async function handlePaidReport(c) {
    const header = c.req.header('payment-signature')
    // A HEAD response carries no report, so HEAD is never charged; it shows the price.
    const isPayment = header !== undefined && c.req.method !== 'HEAD'
    const prepared = prepareRequest(c, operation, { ...format, allowPrivateNames })
    const result = await handlePaidRequest({
      operation,
      prepared,
      getOffer: offerFor,
      payment: isPayment ? decodePaymentHeader(header) : undefined,
      isVersion1: c.req.header('x-payment') !== undefined,
      transport: HTTP_PAYMENT_TRANSPORT,
      context: readRequestContext(c),
    })
    if (result.kind === 'problem') return logAndSendProblem(c, result, log, sendProblem)
    if (result.kind === 'paymentRequired') {
      return sendPaymentRequired(c, operation, prepared, result, sendProblem)
    }
    setHeader(c, 'PAYMENT-RESPONSE', encodeJsonBase64(result.settlement))
    return sendReport(c, result)
  }
}

function sendPaymentRequired(
  c: Context<HttpEnv>,
  { price }: PaidOperation,
  prepared: PreparedRequest | InvalidInput,
  { reason, paymentRequired, settlement, detail: explanation }: PaymentRequiredResult,
  sendProblem: SendProblem,
): Response | Promise<Response> {
  setHeader(c, 'PAYMENT-REQUIRED', memoizedJsonBase64(paymentRequired))
  if (settlement) setHeader(c, 'PAYMENT-RESPONSE', encodeJsonBase64(settlement))
  // The body repeats the header for agents that read no headers.
  const detail = paymentRequiredDetail(reason, price, HTTP_PAYMENT_TRANSPORT, explanation)
  const charged = chargedBy(reason)
  // Named before anyone pays: a request without the parameter gets no report.
  const problem =
    prepared.kind === 'invalid'
      ? { detail: `${prepared.detail} ${detail}`, parameter: prepared.parameter }
      : { detail, ...(charged && { charged }) }
  return sendProblem(c, 'payment_required', problem, paymentRequired)
}

export function prepareRequest<Report>(
  c: Context<HttpEnv>,
  operation: Operation<Report>,
  { isForm = false, pathParameters, allowPrivateNames }: RequestFormat & NameOptions,
): PreparedRequest<Report> | InvalidInput {
  const parsed = parseQueryParameters(c.req.url, operation, { isForm })
  return parsed.kind === 'invalid'
    ? { ...parsed, isMissing: false }
    : operation.prepare(
        { ...parsed.values, ...pathParameters?.(c) },
        { givenNames: parsed.names, allowPrivateNames },
      )
}

export function logAndSendProblem(
  c: Context<HttpEnv>,
  { code, cause, ...fields }: Problem,
  log: ProblemLog,
  sendProblem: SendProblem,
): Response | Promise<Response> {
  log.problem(code, cause, c.get('requestId'))
  return sendProblem(c, code, fields)
}
