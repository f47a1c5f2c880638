/**
 * What payments need from outside: a facilitator, which verifies and settles, and the chain. What a
 * facilitator says about a settlement is a claim; the chain decides.
 */
import type { SettleResponse } from '@x402/core/types'
import type { Payment } from './payment.js'
import type { PaymentOffer } from './payment-offer.js'
import type { PaymentErrorReason } from './payment-problems.js'
import type { PaymentTerms } from './payment-terms.js'
import type { NodeWork } from './trouble-budget.js'

export interface PaymentBackend {
  readonly terms: PaymentTerms
  readonly facilitator: Facilitator
  readonly readAuthorizationState: ReadAuthorizationState
  readonly readPayeeTransfers: ReadPayeeTransfers
  readonly readChainTime: ReadChainTime
}

/** How long others may take to answer; what is left out has a default. */
export interface PaymentTimeouts {
  readonly rpcMs?: number
  /** Of a reading, which is repeated and has other endpoints to turn to. */
  readonly readMs?: number
  readonly confirmationMs?: number
  readonly verifyMs?: number
  readonly settleMs?: number
}

export interface Facilitator {
  verify(payment: Payment, purchase: Purchase, context: VerifyContext): Promise<VerifyResult>
  settle(
    payment: Payment,
    purchase: Purchase,
    /** Called before a transaction is sent, by a facilitator that sends its own. */
    recordTransaction: RecordTransaction,
  ): Promise<SettleClaim>
  /** It records every transaction, so a payment in any other one was not made through it. */
  readonly recordsTransactions: boolean
  /** Null if payments work; otherwise the reason, for operators. */
  healthProblem(): Promise<string | null>
}

/** Rejects if the transaction must not be sent. */
export type RecordTransaction = (hash: string, cost?: TransactionCost) => Promise<void>

export interface TransactionCost {
  /** What its gas costs us at most, in US dollars. */
  readonly gasUsd: number
  /** Whether the wallet is a contract, which can fail at will. */
  readonly isContract: boolean
}

/** What is bought, and who asks for it. */
export interface Purchase {
  readonly offer: PaymentOffer
  /** The address that limits are counted by. */
  readonly caller: string
}

export interface VerifyContext {
  /** Whether a wallet that is a contract may pay: checking one takes longer, and it can fail at will. */
  readonly allowsContracts: boolean
}

export type VerifyResult =
  | {
      readonly kind: 'valid'
      /** The balance of the payer, if our own node told us; payments in progress share it. */
      readonly funds?: bigint
    }
  | {
      readonly kind: 'invalid'
      readonly reason: PaymentErrorReason
      /** What it took of our node to find out; nothing if another facilitator did. */
      readonly work?: readonly NodeWork[]
    }
  | { readonly kind: 'unavailable'; readonly cause: string; readonly work?: readonly NodeWork[] }

export type SettleClaim =
  /** It was sent, or may have been. */
  | {
      readonly kind: 'sent'
      readonly isClaimedPaid: boolean
      /** Where to look first; null if the facilitator names none. */
      readonly transaction: string | null
      readonly cause: string
    }
  /** Nothing went to the chain. Only a facilitator in this process can know that. */
  | {
      readonly kind: 'notSent'
      /** Null if the chain could not be asked. */
      readonly reason: PaymentErrorReason | null
      readonly cause: string
    }

/** The fields of x402's SettlementResponse that we return. */
export type SettlementResponse = Pick<
  SettleResponse,
  'success' | 'transaction' | 'network' | 'payer' | 'errorReason' | 'extensions'
>

/** What the chain shows about an EIP-3009 authorization. */
export type AuthorizationState =
  | { readonly kind: 'paid'; readonly transaction: string }
  /** Used up without paying us: the payer canceled it or used it for something else. */
  | {
      readonly kind: 'void'
      /** One of the given transactions was mined and failed. */
      readonly hasReverted: boolean
    }
  /** Unused, and the time of the latest block is past its validity. */
  | { readonly kind: 'expired' }
  | {
      readonly kind: 'unused'
      /** One of the given transactions was mined and failed. */
      readonly hasReverted: boolean
      /** One of them waits to be mined. */
      readonly isPending: boolean
    }
  | { readonly kind: 'unknown'; readonly cause: string }

/** `transactions` are the hashes that may have settled it; they are looked up first. */
export type ReadAuthorizationState = (
  payment: Payment,
  transactions: readonly string[],
) => Promise<AuthorizationState>

export interface PayeeTransfer {
  /** As in the ledger; null if it used no authorization, so it settled no payment. */
  readonly paymentId: string | null
  readonly transaction: string
  readonly payer: string
  /** Units of the token. */
  readonly units: bigint
  /** Seconds since 1970. */
  readonly blockTime: number
}

export interface PayeeTransfers {
  /** Oldest first. */
  readonly transfers: readonly PayeeTransfer[]
  /** Transfers that are too small to pay for anything. Anyone can make many, so they are only counted. */
  readonly dust: { readonly count: number; readonly units: bigint }
  /** The time of the latest block, in seconds since 1970. */
  readonly upTo: number
}

/** `since` is in seconds since 1970. Rejects if it cannot list all transfers since then. */
export type ReadPayeeTransfers = (since: number) => Promise<PayeeTransfers>

/** The time of the latest block, in seconds since 1970. */
export type ReadChainTime = () => Promise<number>
