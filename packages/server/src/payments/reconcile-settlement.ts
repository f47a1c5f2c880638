/** Resolves a settlement whose outcome is unknown, without charging twice. */
import type { PaymentRequirements } from '@x402/core/types'
import type {
  AuthorizationState,
  Facilitator,
  ReadAuthorizationState,
  SettleResult,
} from './facilitator.js'
import { checkValidityWindow, isSafelyExpired, type Payment } from './payment.js'

export interface ReconcileOptions {
  readonly facilitator: Facilitator
  /** Null without an RPC endpoint; then only the facilitator can be queried. */
  readonly readAuthorizationState: ReadAuthorizationState | null
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Like `facilitator.settle`, for a payment that may already be settled. */
export function createReconcileSettlement(options: ReconcileOptions): Facilitator['settle'] {
  const { facilitator, readAuthorizationState, now } = options

  return async function reconcileSettlement(payment, requirements) {
    const state = await readState(payment, requirements)
    if (state.kind !== 'unused') return toSettleResult(state)
    const timeReason = checkValidityWindow(payment, now() / 1_000)
    if (timeReason === null) return settleAgain(payment, requirements)
    return isSafelyExpired(payment, now() / 1_000)
      ? { kind: 'rejected', reason: timeReason }
      : { kind: 'unknown', cause: 'about to expire' }
  }

  async function settleAgain(
    payment: Payment,
    requirements: PaymentRequirements,
  ): Promise<SettleResult> {
    const settled = await facilitator.settle(payment, requirements)
    if (settled.kind !== 'rejected') return settled
    // The first transaction may have been mined during the second attempt.
    const state = await readState(payment, requirements)
    if (state.kind !== 'unused') return toSettleResult(state)
    // Other reasons may come from the first transaction while it is still pending.
    return settled.reason === 'insufficient_funds'
      ? settled
      : { kind: 'unknown', cause: settled.reason }
  }

  async function readState(
    payment: Payment,
    requirements: PaymentRequirements,
  ): Promise<AuthorizationState> {
    if (readAuthorizationState) return readAuthorizationState(payment)
    const verified = await facilitator.verify(payment, requirements)
    if (verified.kind === 'valid') return { kind: 'unused' }
    if (verified.kind === 'unavailable') return { kind: 'unknown', cause: verified.cause }
    // We submitted it and now it is used, so almost certainly we were paid. The facilitator does
    // not name the transaction.
    if (verified.reason === 'payment_already_used') return { kind: 'paid', transaction: '' }
    // Any other reason may be a consequence of our own settlement, such as insufficient funds.
    return { kind: 'unknown', cause: verified.reason }
  }
}

function toSettleResult(state: Exclude<AuthorizationState, { kind: 'unused' }>): SettleResult {
  switch (state.kind) {
    case 'paid':
      return { kind: 'settled', transaction: state.transaction }
    case 'void':
      return { kind: 'rejected', reason: 'payment_already_used' }
    case 'unknown':
      return state
  }
}
