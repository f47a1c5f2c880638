/** How a sale can fail, as the counter, the gate and the offers word it. */
import type { PaidOperation } from '../operations/operation.js'
import type { Problem } from '../operations/perform.js'
import { createCounter } from '../payments/counter.js'
import { type Challenge, challenge } from '../payments/gate.js'
import { HEADER } from '../payments/header-carrier.js'
import type { Offer } from '../payments/offer.js'
import { sentenceFor } from '../payments/reasons.js'
import {
  BUSY,
  FULL,
  fault,
  malformed,
  NO_LEDGER,
  unsettled,
  unverified,
} from '../payments/setbacks.js'
import { REQUEST_ID, STILL } from './examples.js'
import type { HeaderName } from './headers.js'
import { caseOf, type ProblemCase } from './problem-case.js'

const RETRY: readonly HeaderName[] = ['Retry-After']

export async function saleCases(operation: PaidOperation, offer: Offer): Promise<ProblemCase[]> {
  return [
    caseOf(malformed(HEADER)),
    unsold(challenge(offer, 'payment_required'), ['PAYMENT-REQUIRED'], 'No payment was sent'),
    unsold(
      challenge(offer, 'insufficient_funds'),
      ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE'],
      'The payment that was sent could not be settled',
    ),
    caseOf(BUSY, RETRY, {
      name: 'waiting',
      summary: 'The same payment is at work in another request',
    }),
    caseOf(fault(true)),
    caseOf(unverified(''), RETRY, {
      name: 'not_verified',
      summary: 'The payment could not be checked',
    }),
    caseOf(unsettled(''), RETRY, {
      name: 'not_settled',
      summary: 'Nobody knows yet whether the payment was settled',
    }),
    caseOf(FULL, RETRY, { name: 'too_many_sales', summary: 'Too many sales are under way' }),
    caseOf(NO_LEDGER, RETRY),
    caseOf(await closingOf(operation, offer)),
  ]
}

function unsold(
  { reason, required }: Challenge,
  headers: readonly HeaderName[],
  summary: string,
): ProblemCase {
  const detail = sentenceFor(reason, HEADER)
  const problem: Problem = { kind: 'problem', code: 'payment_required', detail, cause: reason }
  return caseOf(problem, headers, { name: reason, summary, more: required })
}

/** What a counter says that is about to close. */
async function closingOf(operation: PaidOperation, offer: Offer): Promise<Problem> {
  const unreachable = () => {
    throw new Error(`${operation.id}: a closing counter sells nothing`)
  }
  const sell = createCounter({
    gate: unreachable,
    perform: unreachable,
    beginSale: unreachable,
    isDraining: () => true,
    now: STILL.now,
    log: { sale: unreachable },
  })
  const bargain = await sell({
    operation,
    job: operation.prepare(operation.example),
    offerFor: async () => offer,
    payment: {},
    carrier: HEADER,
    visitor: { requestId: REQUEST_ID, caller: '', signal: new AbortController().signal },
  })
  if (bargain.kind !== 'problem') throw new Error(`${operation.id}: ${bargain.kind}`)
  return bargain
}
