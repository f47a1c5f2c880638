/** What documents and pages tell of the service as it runs here. */
import type { PaymentTerms } from './payment-terms.js'

export interface ServiceInfo {
  readonly baseUrl: string
  readonly name: string
  readonly siteUrl: string | null
  readonly monitoringUrl: string | null
  readonly contactEmail: string | null
  readonly terms: PaymentTerms
  readonly isSandbox: boolean
  /** Of free requests, which one caller has in any `windowSeconds`. */
  readonly limit: number
  readonly windowSeconds: number
}
