/** The counter at which reports are sold: the order of judgement, the same for HTTP and MCP. */
import type { InvalidInput, PaidOperation, PreparedRequest } from '../operations/operation.js'
import {
  invalidInputProblem,
  type RequestContext,
  type RunOperation,
} from '../operations/run-operation.js'
import type { GetPaymentOffer } from './offers.js'
import type { PaymentTransport } from './payment-error-reasons.js'
import { type PaymentFlow, type PaymentResult, requirePayment } from './payment-flow.js'
import { SHUTTING_DOWN, TOO_MANY_PAYMENTS } from './payment-problems.js'

export interface PaymentLog {
  /** How a payment ended. */
  payment(line: SaleLine): void
}

interface SaleLine {
  readonly requestId: string
  readonly operation: string
  /** `sold`; `redelivered`, when it had been sold before; or the code of what came of it instead. */
  readonly outcome: string
  /** What it earned, in US dollars. */
  readonly usd: number
  readonly durationMs: number
  /** What ails whoever settles payments, for operators. */
  readonly cause: string | null
}

export interface PaidRequestHandlerOptions {
  readonly paymentFlow: PaymentFlow
  readonly runOperation: RunOperation
  /** Resolves to what ends the sale, or to null when too many are under way. */
  readonly acquirePaymentSlot: (caller: string, signal: AbortSignal) => Promise<(() => void) | null>
  readonly isDraining: () => boolean
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly log: PaymentLog
}

interface Customer {
  readonly operation: PaidOperation
  readonly job: PreparedRequest | InvalidInput
  readonly offerFor: GetPaymentOffer
  /** As it came, decoded but not yet read; undefined when none was sent. */
  readonly payment: unknown
  readonly carrier: PaymentTransport
  readonly visitor: RequestContext
}

export type HandlePaidRequest = (customer: Customer) => Promise<PaymentResult>

export function createPaidRequestHandler(options: PaidRequestHandlerOptions): HandlePaidRequest {
  const { paymentFlow, runOperation, acquirePaymentSlot, isDraining, now, log } = options

  return async function sell({ operation, job, offerFor, payment, carrier, visitor }) {
    if (job.kind === 'invalid' && !job.isMissing) return invalidInputProblem(job)
    const offer = await offerFor(operation)
    if (payment === undefined) return requirePayment(offer, 'payment_required')
    if (job.kind === 'invalid') return invalidInputProblem(job)
    if (isDraining()) return SHUTTING_DOWN

    const startedAt = now()
    const work = () => runOperation(job, visitor)
    const tell = (ending: Ending) =>
      log.payment({
        requestId: visitor.requestId,
        operation: operation.id,
        ...ending,
        durationMs: Math.round(now() - startedAt),
      })
    try {
      const bargain = await whileOpen(visitor, () =>
        paymentFlow({ offer, payment, carrier, request: job.requestKey, work }),
      )
      tell(outcomeOf(bargain, Number(operation.price)))
      return bargain
    } catch (fault) {
      tell({ outcome: 'internal', usd: 0, cause: 'fault' })
      throw fault
    }
  }

  /** So many sales at once that what they hold in memory stays small. */
  async function whileOpen({ caller, signal }: RequestContext, deal: () => Promise<PaymentResult>) {
    const end = await acquirePaymentSlot(caller, signal)
    return end ? deal().finally(end) : TOO_MANY_PAYMENTS
  }
}

type Ending = Pick<SaleLine, 'outcome' | 'usd' | 'cause'>

function outcomeOf(bargain: PaymentResult, price: number): Ending {
  const unpaid = { usd: 0, cause: null }
  if (bargain.kind === 'challenge') return { ...unpaid, outcome: bargain.reason }
  if (bargain.kind === 'sold') {
    return bargain.isRedelivery
      ? { ...unpaid, outcome: 'redelivered' }
      : { ...unpaid, outcome: 'sold', usd: price }
  }
  // Other causes may name a domain.
  const isOurs = ['facilitator_unavailable', 'ledger_unavailable'].includes(bargain.code)
  return { ...unpaid, outcome: bargain.code, cause: isOurs ? bargain.cause : null }
}
