/**
 * The ledger port: one payment buys one report. It records who reserved a payment and how far it
 * got. Instances may share a store, so every step must be atomic.
 */
import type { SettlementResponse } from '../payments/facilitator.js'

/** A payment may be valid for years, but retries come within minutes. */
export const MAX_RETENTION_MS = 10 * 60_000

/** A payment settled just before it expires can still be redelivered if the response got lost. */
export const MIN_RETENTION_MS = 60_000

export interface ReservationRequest {
  /** Identifies the authorization that the payment spends. */
  readonly id: string
  /** Identifies the exact payment, including its signature. */
  readonly fingerprint: string
  /** The same text for the same report. */
  readonly requestKey: string
  /** Seconds since 1970; after that the payment cannot be settled. */
  readonly validBefore: number
}

export type Reservation =
  /** The caller owns it now: run the operation, then `prepare` or `release`. */
  | { readonly kind: 'acquired' }
  | { readonly kind: 'inProgress' }
  | { readonly kind: 'completed'; readonly report: string; readonly settlement: SettlementResponse }
  /** Its settlement has no known outcome: reconcile, then `complete`, `release` or `markUnknown`. */
  | { readonly kind: 'unknown'; readonly report: string }
  /** It was, or may have been, used for another request or with another signature. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'full' }

/** The payment must not be settled. The message says why. */
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable'
}

/**
 * Steps before the charge fail closed: `reserve` and `prepare` reject with `LedgerUnavailable`.
 * Steps after it never reject: the caller has paid and gets the report even if the ledger fails.
 * A reservation that could not be ended expires: free again before `prepare`, `unknown` after it.
 */
export interface Ledger {
  reserve(request: ReservationRequest): Promise<Reservation>
  /** Stores the report before the charge; rejects if the reservation was lost. */
  prepare(id: string, report: string): Promise<void>
  /** Paid: the report and settlement can be fetched again while the payment is retained. */
  complete(id: string, settlement: SettlementResponse): Promise<void>
  /** The outcome is unknown; the next matching `reserve` has to reconcile it. */
  markUnknown(id: string): Promise<void>
  /** Not paid: forgets the payment. */
  release(id: string): Promise<void>
  /** The number of retained payments; rejects with `LedgerUnavailable`. */
  size(): Promise<number>
}
