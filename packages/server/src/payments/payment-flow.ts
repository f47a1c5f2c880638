/**
 * Processes one payment, the same way for HTTP and MCP:
 * reserve, verify, run the operation, prepare the report, settle, complete.
 * A payment is settled only when its report is ready, and the report is returned only when settled.
 */
import type { PaymentRequired } from '@x402/core/types'
import type { OperationOutcome, Problem } from '../operations/run-operation.js'
import { type Ledger, LedgerUnavailable } from '../state/ledger.js'
import type { Facilitator, SettlementResponse, SettleResult } from './facilitator.js'
import { checkPaymentTerms, checkValidityWindow, type Payment, parsePayment } from './payment.js'
import { type PaymentOffer, toPaymentRequired } from './payment-offer.js'
import {
  LEDGER_UNAVAILABLE,
  malformedPayment,
  notCharged,
  PAYMENT_IN_PROGRESS,
  type PaymentErrorReason,
  type PaymentTransport,
  settlementUnknown,
  TOO_MANY_PAYMENTS,
  verificationUnavailable,
} from './payment-problems.js'
import { createReconcileSettlement, type ReconcileOptions } from './reconcile-settlement.js'

export interface PaymentFlowOptions extends ReconcileOptions {
  readonly ledger: Ledger
}

interface PaymentAttempt {
  readonly offer: PaymentOffer
  /** Decoded but not validated. */
  readonly payment: unknown
  readonly transport: PaymentTransport
  /** The same text for the same report. */
  readonly requestKey: string
  runOperation(): Promise<OperationOutcome>
}

export type PaymentResult = DeliveredPayment | RejectedPayment

export interface DeliveredPayment {
  readonly kind: 'delivered'
  /** JSON, byte for byte the same on every redelivery. */
  readonly report: string
  readonly settlement: SettlementResponse
  /** An earlier request paid for this report. */
  readonly isRedelivery: boolean
}

type RejectedPayment = PaymentRequiredResult | Problem

export interface PaymentRequiredResult {
  readonly kind: 'paymentRequired'
  readonly reason: PaymentErrorReason
  readonly paymentRequired: PaymentRequired
  /** Set if the settlement was rejected. */
  readonly settlement: SettlementResponse | null
}

/** The report is stored in the ledger; from here on the payment may be settled. */
interface PreparedReport {
  readonly kind: 'prepared'
  readonly report: string
}

export type PaymentFlow = (attempt: PaymentAttempt) => Promise<PaymentResult>

export function requirePayment(
  offer: PaymentOffer,
  reason: PaymentErrorReason,
  settlement: SettlementResponse | null = null,
): PaymentRequiredResult {
  return {
    kind: 'paymentRequired',
    reason,
    paymentRequired: toPaymentRequired(offer, reason),
    settlement,
  }
}

export function createPaymentFlow(options: PaymentFlowOptions): PaymentFlow {
  const { facilitator, ledger, now } = options
  const reconcileSettlement = createReconcileSettlement(options)

  return async function processPayment(attempt) {
    const { offer, requestKey } = attempt
    const payment = parsePayment(attempt.payment)
    if (!payment) return malformedPayment(attempt.transport)
    const reason = checkPaymentTerms(payment, offer)
    if (reason) return requirePayment(offer, reason)

    const { id, fingerprint, validBefore } = payment
    const reservation = await ledger
      .reserve({ id, fingerprint, validBefore, requestKey })
      .catch(toLedgerProblem)
    switch (reservation.kind) {
      case 'acquired': {
        const outcome = await prepareOrRelease(payment, attempt)
        if (outcome.kind !== 'prepared') return outcome
        return settleAndDeliver(payment, offer, outcome.report, facilitator.settle)
      }
      case 'unknown':
        return settleAndDeliver(payment, offer, reservation.report, reconcileSettlement)
      case 'completed': {
        const { report, settlement } = reservation
        return { kind: 'delivered', report, settlement, isRedelivery: true }
      }
      case 'conflict':
        return requirePayment(offer, 'payment_already_used')
      case 'inProgress':
        return PAYMENT_IN_PROGRESS
      case 'full':
        return TOO_MANY_PAYMENTS
      case 'problem':
        return reservation
    }
  }

  /** Nothing is charged here, so anything but a prepared report releases the payment, once. */
  async function prepareOrRelease(
    payment: Payment,
    attempt: PaymentAttempt,
  ): Promise<RejectedPayment | PreparedReport> {
    let outcome: RejectedPayment | PreparedReport
    try {
      outcome = await verifyAndRun(payment, attempt).catch(toLedgerProblem)
    } catch (error) {
      await ledger.release(payment.id)
      throw error
    }
    if (outcome.kind !== 'prepared') await ledger.release(payment.id)
    return outcome
  }

  async function verifyAndRun(
    payment: Payment,
    { offer, runOperation }: PaymentAttempt,
  ): Promise<RejectedPayment | PreparedReport> {
    const timeReason = checkValidityWindow(payment, now() / 1_000)
    if (timeReason) return requirePayment(offer, timeReason)
    const verified = await facilitator.verify(payment, offer.requirements)
    if (verified.kind === 'invalid') return requirePayment(offer, verified.reason)
    if (verified.kind === 'unavailable') return verificationUnavailable(verified.cause)
    const outcome = await runOperation()
    if (outcome.kind === 'problem') return notCharged(outcome)
    const report = JSON.stringify(outcome.result)
    await ledger.prepare(payment.id, report)
    return { kind: 'prepared', report }
  }

  /** Any error after this point leaves the outcome of the payment unknown. */
  async function settleAndDeliver(
    payment: Payment,
    offer: PaymentOffer,
    report: string,
    settle: Facilitator['settle'],
  ): Promise<PaymentResult> {
    try {
      const settled = await settle(payment, offer.requirements)
      return await applySettleResult(payment, offer, report, settled)
    } catch (error) {
      await ledger.markUnknown(payment.id)
      throw error
    }
  }

  async function applySettleResult(
    payment: Payment,
    offer: PaymentOffer,
    report: string,
    settled: SettleResult,
  ): Promise<PaymentResult> {
    switch (settled.kind) {
      case 'settled': {
        const { transaction } = settled
        const settlement = toSettlementResponse(payment, { success: true, transaction })
        await ledger.complete(payment.id, settlement)
        return { kind: 'delivered', report, settlement, isRedelivery: false }
      }
      case 'rejected': {
        const { reason } = settled
        const failure = { success: false, errorReason: reason, transaction: '' }
        await ledger.release(payment.id)
        return requirePayment(offer, reason, toSettlementResponse(payment, failure))
      }
      case 'unknown':
        await ledger.markUnknown(payment.id)
        return settlementUnknown(settled.cause)
    }
  }
}

function toSettlementResponse(
  { payer, payload }: Payment,
  outcome: Pick<SettlementResponse, 'success' | 'transaction' | 'errorReason'>,
): SettlementResponse {
  return { ...outcome, network: payload.accepted.network, payer }
}

/** Without the ledger a payment could be charged twice, so none is processed. */
function toLedgerProblem(error: unknown): Problem {
  if (error instanceof LedgerUnavailable) return { ...LEDGER_UNAVAILABLE, cause: error.message }
  throw error
}
