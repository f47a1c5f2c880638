/**
 * One budget for trouble: payments that are invalid, conflict with another request, fail or stay
 * unknown, and sales that end without a report. Each costs us DNS queries, calls of the node or gas,
 * so a caller gets as many as free checks, and so does a payer. All together have a ceiling for an
 * hour; above it only what is cheap and safe to check is still sold.
 */
import type { Problem } from '@mailgrade/operations/run-operation'
import { createMemoryRateLimiter } from '../state/memory-rate-limiter.js'
import {
  payerOnHold,
  SALES_PAUSED,
  tooManyPayments,
  tooManyUnsoldAttempts,
} from './payment-problems.js'

/** After a transaction that cost gas and did not pay. */
export const HOLD_SECONDS = 60 * 60
const HOUR_MS = HOLD_SECONDS * 1_000
const MAX_HELD_PAYERS = 10_000
/** Of one payer, because an attempt counts only when it ends. */
const MAX_IN_PROGRESS = 100

/**
 * What all trouble of an hour may cost; `docs/security.md` says what an attacker pays for it. A
 * contract can let its check pass and then fail for nothing, so contracts are refused first. A plain
 * wallet that fails on the chain has spent more on gas than we have.
 */
const HOURLY = { gasUsdOfContracts: 1, gasUsd: 5, checkCalls: 20_000, searchCalls: 20_000 }

/** Calls of the node: a check as it usually is, a search at its longest. */
const NODE_CALLS = { balance: 2, contract: 4, settlement: 12, search: 65 } as const

export type NodeWork = keyof typeof NODE_CALLS

export interface TroubleBudgetOptions {
  /** A minute. */
  readonly limit: number
  /** Monotonic milliseconds. */
  readonly now: () => number
}

interface Trouble {
  /** The address that limits are counted by. */
  readonly caller: string
  /** Null if the payer is not proven: anyone can name another one, or send what the chain shows. */
  readonly payer: string | null
  /** What it made us ask the node. */
  readonly work: readonly NodeWork[]
}

export interface TroubleBudget {
  /** Null if this caller may send another payment. */
  callerProblem(caller: string): Problem | null
  /** For a verified payment that may be settled. What was begun must be ended. */
  begin(sale: Sale): BegunAttempt | OutOfFunds | Problem
  count(trouble: Trouble): void
  /**
   * The last look before a transaction is sent: null if it may be. What is on its way counts, too, so
   * the ceiling holds whatever becomes of it. What was spent must be settled.
   */
  spendGas(transaction: PaymentTransaction): Problem | null
  /** Whether any was on its way. */
  settleGas(paymentId: string, outcome: { readonly isLost: boolean }): boolean
  /** A transaction did not pay: no other one is sent for this payer for an hour. */
  hold(payer: string): void
  holdProblem(payer: string): Problem | null
  /** Whether wallets that are contracts, which cost more to check and can fail at will, may still pay. */
  allowsContracts(): boolean
  /** Whether we still search the chain for a payment that is said to be used. */
  allowsSearches(): boolean
}

interface PaymentTransaction {
  readonly paymentId: string
  readonly payer: string
  /** 0 if another facilitator pays for it. */
  readonly gasUsd: number
  readonly isContract: boolean
}

interface Sale {
  readonly payer: string
  readonly amount: bigint
  /** The balance of the payer; unknown if another facilitator has checked it. */
  readonly funds: bigint | undefined
}

/** The payer has enough for this payment, but not with the others that are in progress. */
interface OutOfFunds {
  readonly kind: 'outOfFunds'
}

export interface BegunAttempt {
  readonly kind: 'begun'
  end(): void
}

interface Commitment {
  readonly count: number
  readonly amount: bigint
}

interface SpentGas {
  readonly usd: number
  readonly at: number
}

const NO_COMMITMENT: Commitment = { count: 0, amount: 0n }

export function createTroubleBudget({ limit, now }: TroubleBudgetOptions): TroubleBudget {
  const callers = createMemoryRateLimiter({ limit, now })
  const payers = createMemoryRateLimiter({ limit, now })
  /** Until when, oldest first. */
  const held = new Map<string, number>()
  const inProgress = new Map<string, Commitment>()
  const checkCalls = createHourlySum(now)
  const searchCalls = createHourlySum(now)
  const lostUsd = createHourlySum(now)
  /** The gas of transactions on their way, by payment, oldest first. */
  const spent = new Map<string, SpentGas>()

  function commit(payer: string, amount: bigint, change: 1 | -1): void {
    const before = inProgress.get(payer) ?? NO_COMMITMENT
    const count = before.count + change
    if (count === 0) inProgress.delete(payer)
    else inProgress.set(payer, { count, amount: before.amount + BigInt(change) * amount })
  }

  /** After an hour none can be mined any more; another instance may have learned what became of it. */
  function usdOnItsWay(): number {
    let sum = 0
    for (const [paymentId, { usd, at }] of spent) {
      if (now() - at >= HOUR_MS) spent.delete(paymentId)
      else sum += usd
    }
    return sum
  }

  function holdProblem(payer: string): Problem | null {
    const heldMs = (held.get(toKey(payer)) ?? 0) - now()
    return heldMs > 0 ? payerOnHold(Math.ceil(heldMs / 1_000)) : null
  }

  return {
    callerProblem(caller) {
      const { isAllowed, resetSeconds } = callers.peek(caller)
      return isAllowed ? null : tooManyUnsoldAttempts(limit, resetSeconds)
    },
    begin({ payer: address, amount, funds }) {
      const payer = toKey(address)
      const { isAllowed, resetSeconds } = payers.peek(payer)
      const problem =
        holdProblem(payer) ?? (isAllowed ? null : tooManyUnsoldAttempts(limit, resetSeconds))
      if (problem) return problem
      if (lostUsd.sum() >= HOURLY.gasUsd) return SALES_PAUSED
      const committed = inProgress.get(payer) ?? NO_COMMITMENT
      if (committed.count >= MAX_IN_PROGRESS) return tooManyPayments('in progress for one wallet')
      // Of several payments that share a balance, all but one would fail on the chain at our cost.
      if (funds !== undefined && funds < committed.amount + amount) return { kind: 'outOfFunds' }
      commit(payer, amount, 1)
      return { kind: 'begun', end: () => commit(payer, amount, -1) }
    },
    count({ caller, payer, work }) {
      callers.consume(caller)
      if (payer !== null) payers.consume(toKey(payer))
      for (const kind of work) {
        const calls = kind === 'search' ? searchCalls : checkCalls
        calls.add(NODE_CALLS[kind])
      }
    },
    spendGas({ paymentId, payer, gasUsd, isContract }) {
      const held = holdProblem(payer)
      if (held) return held
      const lost = lostUsd.sum()
      const ceiling = isContract ? HOURLY.gasUsdOfContracts : HOURLY.gasUsd
      // Alone it may cost as much as its price, which can be the whole ceiling of contracts.
      if (lost > 0 && lost + gasUsd > ceiling) return SALES_PAUSED
      const onItsWay = usdOnItsWay()
      if (onItsWay > 0 && lost + onItsWay + gasUsd > ceiling) {
        return tooManyPayments('gas on its way')
      }
      const usd = (spent.get(paymentId)?.usd ?? 0) + gasUsd
      spent.delete(paymentId)
      spent.set(paymentId, { usd, at: now() })
      return null
    },
    settleGas(paymentId, { isLost }) {
      const gas = spent.get(paymentId)
      if (isLost && gas) lostUsd.add(gas.usd)
      return spent.delete(paymentId)
    },
    hold(payer) {
      const key = toKey(payer)
      held.delete(key)
      held.set(key, now() + HOUR_MS)
      const [oldest] = held.keys()
      if (held.size > MAX_HELD_PAYERS && oldest !== undefined) held.delete(oldest)
    },
    holdProblem,
    allowsContracts: () =>
      lostUsd.sum() < HOURLY.gasUsdOfContracts && checkCalls.sum() < HOURLY.checkCalls,
    allowsSearches: () => searchCalls.sum() < HOURLY.searchCalls,
  }
}

const SLOTS = 60

/** The sum of the last hour, to the minute. */
function createHourlySum(now: () => number) {
  const slots = new Array<number>(SLOTS).fill(0)
  let last = minute()

  function minute(): number {
    return Math.floor(now() / (HOUR_MS / SLOTS))
  }

  function advance(): void {
    const current = minute()
    for (let at = Math.max(last + 1, current - SLOTS + 1); at <= current; at++)
      slots[at % SLOTS] = 0
    last = current
  }

  return {
    add(value: number): void {
      advance()
      slots[last % SLOTS] = (slots[last % SLOTS] ?? 0) + value
    },
    sum(): number {
      advance()
      return slots.reduce((sum, value) => sum + value, 0)
    },
  }
}

/** Addresses are the same in any case. */
function toKey(payer: string): string {
  return payer.toLowerCase()
}
