/**
 * One payment buys one report: who has claimed a payment, and how far the sale has come. A port, so
 * that several instances can share a store; the answers must then come from atomic steps.
 */
import type { SettlementResponse } from '../payments/facilitator.js'

export interface ReservationRequest {
  /** Of the payment: what it spends, and its very wording. */
  readonly id: string
  readonly fingerprint: string
  /** What was asked for, the same for the same report. */
  readonly requestKey: string
  /** Seconds since 1970; past it the payment cannot be settled any more. */
  readonly validBefore: number
}

export type Reservation =
  /** Nobody had it: work, and then `pledge`, or `release` it. */
  | { readonly kind: 'yours' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'sold'; readonly report: string; readonly settlement: SettlementResponse }
  /** It was lost sight of while it was settled: find out, then `close`, `release` or `doubt`. */
  | { readonly kind: 'doubtful'; readonly report: string }
  /** It has bought, or may have bought, something else; or the wording is not the one that did. */
  | { readonly kind: 'spent' }
  | { readonly kind: 'full' }

/** The ledger cannot vouch for the payment, so it must not be settled. The text says why. */
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable'
}

/**
 * What comes before the money moves fails closed: `claim` and `pledge` reject with
 * `LedgerUnavailable`. What comes after it never rejects: the caller has paid, and is answered
 * whether or not it can be written down. A claim whose end could not be written down lapses: before
 * `pledge` the payment is free again then, and after it in doubt.
 */
export interface Ledger {
  reserve(sale: ReservationRequest): Promise<Reservation>
  /** The report is ready, and from here on the money may move; unless the claim has been lost. */
  prepare(id: string, report: string): Promise<void>
  /** Paid: the report and the receipt can be had again for as long as the payment is valid. */
  complete(id: string, receipt: SettlementResponse): Promise<void>
  /** Nobody can tell yet whether it was paid; the next claim of the same sale is to find out. */
  markUnknown(id: string): Promise<void>
  /** Not paid: the payment is as good as never sent. */
  release(id: string): Promise<void>
  /** How many payments are remembered; rejects with `LedgerUnavailable`. */
  size(): Promise<number>
}
