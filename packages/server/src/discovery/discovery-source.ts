/** What the documents are derived from, and the payment instructions that they share. */
import type { Operation } from '@mailgrade/operations/operation'
import type { ServiceInfo } from '../service-info.js'

export interface DiscoverySource {
  readonly operations: readonly Operation[]
  readonly service: ServiceInfo
  /** What the service does, in one line. */
  readonly summary: string
  readonly mcp: McpSurface
}

/** What other documents need to know about the MCP server. */
interface McpSurface {
  readonly path: string
  readonly cardPath: string
  readonly cardType: string
  readonly catalogPath: string
  /** The one tool that is not an operation. */
  readonly pricingTool: string
  /** The keys of `_meta` for a payment and for its receipt. */
  readonly paymentKey: string
  readonly receiptKey: string
}

export const PAYMENT_RULES =
  'You pay only if you get a report. If you retry with the same payment, you get the same report and are never charged twice. If an error asks you to send the same payment again, never sign a new one.'

export const NOTHING_FOR_SALE = 'This instance doesn’t sell anything.'

export const HTTP_PAYMENT_INSTRUCTIONS =
  'Send the GET request without a payment. You get a 402 with the offer in the PAYMENT-REQUIRED header (base64) and in the body. Sign one of the offers in accepts (x402 version 2, scheme exact, EIP-3009) and send the request again with the payload as base64 in the PAYMENT-SIGNATURE header. You get the receipt in PAYMENT-RESPONSE.'

/** The x402 extensions of the offers. */
export function describeExtensions({ receiptSigner }: ServiceInfo): Record<string, string> {
  return {
    bazaar: 'How to call the resource and what it returns, for catalogs.',
    'payment-identifier':
      'Optional. Put your own id (16 to 128 letters, digits, hyphens, and underscores) in info.id, and keep it if you sign again for the same purchase. If the first payment was charged, or may have been, the second gets a 409 and is not charged.',
    ...(receiptSigner !== null && {
      'offer-receipt': `${receiptSigner} signs offers and receipts (EIP-712). The receipt is in the settlement response’s extensions.`,
    }),
  }
}

export function mcpPaymentInstructions({ mcp }: DiscoverySource): string {
  return `Call the tool without a payment. You get an error with the offer in structuredContent. Sign one of the offers in accepts and call the tool again with the payload, as an object, in params._meta["${mcp.paymentKey}"]. You get the receipt in the result’s _meta["${mcp.receiptKey}"].`
}

/** What catalogs compare with the payee of the offers, and clients with the signer of receipts. */
export function ownershipProofs({ ownershipProofs: proofs }: ServiceInfo): {
  ownershipProofs?: readonly string[]
} {
  return proofs.length === 0 ? {} : { ownershipProofs: proofs }
}
