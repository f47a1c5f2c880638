/** Settles a payment and lets the chain decide what came of it, whatever the facilitator says. */
import { isOurTransaction } from '../state/ledger-rules.js'
import type {
  AuthorizationState,
  Facilitator,
  Purchase,
  ReadAuthorizationState,
  RecordTransaction,
  SettleClaim,
} from './facilitator.js'
import { checkValidityWindow, type Payment } from './payment.js'
import type { PaymentErrorReason } from './payment-problems.js'

export interface SettlementOptions {
  readonly facilitator: Facilitator
  readonly readAuthorizationState: ReadAuthorizationState
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly wait: (ms: number) => Promise<unknown>
}

export type SettlementOutcome =
  | { readonly kind: 'paid'; readonly transaction: string }
  /** The chain shows that this payment will never be made, or nothing was sent to the chain. */
  | ({ readonly kind: 'rejected'; readonly reason: PaymentErrorReason } & MayHaveFailed)
  /** Nothing was sent, because the chain could not be asked. */
  | { readonly kind: 'notSent'; readonly cause: string }
  | ({ readonly kind: 'unknown'; readonly cause: string } & MayHaveFailed)

interface MayHaveFailed {
  /** The payer made a transaction of this attempt fail: it cost gas and did not pay. */
  readonly hasFailed: boolean
}

export interface Settlement {
  /** For a payment that was never sent to the chain. */
  settle(
    payment: Payment,
    purchase: Purchase,
    recordTransaction: RecordTransaction,
  ): Promise<SettlementOutcome>
  /** For a payment that may have been. */
  resolve(
    payment: Payment,
    purchase: Purchase,
    recordTransaction: RecordTransaction,
    earlier: EarlierAttempt,
  ): Promise<SettlementOutcome>
}

interface EarlierAttempt {
  /** Those recorded for it. */
  readonly transactions: readonly string[]
  /** Whether each was, by the facilitator of that time. */
  readonly isRecorded?: boolean | undefined
}

/** After a claim that it is paid, nodes may need some blocks to show it. */
const WAITS_AFTER_PAID_MS = [500, 1_000, 2_000, 4_000]
/** A facilitator may name another transaction each time, and each is looked up later. */
const MAX_HINTS = 5
/** Otherwise one block, because a facilitator may say no after it has sent the transaction. */
const WAITS_AFTER_FAILURE_MS = [500, 1_500]
const MAX_WAIT_MS = 8_000

export function createSettlement(options: SettlementOptions): Settlement {
  const { facilitator, readAuthorizationState, now, wait } = options

  return {
    async settle(payment, purchase, recordTransaction) {
      const recorder = createRecorder(recordTransaction)
      const claim = await facilitator.settle(payment, purchase, recorder.record)
      if (claim.kind === 'sent') return awaitOutcome(payment, claim, recorder)
      const { reason, cause } = claim
      return reason === null
        ? { kind: 'notSent', cause }
        : { kind: 'rejected', reason, hasFailed: false }
    },
    async resolve(payment, purchase, recordTransaction, earlier) {
      const { transactions, isRecorded } = earlier
      const state = await readAuthorizationState(payment, transactions)
      const obstacle = findObstacle(payment, state)
      if (obstacle !== null) {
        const outcome = toOutcome(state, earlier, obstacle)
        return outcome.kind === 'paid' ? outcome : { ...outcome, hasFailed: hasReverted(state) }
      }
      const recorder = createRecorder(recordTransaction, transactions, isRecorded)
      const claim = await facilitator.settle(payment, purchase, recorder.record)
      // That nothing was sent now says nothing about the first attempt.
      return claim.kind === 'notSent'
        ? { kind: 'unknown', cause: claim.cause, hasFailed: false }
        : awaitOutcome(payment, claim, recorder)
    },
  }

  /** Why it is not sent again; null if it may be. */
  function findObstacle(payment: Payment, state: AuthorizationState): string | null {
    const isSettleable = checkValidityWindow(payment, now() / 1_000) === null
    if (state.kind !== 'unused' || !isSettleable) return 'about to expire'
    // Of two transactions one fails, and one that failed would fail again, both at our cost.
    if (state.isPending) return 'pending'
    return state.hasReverted ? 'reverted' : null
  }

  async function awaitOutcome(
    payment: Payment,
    { isClaimedPaid, transaction, cause }: Extract<SettleClaim, { kind: 'sent' }>,
    { transactions: recorded, isRecorded, record }: Recorder,
  ): Promise<SettlementOutcome> {
    const isNew = transaction !== null && !recorded.includes(transaction)
    const hints = isNew ? [...recorded, transaction] : recorded
    const waits = isClaimedPaid ? WAITS_AFTER_PAID_MS : WAITS_AFTER_FAILURE_MS
    const state = await readInTime(payment, hints, waits)
    const outcome = toOutcome(state, { transactions: recorded, isRecorded }, cause)
    // The next attempt looks it up and does not pay for another failure. The ledger may be down.
    if (isNew && outcome.kind === 'unknown' && recorded.length < MAX_HINTS) {
      await record(transaction).catch(() => {})
    }
    return outcome.kind === 'paid' ? outcome : { ...outcome, hasFailed: hasFailed(state) }
  }

  async function readInTime(
    payment: Payment,
    hints: readonly string[],
    waits: readonly number[],
  ): Promise<AuthorizationState> {
    const startedAt = now()
    let state = await readAuthorizationState(payment, hints)
    for (const ms of waits) {
      // An endpoint that hangs must not keep the caller longer than one that is behind.
      if (!isOpen(state) || now() - startedAt + ms > MAX_WAIT_MS) break
      await wait(ms)
      state = await readAuthorizationState(payment, hints)
    }
    return state
  }

  /** Of what was sent just now: canceled or spent elsewhere meanwhile, or made to revert. */
  function hasFailed(state: AuthorizationState): boolean {
    return hasReverted(state) || (state.kind === 'void' && facilitator.recordsTransactions)
  }

  function toOutcome(
    state: AuthorizationState,
    earlier: EarlierAttempt,
    cause: string,
  ): Exclude<SettlementOutcome, { readonly kind: 'notSent' }> {
    const hasFailed = false
    switch (state.kind) {
      case 'paid':
        return isOurTransaction(state.transaction, earlier, facilitator)
          ? state
          : { kind: 'rejected', reason: 'payment_already_used', hasFailed }
      case 'void':
        return { kind: 'rejected', reason: 'payment_already_used', hasFailed }
      case 'expired':
        return { kind: 'rejected', reason: 'expired', hasFailed }
      case 'unused':
        return { kind: 'unknown', cause, hasFailed }
      case 'unknown':
        return { kind: 'unknown', cause: state.cause, hasFailed }
    }
  }
}

/** A payer who canceled before anything of ours was mined has cost us nothing. */
function hasReverted(state: AuthorizationState): boolean {
  return (state.kind === 'unused' || state.kind === 'void') && state.hasReverted
}

/** More waiting may show more. */
function isOpen(state: AuthorizationState): boolean {
  return state.kind === 'unknown' || (state.kind === 'unused' && !state.hasReverted)
}

interface Recorder extends EarlierAttempt {
  readonly record: RecordTransaction
}

function createRecorder(
  recordTransaction: RecordTransaction,
  earlier: readonly string[] = [],
  isRecorded?: boolean,
): Recorder {
  const transactions = [...earlier]
  return {
    transactions,
    isRecorded,
    async record(hash, cost) {
      await recordTransaction(hash, cost)
      transactions.push(hash)
    },
  }
}
