/** The counter at which reports are sold: the order of judgement, the same for HTTP and MCP. */
import type { InvalidInput, Job, PaidOperation } from '../operations/operation.js'
import { type Bench, invalidInput, type Problem, perform } from '../operations/perform.js'
import { type Bargain, challenge, type Gate } from './gate.js'
import type { OfferFor } from './offers.js'
import type { Carrier } from './reasons.js'

export interface SaleLog {
  /** How a payment ended: `sold`, or the code of what came of it instead. */
  sale(line: SaleLine): void
}

interface SaleLine {
  readonly requestId: string
  readonly operation: string
  readonly outcome: string
  /** What ails whoever settles payments, for operators. */
  readonly cause: string | null
}

export interface CounterOptions {
  readonly gate: Gate
  readonly bench: Bench
  readonly isDraining: () => boolean
  readonly log: SaleLog
}

interface Customer {
  readonly operation: PaidOperation
  readonly job: Job | InvalidInput
  readonly offerFor: OfferFor
  /** As it came, decoded but not yet read; undefined when none was sent. */
  readonly payment: unknown
  readonly carrier: Carrier
  readonly requestId: string
  readonly signal: AbortSignal
}

export type Sell = (customer: Customer) => Promise<Bargain>

/** A sale that is begun now might be cut off between the money and the report. */
const CLOSING: Problem = {
  kind: 'problem',
  code: 'shutting_down',
  detail: 'Nothing was charged; send the same payment again, and another instance takes it.',
  charged: 'no',
  cause: 'draining',
}

export function createCounter({ gate, bench, isDraining, log }: CounterOptions): Sell {
  return async function sell({ operation, job, offerFor, payment, carrier, requestId, signal }) {
    if (job.kind === 'invalid' && !job.isMissing) return invalidInput(job)
    const offer = await offerFor(operation)
    if (payment === undefined) return challenge(offer, 'payment_required')
    if (job.kind === 'invalid') return invalidInput(job)
    if (isDraining()) return CLOSING

    const bargain = await gate({
      offer,
      payment,
      carrier,
      request: job.request,
      work: () => perform(job, bench, signal),
    })
    log.sale({ requestId, operation: operation.id, ...outcomeOf(bargain) })
    return bargain
  }
}

function outcomeOf(bargain: Bargain): Pick<SaleLine, 'outcome' | 'cause'> {
  if (bargain.kind === 'sold') return { outcome: 'sold', cause: null }
  if (bargain.kind === 'challenge') return { outcome: bargain.reason, cause: null }
  // Other causes may name a domain.
  const isOurs = bargain.code === 'facilitator_unavailable'
  return { outcome: bargain.code, cause: isOurs ? bargain.cause : null }
}
