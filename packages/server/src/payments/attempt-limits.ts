/**
 * Limits the verified payments that end without a sale. Each costs as much as a free check, so a
 * wallet that spends nothing gets as many as a caller gets free checks, and so does a caller with
 * many wallets.
 */
import type { Problem } from '@mailgrade/operations/run-operation'
import { createMemoryRateLimiter } from '../state/memory-rate-limiter.js'
import { payerOnHold, TOO_MANY_PAYMENTS, tooManyUnsoldAttempts } from './payment-problems.js'

/** After a transaction that cost gas and did not pay. */
export const HOLD_SECONDS = 60 * 60
const MAX_HELD_PAYERS = 10_000
/** Of one payer, because an attempt counts only when it ends. */
const MAX_IN_PROGRESS = 100

export interface AttemptLimitsOptions {
  /** A minute. */
  readonly limit: number
  /** Monotonic milliseconds. */
  readonly now: () => number
}

interface Attempt {
  /** The address that limits are counted by. */
  readonly caller: string
  /** Null if the payment is not verified: anyone can name another payer in it. */
  readonly payer: string | null
}

export interface AttemptLimits {
  /** For a verified payment that may be settled. What was begun must be ended. */
  begin(attempt: Attempt & { readonly payer: string }): BegunAttempt | Problem
  /** Null if another attempt is allowed; a payer on hold may fetch what is due. */
  problem(attempt: Attempt): Problem | null
  countUnsold(attempt: Attempt): void
  /** No further payment of this payer is settled for an hour. */
  hold(payer: string): void
  holdProblem(payer: string): Problem | null
}

export interface BegunAttempt {
  readonly kind: 'begun'
  end(): void
}

export function createAttemptLimits({ limit, now }: AttemptLimitsOptions): AttemptLimits {
  const callers = createMemoryRateLimiter({ limit, now })
  const payers = createMemoryRateLimiter({ limit, now })
  /** Until when, oldest first. */
  const held = new Map<string, number>()
  const inProgress = new Map<string, number>()

  function changeInProgress(payer: string, change: 1 | -1): void {
    const count = (inProgress.get(payer) ?? 0) + change
    if (count === 0) inProgress.delete(payer)
    else inProgress.set(payer, count)
  }

  function problem({ caller, payer }: Attempt): Problem | null {
    const results = [callers.peek(caller), payer === null ? null : payers.peek(toKey(payer))]
    const blocked = results.find((it) => it?.isAllowed === false)
    return blocked ? tooManyUnsoldAttempts(limit, blocked.resetSeconds) : null
  }

  function holdProblem(payer: string): Problem | null {
    const heldMs = (held.get(toKey(payer)) ?? 0) - now()
    return heldMs > 0 ? payerOnHold(Math.ceil(heldMs / 1_000)) : null
  }

  return {
    begin(attempt) {
      const payer = toKey(attempt.payer)
      const found = holdProblem(payer) ?? problem(attempt)
      if (found) return found
      if ((inProgress.get(payer) ?? 0) >= MAX_IN_PROGRESS) return TOO_MANY_PAYMENTS
      changeInProgress(payer, 1)
      return { kind: 'begun', end: () => changeInProgress(payer, -1) }
    },
    problem,
    countUnsold({ caller, payer }) {
      callers.consume(caller)
      if (payer !== null) payers.consume(toKey(payer))
    },
    hold(payer) {
      const key = toKey(payer)
      held.delete(key)
      held.set(key, now() + HOLD_SECONDS * 1_000)
      const [oldest] = held.keys()
      if (held.size > MAX_HELD_PAYERS && oldest !== undefined) held.delete(oldest)
    },
    holdProblem,
  }
}

/** Addresses are the same in any case. */
function toKey(payer: string): string {
  return payer.toLowerCase()
}
