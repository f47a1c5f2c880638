/**
 * The gate before every paid report, the same for HTTP and MCP: verify, work, settle, answer. Only a
 * report that is ready is settled, and only one that is settled is handed out.
 */
import type { PaymentRequired } from '@x402/core/types'
import type { Outcome, Problem } from '../operations/perform.js'
import { type Ledger, LedgerUnavailable } from '../state/ledger.js'
import type { Facilitator, Receipt, Settled } from './facilitator.js'
import { createFindOut, type FindOutOptions } from './find-out.js'
import { judgeTerms, judgeWindow } from './judge-payment.js'
import { challengeOf, type Offer } from './offer.js'
import { type Payment, readPayment } from './payment.js'
import type { Carrier, Reason } from './reasons.js'
import { BUSY, FULL, malformed, NO_LEDGER, uncharged, unsettled, unverified } from './setbacks.js'

export interface GateOptions extends FindOutOptions {
  readonly ledger: Ledger
}

/** Somebody at the gate. */
interface Buyer {
  readonly offer: Offer
  /** As it came, decoded but not yet read. */
  readonly payment: unknown
  readonly carrier: Carrier
  /** What is asked for: the same text for the same report. */
  readonly request: string
  work(): Promise<Outcome>
}

export type Bargain = Sold | Unsold

export interface Sold {
  readonly kind: 'sold'
  /** As JSON, the same to the letter whenever it is handed out. */
  readonly report: string
  readonly receipt: Receipt
  /** It had been sold before, and was paid for then. */
  readonly isAgain: boolean
}

type Unsold = Challenge | Problem

/** Worked for, and from here on the money may move. */
interface Ready {
  readonly kind: 'ready'
  readonly report: string
}

export interface Challenge {
  readonly kind: 'challenge'
  readonly reason: Reason
  readonly required: PaymentRequired
  /** Of a settlement that was refused. */
  readonly receipt: Receipt | null
}

export type Gate = (buyer: Buyer) => Promise<Bargain>

export function challenge(offer: Offer, reason: Reason, receipt: Receipt | null = null): Challenge {
  return { kind: 'challenge', reason, required: challengeOf(offer, reason), receipt }
}

export function createGate(options: GateOptions): Gate {
  const { facilitator, ledger, now } = options
  const findOut = createFindOut(options)

  return async function sell(buyer) {
    const { offer, request } = buyer
    const payment = readPayment(buyer.payment)
    if (!payment) return malformed(buyer.carrier)
    const reason = judgeTerms(payment, offer)
    if (reason) return challenge(offer, reason)

    const { id, fingerprint, validBefore } = payment
    const claim = await ledger.claim({ id, fingerprint, validBefore, request }).catch(unclaimed)
    switch (claim.kind) {
      case 'yours': {
        const outcome = await prepare(payment, buyer)
          .catch(unclaimed)
          .catch(async (fault) => {
            await ledger.release(id)
            throw fault
          })
        if (outcome.kind !== 'ready') return forget(payment, outcome)
        return close(payment, offer, outcome.report, facilitator.settle)
      }
      case 'doubtful':
        return close(payment, offer, claim.report, findOut)
      case 'sold':
        return { ...claim, isAgain: true }
      case 'spent':
        return challenge(offer, 'payment_already_used')
      case 'busy':
        return BUSY
      case 'full':
        return FULL
      case 'problem':
        return claim
    }
  }

  /** Verify and work: so far nobody has paid anything. */
  async function prepare(payment: Payment, { offer, work }: Buyer): Promise<Unsold | Ready> {
    const late = judgeWindow(payment, now() / 1_000)
    if (late) return challenge(offer, late)
    const verified = await facilitator.verify(payment, offer.requirements)
    if (verified.kind === 'invalid') return challenge(offer, verified.reason)
    if (verified.kind === 'unavailable') return unverified(verified.cause)
    const outcome = await work()
    if (outcome.kind === 'problem') return uncharged(outcome)
    const report = JSON.stringify(outcome.result)
    await ledger.pledge(payment.id, report)
    return { kind: 'ready', report }
  }

  /** Has it settled; whatever breaks on the way leaves open whether it was paid. */
  async function close(
    payment: Payment,
    offer: Offer,
    report: string,
    settle: Facilitator['settle'],
  ): Promise<Bargain> {
    try {
      const settled = await settle(payment, offer.requirements)
      return await conclude(payment, offer, report, settled)
    } catch (fault) {
      await ledger.doubt(payment.id)
      throw fault
    }
  }

  async function conclude(
    payment: Payment,
    offer: Offer,
    report: string,
    settled: Settled,
  ): Promise<Bargain> {
    switch (settled.kind) {
      case 'settled': {
        const receipt = receiptOf(payment, { success: true, transaction: settled.transaction })
        await ledger.close(payment.id, receipt)
        return { kind: 'sold', report, receipt, isAgain: false }
      }
      case 'refused': {
        const { reason } = settled
        const receipt = receiptOf(payment, { success: false, errorReason: reason, transaction: '' })
        return forget(payment, challenge(offer, reason, receipt))
      }
      case 'unknown':
        await ledger.doubt(payment.id)
        return unsettled(settled.cause)
    }
  }

  async function forget(payment: Payment, unsold: Unsold): Promise<Unsold> {
    await ledger.release(payment.id)
    return unsold
  }
}

function receiptOf(
  { payer, payload }: Payment,
  outcome: Pick<Receipt, 'success' | 'transaction' | 'errorReason'>,
): Receipt {
  return { ...outcome, network: payload.accepted.network, payer }
}

/** Where no ledger can vouch for a payment, it is not taken. */
function unclaimed(fault: unknown): Problem {
  if (fault instanceof LedgerUnavailable) return { ...NO_LEDGER, cause: fault.message }
  throw fault
}
