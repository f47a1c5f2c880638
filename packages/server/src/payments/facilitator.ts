/** Whoever checks payments and has the chain carry them out. */
import type { PaymentRequirements, SettleResponse } from '@x402/core/types'
import type { Payment } from './payment.js'
import type { PaymentErrorReason } from './payment-error-reasons.js'

export interface Facilitator {
  verify(payment: Payment, requirements: PaymentRequirements): Promise<VerifyResult>
  settle(payment: Payment, requirements: PaymentRequirements): Promise<SettleResult>
  /** Null when payments can be taken; else why not, for operators. */
  healthProblem(): Promise<string | null>
}

export type VerifyResult =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly reason: PaymentErrorReason }
  | { readonly kind: 'unavailable'; readonly cause: string }

export type SettleResult =
  | { readonly kind: 'settled'; readonly transaction: string }
  | { readonly kind: 'refused'; readonly reason: PaymentErrorReason }
  /** It may have gone through, or may yet. */
  | { readonly kind: 'unknown'; readonly cause: string }

/** What the caller gets to keep, in the form of x402. */
export type SettlementResponse = Pick<
  SettleResponse,
  'success' | 'transaction' | 'network' | 'payer' | 'errorReason'
>

/** How the chain remembers a payment whose settlement was lost sight of. */
export type AuthorizationState =
  | { readonly kind: 'paid'; readonly transaction: string }
  | { readonly kind: 'unused' }
  /** The authorization is used up, but we were not paid: its owner cancelled it, for one. */
  | { readonly kind: 'void' }
  | { readonly kind: 'unknown'; readonly cause: string }

export type ReadAuthorizationState = (payment: Payment) => Promise<AuthorizationState>
