/** Every way in which a request for an operation can end without a result, in the code's own words. */

import { internalProblem } from '../operations/internal-problem.js'
import { isPaid, type Operation } from '../operations/operation.js'
import { OVERLOADED } from '../operations/queued.js'
import { rateLimitedProblem } from '../operations/rate-limited.js'
import { REJECTED_REQUEST_DETAILS } from '../operations/refusals.js'
import type { Problem } from '../operations/run-operation.js'
import type { GetPaymentOffer } from '../payments/payment-offer.js'
import { notCharged } from '../payments/payment-problems.js'
import type { ServiceInfo } from '../service-info.js'
import { lookupProblemCases } from './lookup-problem-cases.js'
import { RATE_LIMIT_HEADERS } from './openapi-headers.js'
import { paymentProblemCases } from './payment-problem-cases.js'
import { type ProblemCase, problemCase } from './problem-case.js'

export async function problemCases(
  operation: Operation,
  service: ServiceInfo,
  offerFor: GetPaymentOffer,
): Promise<ProblemCase[]> {
  return [
    ...(isPaid(operation)
      ? [
          ...(await lookupProblemCases(operation, [])).map(unlessRefused),
          ...paymentProblemCases(await offerFor(operation)),
          problemCase(notCharged(OVERLOADED), ['Retry-After']),
        ]
      : [...(await lookupProblemCases(operation, RATE_LIMIT_HEADERS)), ...freeCases(service)]),
    ...refusalCases(),
  ]
}

/** What cannot be used is told before anybody looks at the payment. */
function unlessRefused(it: ProblemCase): ProblemCase {
  return it.problem.code === 'invalid_input' ? it : { ...it, problem: notCharged(it.problem) }
}

function freeCases(service: ServiceInfo): ProblemCase[] {
  // Whoever asks for everything at once waits for the whole of the window.
  const refusal = rateLimitedProblem(service, service.windowSeconds)
  const waiting = [...RATE_LIMIT_HEADERS, 'Retry-After'] as const
  return [
    problemCase(refusal, waiting),
    problemCase(OVERLOADED, waiting),
    problemCase(internalProblem(false), RATE_LIMIT_HEADERS),
  ]
}

function refusalCases(): ProblemCase[] {
  const codes = Object.keys(REJECTED_REQUEST_DETAILS) as (keyof typeof REJECTED_REQUEST_DETAILS)[]
  return codes.map((code) => {
    const problem: Problem = {
      kind: 'problem',
      code,
      detail: REJECTED_REQUEST_DETAILS[code],
      cause: code,
    }
    return problemCase(problem)
  })
}
