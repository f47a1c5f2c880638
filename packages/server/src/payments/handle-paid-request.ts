/** Handles a request for a paid operation, in the same order for HTTP and MCP. */
import type { InvalidInput, PaidOperation, PreparedRequest } from '@mailgrade/operations/operation'
import {
  invalidInputProblem,
  type RequestContext,
  type RunOperation,
} from '@mailgrade/operations/run-operation'
import { type PaymentFlow, type PaymentResult, requirePayment } from './payment-flow.js'
import type { GetPaymentOffer } from './payment-offer.js'
import { type PaymentTransport, SHUTTING_DOWN, tooManyPayments } from './payment-problems.js'

export interface PaymentLog {
  payment(line: PaymentLogLine): void
}

interface PaymentLogLine {
  readonly requestId: string
  readonly operation: string
  /** `delivered`, `redelivered` (paid for by an earlier request), or a problem or reason code. */
  readonly outcome: string
  /** Revenue in US dollars. */
  readonly usd: number
  /** The digest of the payment, as in the ledger; null unless it was delivered. */
  readonly reference: string | null
  /** The hash of the transaction that paid. */
  readonly transaction: string | null
  readonly durationMs: number
  /** Why the facilitator or the ledger failed, for operators. */
  readonly cause: string | null
}

export interface PaidRequestHandlerOptions {
  readonly paymentFlow: PaymentFlow
  readonly runOperation: RunOperation
  /** Resolves to a function that releases the slot, or to null if there is none. */
  readonly acquirePaymentSlot: (caller: string, signal: AbortSignal) => Promise<(() => void) | null>
  readonly isDraining: () => boolean
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly log: PaymentLog
}

export interface PaidRequestContext extends RequestContext {
  /** Runs `act` when the whole response was written, and never if the caller was gone. */
  readonly onSent: (act: () => void) => void
}

interface PaidRequest {
  readonly operation: PaidOperation
  readonly prepared: PreparedRequest | InvalidInput
  readonly getOffer: GetPaymentOffer
  /** Decoded but not validated; undefined if none was sent. */
  readonly payment: unknown
  /** A payment of x402 version 1 was sent. */
  readonly isVersion1?: boolean
  readonly transport: PaymentTransport
  readonly context: PaidRequestContext
}

export type HandlePaidRequest = (request: PaidRequest) => Promise<PaymentResult>

export function createPaidRequestHandler(options: PaidRequestHandlerOptions): HandlePaidRequest {
  const { paymentFlow, runOperation, acquirePaymentSlot, isDraining, now, log } = options

  return async function handlePaidRequest(request) {
    const { operation, prepared, getOffer, payment, isVersion1, transport, context } = request
    if (prepared.kind === 'invalid' && !prepared.isMissing) return invalidInputProblem(prepared)
    const offer = await getOffer(operation)
    if (payment === undefined) {
      return requirePayment(offer, isVersion1 ? 'unsupported_version' : 'payment_required')
    }
    if (prepared.kind === 'invalid') return invalidInputProblem(prepared)
    if (isDraining()) return SHUTTING_DOWN

    const startedAt = now()
    const logPayment = (outcome: PaymentLogOutcome) =>
      log.payment({
        requestId: context.requestId,
        operation: operation.id,
        ...outcome,
        durationMs: Math.round(now() - startedAt),
      })
    try {
      const result = await withPaymentSlot(context, () =>
        paymentFlow({
          offer,
          payment,
          transport,
          requestKey: prepared.requestKey(),
          purchaseKey: prepared.purchaseKey(),
          caller: context.caller(),
          onSent: context.onSent,
          runOperation: () => runOperation(prepared, context),
        }),
      )
      logPayment(toLogOutcome(result, Number(operation.price)))
      return result
    } catch (error) {
      logPayment({ ...UNSOLD, outcome: 'internal', cause: 'fault' })
      throw error
    }
  }

  /** Bounds the memory that payments in progress hold. */
  async function withPaymentSlot(
    { caller, signal }: RequestContext,
    processPayment: () => Promise<PaymentResult>,
  ): Promise<PaymentResult> {
    const release = await acquirePaymentSlot(caller(), signal())
    return release ? processPayment().finally(release) : tooManyPayments('in progress')
  }
}

type PaymentLogOutcome = Pick<
  PaymentLogLine,
  'outcome' | 'usd' | 'reference' | 'transaction' | 'cause'
>

const UNSOLD = { usd: 0, reference: null, transaction: null, cause: null }

function toLogOutcome(result: PaymentResult, price: number): PaymentLogOutcome {
  if (result.kind === 'paymentRequired') return { ...UNSOLD, outcome: result.reason }
  if (result.kind === 'delivered') {
    const { reference, settlement, isRedelivery } = result
    const sale = { ...UNSOLD, reference, transaction: settlement.transaction }
    return isRedelivery
      ? { ...sale, outcome: 'redelivered' }
      : { ...sale, outcome: 'delivered', usd: price }
  }
  // Other causes may name a domain, which does not belong in this log.
  const isOurs = ['facilitator_unavailable', 'ledger_unavailable'].includes(result.code)
  return { ...UNSOLD, outcome: result.code, cause: isOurs ? result.cause : null }
}
