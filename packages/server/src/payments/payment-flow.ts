/**
 * The gate before every paid report, the same for HTTP and MCP: verify, work, settle, answer. Only a
 * report that is ready is settled, and only one that is settled is handed out.
 */
import type { PaymentRequired } from '@x402/core/types'
import type { OperationOutcome, Problem } from '../operations/run-operation.js'
import { type Ledger, LedgerUnavailable } from '../state/ledger.js'
import { checkPaymentTerms, checkValidityWindow } from './check-payment.js'
import type { Facilitator, SettlementResponse, SettleResult } from './facilitator.js'
import { type Payment, parsePayment } from './payment.js'
import type { PaymentErrorReason, PaymentTransport } from './payment-error-reasons.js'
import { type PaymentOffer, toPaymentRequired } from './payment-offer.js'
import {
  LEDGER_UNAVAILABLE,
  malformedPayment,
  notCharged,
  PAYMENT_IN_PROGRESS,
  settlementUnknown,
  TOO_MANY_PAYMENTS,
  verificationUnavailable,
} from './payment-problems.js'
import { createReconcileSettlement, type ReconcileOptions } from './reconcile-settlement.js'

export interface PaymentFlowOptions extends ReconcileOptions {
  readonly ledger: Ledger
}

/** Somebody at the gate. */
interface Buyer {
  readonly offer: PaymentOffer
  /** As it came, decoded but not yet read. */
  readonly payment: unknown
  readonly carrier: PaymentTransport
  /** What is asked for: the same text for the same report. */
  readonly request: string
  work(): Promise<OperationOutcome>
}

export type PaymentResult = DeliveredPayment | Unsold

export interface DeliveredPayment {
  readonly kind: 'sold'
  /** As JSON, the same to the letter whenever it is handed out. */
  readonly report: string
  readonly settlement: SettlementResponse
  /** It had been sold before, and was paid for then. */
  readonly isRedelivery: boolean
}

type Unsold = PaymentRequiredResult | Problem

/** Worked for, and from here on the money may move. */
interface Ready {
  readonly kind: 'ready'
  readonly report: string
}

export interface PaymentRequiredResult {
  readonly kind: 'challenge'
  readonly reason: PaymentErrorReason
  readonly paymentRequired: PaymentRequired
  /** Of a settlement that was refused. */
  readonly settlement: SettlementResponse | null
}

export type PaymentFlow = (buyer: Buyer) => Promise<PaymentResult>

export function requirePayment(
  offer: PaymentOffer,
  reason: PaymentErrorReason,
  receipt: SettlementResponse | null = null,
): PaymentRequiredResult {
  return {
    kind: 'challenge',
    reason,
    paymentRequired: toPaymentRequired(offer, reason),
    settlement: receipt,
  }
}

export function createPaymentFlow(options: PaymentFlowOptions): PaymentFlow {
  const { facilitator, ledger, now } = options
  const findOut = createReconcileSettlement(options)

  return async function sell(buyer) {
    const { offer, request } = buyer
    const payment = parsePayment(buyer.payment)
    if (!payment) return malformedPayment(buyer.carrier)
    const reason = checkPaymentTerms(payment, offer)
    if (reason) return requirePayment(offer, reason)

    const { id, fingerprint, validBefore } = payment
    const claim = await ledger
      .reserve({ id, fingerprint, validBefore, requestKey: request })
      .catch(unclaimed)
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
        return { ...claim, isRedelivery: true }
      case 'spent':
        return requirePayment(offer, 'payment_already_used')
      case 'busy':
        return PAYMENT_IN_PROGRESS
      case 'full':
        return TOO_MANY_PAYMENTS
      case 'problem':
        return claim
    }
  }

  /** Verify and work: so far nobody has paid anything. */
  async function prepare(payment: Payment, { offer, work }: Buyer): Promise<Unsold | Ready> {
    const late = checkValidityWindow(payment, now() / 1_000)
    if (late) return requirePayment(offer, late)
    const verified = await facilitator.verify(payment, offer.requirements)
    if (verified.kind === 'invalid') return requirePayment(offer, verified.reason)
    if (verified.kind === 'unavailable') return verificationUnavailable(verified.cause)
    const outcome = await work()
    if (outcome.kind === 'problem') return notCharged(outcome)
    const report = JSON.stringify(outcome.result)
    await ledger.prepare(payment.id, report)
    return { kind: 'ready', report }
  }

  /** Has it settled; whatever breaks on the way leaves open whether it was paid. */
  async function close(
    payment: Payment,
    offer: PaymentOffer,
    report: string,
    settle: Facilitator['settle'],
  ): Promise<PaymentResult> {
    try {
      const settled = await settle(payment, offer.requirements)
      return await conclude(payment, offer, report, settled)
    } catch (fault) {
      await ledger.markUnknown(payment.id)
      throw fault
    }
  }

  async function conclude(
    payment: Payment,
    offer: PaymentOffer,
    report: string,
    settled: SettleResult,
  ): Promise<PaymentResult> {
    switch (settled.kind) {
      case 'settled': {
        const receipt = receiptOf(payment, { success: true, transaction: settled.transaction })
        await ledger.complete(payment.id, receipt)
        return { kind: 'sold', report, settlement: receipt, isRedelivery: false }
      }
      case 'refused': {
        const { reason } = settled
        const receipt = receiptOf(payment, { success: false, errorReason: reason, transaction: '' })
        return forget(payment, requirePayment(offer, reason, receipt))
      }
      case 'unknown':
        await ledger.markUnknown(payment.id)
        return settlementUnknown(settled.cause)
    }
  }

  async function forget(payment: Payment, unsold: Unsold): Promise<Unsold> {
    await ledger.release(payment.id)
    return unsold
  }
}

function receiptOf(
  { payer, payload }: Payment,
  outcome: Pick<SettlementResponse, 'success' | 'transaction' | 'errorReason'>,
): SettlementResponse {
  return { ...outcome, network: payload.accepted.network, payer }
}

/** Where no ledger can vouch for a payment, it is not taken. */
function unclaimed(fault: unknown): Problem {
  if (fault instanceof LedgerUnavailable) return { ...LEDGER_UNAVAILABLE, cause: fault.message }
  throw fault
}
