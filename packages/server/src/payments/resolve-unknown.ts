/**
 * Ends payments whose outcome is unknown with what the chain shows, because not every payer sends
 * the payment again: paid and due, or never paid.
 */
import type { Ledger, UnknownPayment } from '../state/ledger.js'
import { isOurTransaction } from '../state/ledger-rules.js'
import type {
  Facilitator,
  PayeeTransfer,
  ReadChainTime,
  ReadPayeeTransfers,
} from './facilitator.js'
import { MAX_VALID_SECONDS, paymentTermsId } from './payment.js'
import { type PaymentTerms, toUsd } from './payment-terms.js'

export interface UnknownResolverOptions {
  readonly ledger: Pick<Ledger, 'listUnknown' | 'resolve'>
  readonly terms: PaymentTerms
  readonly readPayeeTransfers: ReadPayeeTransfers
  readonly facilitator: Pick<Facilitator, 'recordsTransactions'>
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly onResolved: (resolved: ResolvedPayment) => void
}

export interface ResolvedPayment {
  /** Identifies the payment, as in the ledger. */
  readonly reference: string
  /** Null if it was not paid. */
  readonly transaction: string | null
  /** US dollars. */
  readonly usd: number
}

export interface RepeatedResolverOptions extends UnknownResolverOptions {
  readonly ledger: Pick<Ledger, 'listUnknown' | 'resolve' | 'forgetOld'>
  readonly readChainTime: ReadChainTime
  /** Resolves after this time, or earlier if it is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>
  readonly onFailure: (error: unknown) => void
}

const EVERY_MS = 15_000
const FORGET_EVERY_MS = 10 * 60_000
/** A younger payment is most likely still in progress. */
const MIN_AGE_MS = 30_000
/** Our clock and that of the chain may differ. */
const CLOCK_MARGIN_SECONDS = 600
/** The node that has the logs may be behind the one that has the latest block. */
const NODE_MARGIN_SECONDS = 60

export function startResolvingUnknown(options: RepeatedResolverOptions): { stop(): void } {
  const { ledger, readChainTime, now, wait, onFailure } = options
  const closing = new AbortController()
  const { signal } = closing
  const resolveUnknown = createUnknownResolver(options)
  let forgottenAt = Number.NEGATIVE_INFINITY

  /** Only what is old by the chain's clock and by ours: either may be wrong. */
  async function forgetOld(): Promise<void> {
    const ms = now()
    if (ms >= forgottenAt && ms - forgottenAt < FORGET_EVERY_MS) return
    forgottenAt = ms
    await ledger.forgetOld(Math.min(await readChainTime(), ms / 1_000))
  }

  async function run(): Promise<void> {
    // At once, because the process before this one may have left some behind.
    while (!signal.aborted) {
      await resolveUnknown(signal).catch(onFailure)
      await forgetOld().catch(onFailure)
      await wait(EVERY_MS, signal)
    }
  }

  void run()
  return { stop: () => closing.abort() }
}

type Ended = { kind: 'paid'; transaction: string } | { kind: 'unpaid' }

export function createUnknownResolver(
  options: UnknownResolverOptions,
): (signal?: AbortSignal) => Promise<void> {
  const { ledger, readPayeeTransfers, facilitator, now, onResolved } = options
  const ourTerms = paymentTermsId(options.terms)
  /** Payments without a transfer up to that time, in seconds since 1970. */
  let searched = { ids: new Set<string>(), upTo: 0 }

  async function listOld(): Promise<UnknownPayment[]> {
    const listed = await ledger.listUnknown()
    return listed.filter(
      ({ since, terms = ourTerms }) =>
        // One that seems to come from the future was prepared before our clock was put right.
        Math.abs(now() - since) >= MIN_AGE_MS &&
        // Transfers to an earlier payee are not read, so nothing would show that one was paid.
        terms === ourTerms,
    )
  }

  function searchStart(payments: readonly UnknownPayment[]): number {
    // Our clock may have been wrong when it was prepared, but no payment is valid for longer.
    const starts = payments.map(({ id, validBefore }) =>
      searched.ids.has(id) ? searched.upTo : validBefore - MAX_VALID_SECONDS,
    )
    return Math.floor(Math.min(...starts)) - CLOCK_MARGIN_SECONDS
  }

  function decide(
    payment: UnknownPayment,
    transfer: PayeeTransfer | undefined,
    upTo: number,
  ): Ended | { kind: 'open' } {
    if (transfer) {
      const { transaction, units } = transfer
      // Otherwise the payer has used up the authorization past us, or for another amount.
      const isPaid =
        isOurTransaction(transaction, payment, facilitator) && units === BigInt(payment.amount)
      return isPaid ? { kind: 'paid', transaction } : { kind: 'unpaid' }
    }
    // EIP-3009: a block accepts it only before that time, and later blocks have later times.
    return payment.validBefore + NODE_MARGIN_SECONDS <= upTo ? { kind: 'unpaid' } : { kind: 'open' }
  }

  async function end(reference: string, amount: string, outcome: Ended): Promise<void> {
    const transaction = outcome.kind === 'paid' ? outcome.transaction : null
    if (await ledger.resolve(reference, transaction)) {
      onResolved({ reference, transaction, usd: toUsd(amount) })
    }
  }

  return async function resolveUnknown(signal) {
    const before = await listOld()
    if (before.length === 0) return
    const { transfers, upTo } = await readPayeeTransfers(searchStart(before))
    const transferOf = new Map(transfers.map((transfer) => [transfer.paymentId, transfer]))
    const ids = new Set(before.map(({ id }) => id))
    // Listed again: one of them may have been sent, and its transaction recorded, meanwhile.
    const after = (await listOld()).filter(({ id }) => ids.has(id))
    const decided = after.map((payment) => ({
      ...payment,
      outcome: decide(payment, transferOf.get(payment.id), upTo),
    }))
    for (const { id, amount, outcome } of decided) {
      if (signal?.aborted) return
      if (outcome.kind !== 'open') await end(id, amount, outcome)
    }
    const open = decided.filter(({ outcome }) => outcome.kind === 'open')
    searched = { ids: new Set(open.map(({ id }) => id)), upTo }
  }
}
