/**
 * The ledger port: one payment buys one report, and for some a limited number of others that answer
 * the same question. It records who reserved a payment and how far it got.
 *
 * It holds digests, states, transaction hashes and sealed reports, never a domain or an address.
 */

export interface ReservationRequest {
  /** Identifies the authorization that the payment spends. */
  readonly id: string
  /** Identifies the exact payment, including its signature. */
  readonly fingerprint: string
  /** The same text for the same report. */
  readonly requestKey: string
  /** The same text for all reports that this payment buys, if those are several. */
  readonly purchaseKey?: string | undefined
  /** Identifies the payer. */
  readonly payer: string
  /** Seconds since 1970; after that the payment cannot be settled. */
  readonly validBefore: number
  /** Units of the token, as a decimal number. */
  readonly amount: string
  /** Identifies network, token and payee, which the operator may change; older entries lack it. */
  readonly terms?: string | undefined
  /** Whether each transaction that settles it is recorded before it is sent; older entries lack it. */
  readonly isRecorded?: boolean | undefined
  /** Identifies what the payer chose as the identifier of this payment, if anything. */
  readonly identifier?: string | null | undefined
}

export interface ReserveOptions {
  /** Whether to leave alone a payment that was not sold before. */
  readonly onlyKnown?: boolean
}

/** Sealed, or null if it is not stored: too large, or its time is over. */
export type StoredReport = string | null

export type Reservation =
  /** The caller owns it now: run the operation, then `prepare` or `release`. */
  | { readonly kind: 'acquired' }
  | { readonly kind: 'inProgress' }
  /** The report is due, once more or for the first time. */
  | {
      readonly kind: 'paid'
      readonly report: StoredReport
      readonly transaction: string
      /** As given to `complete`. */
      readonly paidAt?: number | undefined
    }
  /** The caller owns it now: find out its outcome, then `complete`, `release` or `markUnknown`. */
  | {
      readonly kind: 'unknown'
      readonly report: StoredReport
      readonly transactions: readonly string[]
      /** As reserved first. */
      readonly isRecorded?: boolean | undefined
    }
  /** Another report of the same purchase. The caller owns it now: make it, then `keepAnswer` or `release`. */
  | {
      readonly kind: 'answering'
      readonly transaction: string
      readonly paidAt?: number | undefined
    }
  /** There were as many reports of this purchase as there may be, or its time is over. */
  | { readonly kind: 'noAnswer'; readonly isOver: boolean }
  /** Only with `onlyKnown`: it was not sold before. */
  | { readonly kind: 'notKnown' }
  /** It was, or may have been, used for another request or with another signature. */
  | { readonly kind: 'conflict' }
  /** Another payment that was prepared has the same identifier: it is being charged, or was, or may have been. */
  | { readonly kind: 'identifierInUse'; readonly isInProgress: boolean }
  /** Too many of this payer's payments have no known outcome. */
  | { readonly kind: 'tooManyUnknown' }
  | { readonly kind: 'full' }

/** A payment whose outcome is not known. */
export interface UnknownPayment extends Pick<ReservationRequest, 'terms' | 'isRecorded'> {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly since: number
  /** Seconds since 1970. */
  readonly validBefore: number
  readonly amount: string
  readonly transactions: readonly string[]
}

/** What accounting reads of a payment that may have been charged. */
export interface LedgerRecord extends UnknownPayment {
  /** One in progress is unknown. */
  readonly state: 'unknown' | 'paid'
  readonly isDelivered: boolean
  /** Milliseconds since 1970; until then the payer can fetch a report that is due. */
  readonly keepUntil: number
}

/** The payment must not be settled. The message says why. */
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable'
}

/**
 * Steps before the charge fail closed: `reserve`, `prepare` and `recordTransaction` reject with
 * `LedgerUnavailable`, and so does `keepAnswer`. Other steps after it never reject: the caller has paid and gets the report even if
 * the ledger fails. A reservation that could not be ended expires: free again before `prepare`,
 * unknown after it.
 */
export interface Ledger {
  reserve(request: ReservationRequest, options?: ReserveOptions): Promise<Reservation>
  /**
   * Stores the report before the charge, durably; rejects if the reservation was lost. Returns false,
   * and stores nothing, if another payment with its identifier was prepared first.
   */
  prepare(id: string, report: StoredReport): Promise<boolean>
  /** Stores the hash of a transaction before it is sent, durably. */
  recordTransaction(id: string, hash: string): Promise<void>
  /**
   * Paid in this transaction: the report can be fetched again while the payment is retained.
   * `paidAt` is when that was seen, in seconds since 1970. False if another one has reserved it
   * meanwhile.
   */
  complete(id: string, transaction: string, paidAt?: number): Promise<boolean>
  /** Counts and stores another report of a paid payment, durably; rejects if the reservation was lost. */
  keepAnswer(id: string, report: StoredReport): Promise<void>
  /** The report of a completed payment went to a caller who was still there. */
  markDelivered(id: string): Promise<void>
  /** The outcome is unknown; the next matching `reserve` has to find it out. */
  markUnknown(id: string): Promise<void>
  /**
   * Not paid: forgets the payment. One that was paid before is kept. False if the reservation was
   * lost meanwhile.
   */
  release(id: string): Promise<boolean>
  /** The number of retained payments; rejects with `LedgerUnavailable`. */
  size(): Promise<number>
  /**
   * Ends a payment that is unknown and not in progress: paid in this transaction, or never (null).
   * False if it is none; rejects with `LedgerUnavailable`.
   */
  resolve(id: string, transaction: string | null): Promise<boolean>
  /** Oldest first; rejects with `LedgerUnavailable`. */
  listUnknown(): Promise<readonly UnknownPayment[]>
  /**
   * Forgets payments whose time was over at this time of the chain, in seconds since 1970. Our own
   * clock may be wrong, and must not take away a report that was paid for.
   */
  forgetOld(chainTime: number): Promise<void>
}
