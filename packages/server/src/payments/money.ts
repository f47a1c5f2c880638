/** What is paid in, in words: the sandbox looks like a test network, and is none. */
import { NETWORKS, type PaymentTerms } from './payment-terms.js'

export interface CurrencyOptions {
  readonly terms: PaymentTerms
  readonly isSandbox: boolean
}

export function describeCurrency({ terms, isSandbox }: CurrencyOptions): string {
  return isSandbox
    ? 'test dollars that are worth nothing, on the sandbox’s own chain'
    : `USDC on ${NETWORKS[terms.network].name}`
}
