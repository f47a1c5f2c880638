/** Tool results: a summary for the model, and the same object as over HTTP. */

import { createProblemDetails } from '@mailgrade/operations/problem-details'
import type { Problem } from '@mailgrade/operations/run-operation'
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { PaymentRequiredResult } from '../payments/payment-flow.js'
import {
  chargedBy,
  describePaymentError,
  type PaymentTransport,
} from '../payments/payment-problems.js'

export const PAYMENT_META_KEY = 'x402/payment'
export const PAYMENT_RESPONSE_META_KEY = 'x402/payment-response'

export const MCP_PAYMENT_TRANSPORT: PaymentTransport = {
  howToSend: `call the tool again with it in params._meta["${PAYMENT_META_KEY}"]`,
  formatHint: `Put the payload itself, as an object and not in base64, into params._meta["${PAYMENT_META_KEY}"].`,
}

interface ProblemContext {
  readonly baseUrl: string
  readonly requestId: string
}

/** The summary comes first: a model may stop there. */
export function toolResult(summary: string, report: object, json = JSON.stringify(report)) {
  return { content: [textContent(summary), textContent(json)], structuredContent: { ...report } }
}

export function problemToolResult(
  { code, ...fields }: Pick<Problem, 'code' | 'detail'>,
  context: ProblemContext,
): CallToolResult {
  const details = createProblemDetails(code, fields, context)
  return { ...toolResult(`${details.title}. ${details.detail}`, details), isError: true }
}

/**
 * x402 requires the PaymentRequired object first in the text; the explanation follows it. `warning`
 * names a problem that a payment would not solve.
 */
export function paymentRequiredToolResult(
  { reason, paymentRequired, settlement }: PaymentRequiredResult,
  price: string,
  money: string | null,
  warning: string | null,
): CallToolResult {
  const [offer] = paymentRequired.accepts
  const charged = chargedBy(reason)
  const content = charged ? { ...paymentRequired, charged } : paymentRequired
  const sentences = [
    ...(warning === null ? [] : [warning]),
    `This tool costs ${price} USD in ${money} (amount ${offer?.amount}, 6 decimals).`,
    describePaymentError(reason, MCP_PAYMENT_TRANSPORT),
    'If you cannot pay with x402, show the price to the user.',
  ]
  return {
    content: [textContent(JSON.stringify(content)), textContent(sentences.join(' '))],
    structuredContent: { ...content },
    isError: true,
    ...(settlement && { _meta: { [PAYMENT_RESPONSE_META_KEY]: settlement } }),
  }
}

function textContent(text: string) {
  return { type: 'text' as const, text }
}
