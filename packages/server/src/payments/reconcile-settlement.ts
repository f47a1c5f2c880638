/** A settlement was begun and lost sight of. Whatever became of it, the caller pays once. */
import type { PaymentRequirements } from '@x402/core/types'
import { checkValidityWindow, isSafelyExpired } from './check-payment.js'
import type {
  AuthorizationState,
  Facilitator,
  ReadAuthorizationState,
  SettleResult,
} from './facilitator.js'
import type { Payment } from './payment.js'

export interface ReconcileOptions {
  readonly facilitator: Facilitator
  /** Asks the chain; null where none can be asked, and the facilitator's word must do. */
  readonly readAuthorizationState: ReadAuthorizationState | null
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Settles like a facilitator does, but for payments that may be settled already. */
export function createReconcileSettlement(options: ReconcileOptions): Facilitator['settle'] {
  const { facilitator, readAuthorizationState, now } = options

  return async function findOut(payment, requirements) {
    const found = await whatBecameOf(payment, requirements)
    if (found.kind !== 'unused') return settledAs(found)
    const late = checkValidityWindow(payment, now() / 1_000)
    if (late === null) return settleAgain(payment, requirements)
    return isSafelyExpired(payment, now() / 1_000)
      ? { kind: 'refused', reason: late }
      : { kind: 'unknown', cause: 'about to expire' }
  }

  async function settleAgain(
    payment: Payment,
    requirements: PaymentRequirements,
  ): Promise<SettleResult> {
    const settled = await facilitator.settle(payment, requirements)
    if (settled.kind !== 'refused') return settled
    // The first attempt may have been mined while the second was under way.
    const found = await whatBecameOf(payment, requirements)
    if (found.kind !== 'unused') return settledAs(found)
    // Refused for what the first may have done, though no block shows it: it is on its way.
    return settled.reason === 'insufficient_funds'
      ? settled
      : { kind: 'unknown', cause: settled.reason }
  }

  async function whatBecameOf(
    payment: Payment,
    requirements: PaymentRequirements,
  ): Promise<AuthorizationState> {
    if (readAuthorizationState) return readAuthorizationState(payment)
    const verified = await facilitator.verify(payment, requirements)
    if (verified.kind === 'valid') return { kind: 'unused' }
    if (verified.kind === 'unavailable') return { kind: 'unknown', cause: verified.cause }
    // We had sent it to be settled, and now it is used: that we used it is all but certain, and the
    // caller must not lose both. Only the chain could name the transaction.
    if (verified.reason === 'payment_already_used') return { kind: 'paid', transaction: '' }
    // Funds may be gone because we have them, and who looks at the time first sees no more.
    return { kind: 'unknown', cause: verified.reason }
  }
}

function settledAs(found: Exclude<AuthorizationState, { kind: 'unused' }>): SettleResult {
  switch (found.kind) {
    case 'paid':
      return { kind: 'settled', transaction: found.transaction }
    case 'void':
      return { kind: 'refused', reason: 'payment_already_used' }
    case 'unknown':
      return found
  }
}
