/** What paid tools return besides reports and problems: the price, and how to pay it. */
import { textContent } from '@mailgrade/operations/mcp/tool-results'
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { PaymentRequiredResult } from '../payments/payment-flow.js'
import {
  chargedBy,
  describePaymentError,
  type PaymentTransport,
} from '../payments/payment-problems.js'

/** The only tool that is not an operation. */
export const PRICING_TOOL_NAME = 'pricing'

export const PAYMENT_META_KEY = 'x402/payment'
export const PAYMENT_RESPONSE_META_KEY = 'x402/payment-response'

export const MCP_PAYMENT_TRANSPORT: PaymentTransport = {
  howToSend: `call the tool again with it in params._meta["${PAYMENT_META_KEY}"]`,
  formatHint: `Put the payload itself, as an object and not in base64, into params._meta["${PAYMENT_META_KEY}"].`,
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
