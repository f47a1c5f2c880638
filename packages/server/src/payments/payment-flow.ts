/**
 * Processes one payment, the same way for HTTP and MCP: reserve, verify, run the operation, prepare
 * the report, settle, let the chain decide, complete. A payment is settled only when its report is
 * ready, and the report is returned only when the chain shows that it was paid.
 */
import { stringifySafely } from '@mailgrade/core'
import type { OperationOutcome, Problem } from '@mailgrade/operations/run-operation'
import type { PaymentRequired } from '@x402/core/types'
import { createFairSemaphore } from '../state/fair-semaphore.js'
import {
  type Ledger,
  LedgerUnavailable,
  type Reservation,
  type ReservationRequest,
  type StoredReport,
} from '../state/ledger.js'
import type { RecordTransaction, SettlementResponse, VerifyResult } from './facilitator.js'
import type { IssueReceipt } from './offer-receipt.js'
import {
  checkPaymentTerms,
  checkValidityWindow,
  type Payment,
  parsePayment,
  paymentTermsId,
  readPaymentIdentifier,
  sha256,
} from './payment.js'
import { type PaymentOffer, toPaymentRequired } from './payment-offer.js'
import {
  ANSWERS_OVER,
  ANSWERS_USED_UP,
  IDENTIFIER_IN_PROGRESS,
  IDENTIFIER_USED,
  LEDGER_UNAVAILABLE,
  MALFORMED_IDENTIFIER,
  malformedPayment,
  notCharged,
  outcomeLimited,
  PAYMENT_IN_PROGRESS,
  type PaymentErrorReason,
  type PaymentTransport,
  reportNotMade,
  settlementNotSent,
  settlementUnknown,
  TOO_MANY_UNKNOWN,
  tooManyPayments,
  verificationUnavailable,
} from './payment-problems.js'
import { digestRequestKey, openReport, type PaidQuestion, sealReport } from './sealed-report.js'
import { createSettlement, type SettlementOptions, type SettlementOutcome } from './settlement.js'
import type { BegunAttempt, NodeWork, TroubleBudget } from './trouble-budget.js'

/**
 * Callers take turns, and one whose wallets take long to check delays itself. Each takes several
 * requests to a node; more at once would hit its limits.
 */
const VERIFICATIONS = { permits: 50, maxPerCaller: 10, maxWaiting: 1_000, maxWaitMs: 10_000 }

export interface PaymentFlowOptions extends SettlementOptions {
  readonly ledger: Ledger
  readonly trouble: TroubleBudget
  /** Null: no receipts. */
  readonly issueReceipt?: IssueReceipt | null
}

interface PaymentAttempt {
  readonly offer: PaymentOffer
  /** Decoded but not validated. */
  readonly payment: unknown
  readonly transport: PaymentTransport
  /** The same text for the same report. */
  readonly requestKey: string
  /** The same text for all reports that one payment buys; null if it buys only this one. */
  readonly purchaseKey: string | null
  /** The address that limits are counted by. */
  readonly caller: string
  /** Runs `act` when the whole response was written, and never if the caller was gone. */
  readonly onSent: (act: () => void) => void
  runOperation(): Promise<OperationOutcome>
}

export type PaymentResult = DeliveredPayment | RejectedPayment

export interface DeliveredPayment {
  readonly kind: 'delivered'
  /** JSON, byte for byte the same on every redelivery while it is stored. */
  readonly report: string
  readonly settlement: SettlementResponse
  /** An earlier request paid for this report. */
  readonly isRedelivery: boolean
  /** Identifies the sale: the digest of the payment. */
  readonly reference: string
}

type RejectedPayment = PaymentRequiredResult | Problem

export interface PaymentRequiredResult {
  readonly kind: 'paymentRequired'
  readonly reason: PaymentErrorReason
  readonly paymentRequired: PaymentRequired
  /** Set if the chain shows that the payment will never be made. */
  readonly settlement: SettlementResponse | null
  /** Why, if the reason does not say enough. */
  readonly detail?: string
}

/** The report is stored in the ledger; from here on the payment may be settled. */
interface PreparedReport {
  readonly kind: 'prepared'
  readonly report: string
}

interface Question extends PaidQuestion {
  readonly payment: Payment
  readonly purchaseKey: string | null
  readonly identifier: string | null
}

interface TransactionRecorder {
  readonly record: RecordTransaction
  /** Why the last one was not; null if nothing kept it from being sent. */
  problem(): Problem | null
}

interface PaidTransaction {
  readonly transaction: string
  /** When the chain was seen to show it, in seconds since 1970. */
  readonly paidAt: number
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
  const { facilitator, readAuthorizationState, ledger, trouble, now, issueReceipt } = options
  const { settle, resolve } = createSettlement(options)
  const verifications = createFairSemaphore(VERIFICATIONS)

  return async function processPayment(attempt) {
    const { offer } = attempt
    const payment = parsePayment(attempt.payment)
    if (!payment) return malformedPayment(attempt.transport)
    const identifier = readPaymentIdentifier(payment)
    if (identifier.kind === 'invalid') return MALFORMED_IDENTIFIER
    // Before any work; the payment may have been received already.
    const limited = trouble.callerProblem(attempt.caller)
    if (limited) return outcomeLimited(limited)

    // One that was sold on other terms is still due: the operator may have changed them since.
    const reason = checkPaymentTerms(payment, offer)
    const question = toQuestion(payment, attempt, identifier.digest)
    const recorder = createRecorder(payment)
    const reservation = await ledger
      .reserve(
        { ...toReservation(question), isRecorded: facilitator.recordsTransactions },
        { onlyKnown: reason !== null },
      )
      .catch(toLedgerProblem)
    switch (reservation.kind) {
      case 'acquired': {
        const begun = await orRelease(payment, verify(payment, attempt))
        if (begun.kind !== 'begun') return begun
        return sell(question, attempt, recorder).finally(begun.end)
      }
      case 'unknown': {
        const { report } = reservation
        return settleAndDeliver(
          payment,
          attempt,
          () => resolve(payment, attempt, recorder.record, reservation),
          () => openOrMakeReport(question, attempt, report),
          recorder,
        )
      }
      case 'paid': {
        const { report, transaction, paidAt = nowSeconds() } = reservation
        const paid = await openOrMakeReport(question, attempt, report)
        return deliver(payment, attempt, { transaction, paidAt }, paid, true)
      }
      case 'answering':
        return answer(question, attempt, reservation)
      case 'problem':
        return reservation
      case 'inProgress':
        return PAYMENT_IN_PROGRESS
      case 'full':
        return tooManyPayments('the ledger is full')
      default:
        trouble.count({ caller: attempt.caller, payer: null, work: [] })
        return reason === null
          ? rejectReservation(reservation, payment, offer)
          : requirePayment(offer, reason)
    }
  }

  function rejectReservation(
    reservation: Extract<
      Reservation,
      { kind: 'conflict' | 'noAnswer' | 'identifierInUse' | 'tooManyUnknown' | 'notKnown' }
    >,
    payment: Payment,
    offer: PaymentOffer,
  ): RejectedPayment {
    switch (reservation.kind) {
      case 'conflict':
      case 'notKnown':
        return requirePayment(offer, hasExpired(payment) ? 'expired' : 'payment_already_used')
      case 'noAnswer': {
        const detail = reservation.isOver ? ANSWERS_OVER : ANSWERS_USED_UP
        return { ...requirePayment(offer, 'payment_already_used'), detail }
      }
      case 'identifierInUse':
        return reservation.isInProgress ? IDENTIFIER_IN_PROGRESS : IDENTIFIER_USED
      case 'tooManyUnknown':
        return TOO_MANY_UNKNOWN
    }
  }

  /** The last look before a transaction is sent, which costs gas. */
  function createRecorder({ id, payer }: Payment): TransactionRecorder {
    let problem: Problem | null = null
    return {
      problem: () => problem,
      async record(hash, cost = { gasUsd: 0, isContract: false }) {
        problem = trouble.spendGas({ paymentId: id, payer, ...cost })
        if (problem) throw new Error('no gas for this payment')
        await ledger.recordTransaction(id, hash).catch((error) => {
          problem = toLedgerProblem(error)
          throw error
        })
      },
    }
  }

  function nowSeconds(): number {
    return Math.floor(now() / 1_000)
  }

  function hasExpired(payment: Payment): boolean {
    return checkValidityWindow(payment, now() / 1_000) === 'expired'
  }

  /** Nothing is charged in this step, so anything but its success releases the payment, once. */
  async function orRelease<Success extends BegunAttempt | PreparedReport>(
    { id }: Payment,
    step: Promise<RejectedPayment | Success>,
  ): Promise<RejectedPayment | Success> {
    let outcome: RejectedPayment | Success
    try {
      outcome = await step.catch(toLedgerProblem)
    } catch (error) {
      await ledger.release(id)
      throw error
    }
    if (outcome.kind !== 'begun' && outcome.kind !== 'prepared') await ledger.release(id)
    return outcome
  }

  async function verify(
    payment: Payment,
    attempt: PaymentAttempt,
  ): Promise<RejectedPayment | BegunAttempt> {
    const { offer, caller } = attempt
    const timeReason = checkValidityWindow(payment, now() / 1_000)
    if (timeReason) {
      trouble.count({ caller, payer: null, work: [] })
      return requirePayment(offer, timeReason)
    }
    const verified = await verifyInTurn(payment, attempt)
    if (verified.kind === 'problem') return verified
    if (verified.kind === 'valid') return beginSale(payment, attempt, verified.funds)
    const { work = [] } = verified
    if (verified.kind === 'invalid') return rejectInvalid(payment, attempt, verified.reason, work)
    trouble.count({ caller, payer: null, work })
    return verificationUnavailable(verified.cause)
  }

  async function verifyInTurn(
    payment: Payment,
    attempt: PaymentAttempt,
  ): Promise<VerifyResult | Problem> {
    const { caller } = attempt
    const release = await verifications.acquire(caller)
    if (release === null) {
      trouble.count({ caller, payer: null, work: [] })
      return tooManyPayments('waiting to be verified')
    }
    try {
      // It may have waited behind others of this caller that were trouble.
      const limited = trouble.callerProblem(caller)
      const context = { allowsContracts: trouble.allowsContracts() }
      return limited ?? (await facilitator.verify(payment, attempt, context))
    } finally {
      release()
    }
  }

  function beginSale(
    { payer, authorization }: Payment,
    { offer, caller }: PaymentAttempt,
    funds: bigint | undefined,
  ): BegunAttempt | RejectedPayment {
    const begun = trouble.begin({ payer, amount: BigInt(authorization.value), funds })
    if (begun.kind === 'begun') return begun
    trouble.count({ caller, payer: null, work: ['contract'] })
    return begun.kind === 'outOfFunds' ? requirePayment(offer, 'insufficient_funds') : begun
  }

  async function sell(
    question: Question,
    attempt: PaymentAttempt,
    recorder: TransactionRecorder,
  ): Promise<PaymentResult> {
    const { payment } = question
    const outcome = await orRelease(payment, runAndPrepare(question, attempt))
    if (outcome.kind !== 'prepared') return outcome
    return settleAndDeliver(
      payment,
      attempt,
      () => settle(payment, attempt, recorder.record),
      async () => outcome.report,
      recorder,
    )
  }

  async function runAndPrepare(
    question: Question,
    { caller, runOperation }: PaymentAttempt,
  ): Promise<Problem | PreparedReport> {
    const { id, payer } = question.payment
    const unsold = (problem: Problem): Problem => {
      trouble.count({ caller, payer, work: ['contract'] })
      return problem
    }
    const outcome = await runOperation()
    if (outcome.kind === 'problem') return unsold(notCharged(outcome))
    // Another payment of this payer may have failed at our cost meanwhile.
    const held = trouble.holdProblem(payer)
    if (held) return unsold(held)
    const report = stringifySafely(outcome.result)
    const isPrepared = await ledger.prepare(id, await sealReport(question, report))
    return isPrepared ? { kind: 'prepared', report } : unsold(IDENTIFIER_IN_PROGRESS)
  }

  /** Another report of a purchase that was paid. */
  async function answer(
    question: Question,
    attempt: PaymentAttempt,
    { transaction, paidAt = nowSeconds() }: Extract<Reservation, { kind: 'answering' }>,
  ): Promise<PaymentResult> {
    const { payment } = question
    const outcome = await orRelease(payment, makeAnswer(question, attempt))
    if (outcome.kind !== 'prepared') return outcome
    return deliver(payment, attempt, { transaction, paidAt }, outcome.report, true)
  }

  /** One that cannot be made does not count. */
  async function makeAnswer(
    question: Question,
    { caller, runOperation }: PaymentAttempt,
  ): Promise<Problem | PreparedReport> {
    const outcome = await runOperation()
    if (outcome.kind === 'problem') {
      // The caller may be someone who has read the payment from the chain.
      trouble.count({ caller, payer: null, work: [] })
      return notCharged(outcome)
    }
    const report = stringifySafely(outcome.result)
    await ledger.keepAnswer(question.payment.id, await sealReport(question, report))
    return { kind: 'prepared', report }
  }

  /** Only the chain can prove that a payment is used up and a new one is needed. */
  async function rejectInvalid(
    payment: Payment,
    { offer, caller }: PaymentAttempt,
    reason: PaymentErrorReason,
    work: readonly NodeWork[],
  ): Promise<RejectedPayment> {
    const isSearched = reason === 'payment_already_used' && trouble.allowsSearches()
    // The payer is not proven, so only the caller counts.
    trouble.count({ caller, payer: null, work: isSearched ? [...work, 'search'] : work })
    if (reason !== 'payment_already_used') return requirePayment(offer, reason)
    if (!isSearched)
      return settlementUnknown(`${reason}, but we have searched the chain for too many payments`)
    const { kind } = await readAuthorizationState(payment, [])
    return kind === 'paid' || kind === 'void'
      ? requirePayment(offer, reason)
      : settlementUnknown(`${reason}, but ${kind} on the chain`)
  }

  async function settleAndDeliver(
    payment: Payment,
    attempt: PaymentAttempt,
    settlePayment: () => Promise<SettlementOutcome>,
    getReport: () => Promise<string | Problem>,
    recorder: TransactionRecorder,
  ): Promise<PaymentResult> {
    const { caller, offer } = attempt
    const outcome = await settlePayment().catch(async (error: unknown) => {
      await ledger.markUnknown(payment.id)
      throw error
    })
    settleGas(payment, outcome)
    if (outcome.kind !== 'paid')
      trouble.count({ caller, payer: payment.payer, work: ['settlement'] })
    switch (outcome.kind) {
      case 'paid': {
        const { transaction } = outcome
        const paidAt = nowSeconds()
        const isOurs = await ledger.complete(payment.id, transaction, paidAt)
        // Another instance has sold it, after the store had lost our reservation.
        if (!isOurs) return settlementUnknown('the reservation was lost')
        return deliver(payment, attempt, { transaction, paidAt }, await getReport(), false)
      }
      case 'rejected': {
        const { reason } = outcome
        const failure = { success: false, errorReason: reason, transaction: '' }
        // Another instance may have sold it after our reservation had ended there.
        const isOurs = await ledger.release(payment.id)
        if (!isOurs) return settlementUnknown('the reservation was lost')
        return requirePayment(offer, reason, toSettlementResponse(payment, failure))
      }
      case 'notSent':
        await ledger.release(payment.id)
        return recorder.problem() ?? settlementNotSent(outcome.cause)
      case 'unknown':
        await ledger.markUnknown(payment.id)
        return settlementUnknown(outcome.cause)
    }
  }

  /** Gas counts as pending while the outcome is unknown. Looking it up again holds nobody twice. */
  function settleGas({ id, payer }: Payment, outcome: SettlementOutcome): void {
    const hasFailed = 'hasFailed' in outcome && outcome.hasFailed
    if (outcome.kind === 'unknown' && !hasFailed) return
    const isLost = hasFailed || outcome.kind === 'rejected'
    const wasOnItsWay = trouble.settleGas(id, { isLost })
    if (hasFailed && wasOnItsWay) trouble.hold(payer)
  }

  /** The report of a payment that the chain shows as paid. */
  async function openOrMakeReport(
    question: Question,
    { caller, runOperation }: PaymentAttempt,
    stored: StoredReport,
  ): Promise<string | Problem> {
    const report = stored === null ? null : await openReport(question, stored)
    if (report !== null) return report
    // It was paid for once, but making it again costs the same each time, and who asks for it may be
    // someone who has read the payment from the chain.
    trouble.count({ caller, payer: null, work: [] })
    const outcome = await runOperation()
    return outcome.kind === 'result' ? stringifySafely(outcome.result) : reportNotMade(outcome)
  }

  async function deliver(
    payment: Payment,
    { onSent, offer }: PaymentAttempt,
    { transaction, paidAt }: PaidTransaction,
    report: string | Problem,
    isRedelivery: boolean,
  ): Promise<PaymentResult> {
    const { id, payer, payload } = payment
    if (typeof report !== 'string') return report
    const extensions = await issueReceipt?.({
      resourceUrl: offer.resource.url,
      network: payload.accepted.network,
      payer,
      transaction,
      issuedAt: paidAt,
    })
    const settlement = toSettlementResponse(payment, {
      success: true,
      transaction,
      ...(extensions && { extensions }),
    })
    onSent(() => void ledger.markDelivered(id))
    return { kind: 'delivered', report, settlement, isRedelivery, reference: id }
  }
}

/** With the identifier: the chain shows everything else to strangers, who then guess the request. */
function toQuestion(
  payment: Payment,
  { requestKey, purchaseKey }: PaymentAttempt,
  identifier: string | null,
): Question {
  const withIdentifier = (key: string) => `${key} ${identifier ?? ''}`
  return {
    payment,
    identifier,
    requestKey: withIdentifier(requestKey),
    purchaseKey: purchaseKey && withIdentifier(purchaseKey),
  }
}

function toReservation(question: Question): ReservationRequest {
  const { payment, requestKey, purchaseKey, identifier } = question
  const { id, fingerprint, validBefore, authorization, payload } = payment
  const { network, asset } = payload.accepted
  return {
    id,
    fingerprint,
    requestKey: digestRequestKey(payment, requestKey),
    ...(purchaseKey && { purchaseKey: digestRequestKey(payment, purchaseKey) }),
    payer: sha256(payment.payer.toLowerCase()),
    validBefore,
    amount: authorization.value,
    terms: paymentTermsId({ network, asset, payTo: authorization.to }),
    identifier,
  }
}

function toSettlementResponse(
  { payer, payload }: Payment,
  outcome: Pick<SettlementResponse, 'success' | 'transaction' | 'errorReason' | 'extensions'>,
): SettlementResponse {
  return { ...outcome, network: payload.accepted.network, payer }
}

/** Without the ledger a payment could be charged twice, so none is processed. */
function toLedgerProblem(error: unknown): Problem {
  if (error instanceof LedgerUnavailable) return { ...LEDGER_UNAVAILABLE, cause: error.message }
  throw error
}
