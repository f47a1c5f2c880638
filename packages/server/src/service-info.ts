/** Facts about this deployment that documents and pages show. */
import type { PaymentTerms } from './payments/payment-terms.js'

export interface ServiceInfo {
  readonly baseUrl: string
  readonly name: string
  readonly siteUrl: string | null
  readonly monitoringUrl: string | null
  readonly contactEmail: string | null
  readonly terms: PaymentTerms
  readonly isSandbox: boolean
  /** Free requests that one caller may make in any `windowSeconds`. */
  readonly limit: number
  readonly windowSeconds: number
}
