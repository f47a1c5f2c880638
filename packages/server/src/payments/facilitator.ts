/** The facilitator port: verifies payments and settles them on the chain. */
import type { PaymentRequirements, SettleResponse } from '@x402/core/types'
import type { Payment } from './payment.js'
import type { PaymentErrorReason } from './payment-problems.js'

export interface Facilitator {
  verify(payment: Payment, requirements: PaymentRequirements): Promise<VerifyResult>
  settle(payment: Payment, requirements: PaymentRequirements): Promise<SettleResult>
  /** Null if payments work; otherwise the reason, for operators. */
  healthProblem(): Promise<string | null>
}

export type VerifyResult =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly reason: PaymentErrorReason }
  | { readonly kind: 'unavailable'; readonly cause: string }

export type SettleResult =
  | { readonly kind: 'settled'; readonly transaction: string }
  | { readonly kind: 'rejected'; readonly reason: PaymentErrorReason }
  /** It may have been settled, or may still be. */
  | { readonly kind: 'unknown'; readonly cause: string }

/** The fields of x402's SettlementResponse that we return. */
export type SettlementResponse = Pick<
  SettleResponse,
  'success' | 'transaction' | 'network' | 'payer' | 'errorReason'
>

/** What the chain knows about an EIP-3009 authorization. */
export type AuthorizationState =
  | { readonly kind: 'paid'; readonly transaction: string }
  | { readonly kind: 'unused' }
  /** Used up without paying us, for example because the payer canceled it. */
  | { readonly kind: 'void' }
  | { readonly kind: 'unknown'; readonly cause: string }

export type ReadAuthorizationState = (payment: Payment) => Promise<AuthorizationState>
