/** What is paid in, in words: the sandbox looks like a test network, and is none. */
import { NETWORKS, type Terms } from './terms.js'

export interface MoneyOptions {
  readonly terms: Terms
  readonly isSandbox: boolean
}

export function moneyOf({ terms, isSandbox }: MoneyOptions): string {
  return isSandbox
    ? 'test dollars that are worth nothing, on the sandbox’s own chain'
    : `USDC on ${NETWORKS[terms.network].name}`
}
