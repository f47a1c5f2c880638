/** Handles a request for a paid operation, in the same order for HTTP and MCP. */
import type { InvalidInput, PaidOperation, PreparedRequest } from '../operations/operation.js'
import {
  invalidInputProblem,
  type RequestContext,
  type RunOperation,
} from '../operations/run-operation.js'
import { type PaymentFlow, type PaymentResult, requirePayment } from './payment-flow.js'
import type { GetPaymentOffer } from './payment-offer.js'
import { type PaymentTransport, SHUTTING_DOWN, TOO_MANY_PAYMENTS } from './payment-problems.js'

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

interface PaidRequest {
  readonly operation: PaidOperation
  readonly prepared: PreparedRequest | InvalidInput
  readonly getOffer: GetPaymentOffer
  /** Decoded but not validated; undefined if none was sent. */
  readonly payment: unknown
  readonly transport: PaymentTransport
  readonly context: RequestContext
}

export type HandlePaidRequest = (request: PaidRequest) => Promise<PaymentResult>

export function createPaidRequestHandler(options: PaidRequestHandlerOptions): HandlePaidRequest {
  const { paymentFlow, runOperation, acquirePaymentSlot, isDraining, now, log } = options

  return async function handlePaidRequest(request) {
    const { operation, prepared, getOffer, payment, transport, context } = request
    if (prepared.kind === 'invalid' && !prepared.isMissing) return invalidInputProblem(prepared)
    const offer = await getOffer(operation)
    if (payment === undefined) return requirePayment(offer, 'payment_required')
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
          runOperation: () => runOperation(prepared, context),
        }),
      )
      logPayment(toLogOutcome(result, Number(operation.price)))
      return result
    } catch (error) {
      logPayment({ outcome: 'internal', usd: 0, cause: 'fault' })
      throw error
    }
  }

  /** Bounds the memory that payments in progress hold. */
  async function withPaymentSlot(
    { caller, signal }: RequestContext,
    processPayment: () => Promise<PaymentResult>,
  ): Promise<PaymentResult> {
    const release = await acquirePaymentSlot(caller(), signal())
    return release ? processPayment().finally(release) : TOO_MANY_PAYMENTS
  }
}

type PaymentLogOutcome = Pick<PaymentLogLine, 'outcome' | 'usd' | 'cause'>

function toLogOutcome(result: PaymentResult, price: number): PaymentLogOutcome {
  const unpaid = { usd: 0, cause: null }
  if (result.kind === 'paymentRequired') return { ...unpaid, outcome: result.reason }
  if (result.kind === 'delivered') {
    return result.isRedelivery
      ? { ...unpaid, outcome: 'redelivered' }
      : { ...unpaid, outcome: 'delivered', usd: price }
  }
  // Other causes may name a domain, which does not belong in this log.
  const isOurs = ['facilitator_unavailable', 'ledger_unavailable'].includes(result.code)
  return { ...unpaid, outcome: result.code, cause: isOurs ? result.cause : null }
}
