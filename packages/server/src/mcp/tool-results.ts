/** What a tool answers, for a program to read and for a model: the same object as over HTTP. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import { createProblemDetails } from '../operations/problem-details.js'
import type { Problem } from '../operations/run-operation.js'
import type { PaymentRequiredResult } from '../payments/payment-flow.js'
import { describePaymentError, type PaymentTransport } from '../payments/payment-problems.js'

export const PAYMENT_META_KEY = 'x402/payment'
export const PAYMENT_RESPONSE_META_KEY = 'x402/payment-response'

export const MCP_PAYMENT_TRANSPORT: PaymentTransport = {
  howToSend: `call the tool again with it in params._meta["${PAYMENT_META_KEY}"]`,
  formatHint: `Put the payload itself, as an object and not in base64, into params._meta["${PAYMENT_META_KEY}"].`,
}

interface Place {
  readonly baseUrl: string
  readonly requestId: string
}

/** A summary first, which a model may stop at; then everything. */
export function toolResult(digest: string, report: object, json = JSON.stringify(report)) {
  return { content: [text(digest), text(json)], structuredContent: report as Content }
}

export function problemToolResult(
  { code, ...words }: Pick<Problem, 'code' | 'detail'>,
  place: Place,
): CallToolResult {
  const details = createProblemDetails(code, words, place)
  return { ...toolResult(`${details.title}. ${details.detail}`, details), isError: true }
}

/**
 * x402 wants the challenge first in the text as well, to the letter; what to do comes after it.
 * `warning` is what a payment would not help against.
 */
export function paymentRequiredToolResult(
  { reason, paymentRequired, settlement }: PaymentRequiredResult,
  price: string,
  money: string,
  warning: string | null,
): CallToolResult {
  const [offer] = paymentRequired.accepts
  const sentences = [
    ...(warning === null ? [] : [warning]),
    `This tool costs ${price} USD in ${money} (an amount of ${offer?.amount}, with 6 decimals).`,
    describePaymentError(reason, MCP_PAYMENT_TRANSPORT),
    'Whoever cannot pay by x402 tells the price to the user instead.',
  ]
  return {
    content: [text(JSON.stringify(paymentRequired)), text(sentences.join(' '))],
    structuredContent: paymentRequired as unknown as Content,
    isError: true,
    ...(settlement && { _meta: { [PAYMENT_RESPONSE_META_KEY]: settlement } }),
  }
}

type Content = NonNullable<CallToolResult['structuredContent']>

function text(words: string) {
  return { type: 'text' as const, text: words }
}
