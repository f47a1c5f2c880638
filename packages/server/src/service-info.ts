/** Facts about this deployment that documents and pages show. */
import type { PaymentTerms } from './payments/payment-terms.js'

export interface ServiceInfo {
  readonly baseUrl: string
  readonly name: string
  readonly siteUrl: string | null
  readonly monitoringUrl: string | null
  readonly contactEmail: string | null
  /** Null when nothing is for sale. */
  readonly terms: PaymentTerms | null
  /** The currency in words; null when nothing is for sale. */
  readonly money: string | null
  readonly isSandbox: boolean
  /** The DID of the key that signs offers and receipts; null if none are signed. */
  readonly receiptSigner: string | null
  /** The payee's signature of the origin, for catalogs, and that of the key for receipts. */
  readonly ownershipProofs: readonly string[]
  /** Free requests that one caller may make in any `windowSeconds`. */
  readonly limit: number
  readonly windowSeconds: number
}
