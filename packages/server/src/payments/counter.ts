/** The counter at which reports are sold: the order of judgement, the same for HTTP and MCP. */
import type { InvalidInput, Job, PaidOperation } from '../operations/operation.js'
import { invalidInput, type Perform, type Problem, type Visitor } from '../operations/perform.js'
import { type Bargain, challenge, type Gate } from './gate.js'
import type { OfferFor } from './offers.js'
import type { Carrier } from './reasons.js'
import { FULL } from './setbacks.js'

export interface SaleLog {
  /** How a payment ended. */
  sale(line: SaleLine): void
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

export interface CounterOptions {
  readonly gate: Gate
  readonly perform: Perform
  /** Resolves to what ends the sale, or to null when too many are under way. */
  readonly beginSale: (caller: string, signal: AbortSignal) => Promise<(() => void) | null>
  readonly isDraining: () => boolean
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly log: SaleLog
}

interface Customer {
  readonly operation: PaidOperation
  readonly job: Job | InvalidInput
  readonly offerFor: OfferFor
  /** As it came, decoded but not yet read; undefined when none was sent. */
  readonly payment: unknown
  readonly carrier: Carrier
  readonly visitor: Visitor
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

export function createCounter(options: CounterOptions): Sell {
  const { gate, perform, beginSale, isDraining, now, log } = options

  return async function sell({ operation, job, offerFor, payment, carrier, visitor }) {
    if (job.kind === 'invalid' && !job.isMissing) return invalidInput(job)
    const offer = await offerFor(operation)
    if (payment === undefined) return challenge(offer, 'payment_required')
    if (job.kind === 'invalid') return invalidInput(job)
    if (isDraining()) return CLOSING

    const startedAt = now()
    const work = () => perform(job, visitor)
    const tell = (ending: Ending) =>
      log.sale({
        requestId: visitor.requestId,
        operation: operation.id,
        ...ending,
        durationMs: Math.round(now() - startedAt),
      })
    try {
      const bargain = await whileOpen(visitor, () =>
        gate({ offer, payment, carrier, request: job.request, work }),
      )
      tell(outcomeOf(bargain, Number(operation.price)))
      return bargain
    } catch (fault) {
      tell({ outcome: 'internal', usd: 0, cause: 'fault' })
      throw fault
    }
  }

  /** So many sales at once that what they hold in memory stays small. */
  async function whileOpen({ caller, signal }: Visitor, deal: () => Promise<Bargain>) {
    const end = await beginSale(caller, signal)
    return end ? deal().finally(end) : FULL
  }
}

type Ending = Pick<SaleLine, 'outcome' | 'usd' | 'cause'>

function outcomeOf(bargain: Bargain, price: number): Ending {
  const unpaid = { usd: 0, cause: null }
  if (bargain.kind === 'challenge') return { ...unpaid, outcome: bargain.reason }
  if (bargain.kind === 'sold') {
    return bargain.isAgain
      ? { ...unpaid, outcome: 'redelivered' }
      : { ...unpaid, outcome: 'sold', usd: price }
  }
  // Other causes may name a domain.
  const isOurs = ['facilitator_unavailable', 'ledger_unavailable'].includes(bargain.code)
  return { ...unpaid, outcome: bargain.code, cause: isOurs ? bargain.cause : null }
}
