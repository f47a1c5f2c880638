/** How a report is paid for, in the words of every document. */
import type { DiscoverySource } from './discovery-source.js'

export const PAYMENT_RULES =
  'Only a report is charged, and a payment at most once: after an error that says so, send the same payment again and never sign a new one.'

export const HTTP_PAYMENT_INSTRUCTIONS =
  'Ask by GET without a payment: the answer is 402, with the offer in the PAYMENT-REQUIRED header (base64) and in the body. Sign one of its accepts (x402 version 2, scheme exact, EIP-3009) and ask again with base64 of the payload in the PAYMENT-SIGNATURE header. The receipt is in PAYMENT-RESPONSE.'

export function mcpPaymentInstructions({ mcp }: DiscoverySource): string {
  return `Call the tool without a payment: the result is an error with the offer in structuredContent. Sign one of its accepts and call again with the payload, as an object, in params._meta["${mcp.paymentKey}"]. The receipt is in the result’s _meta["${mcp.receiptKey}"].`
}
