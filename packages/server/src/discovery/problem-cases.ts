/** Every way in which a request for an operation can end without a result, in the code's own words. */
import { isPaid, type Operation } from '../operations/operation.js'
import type { Problem } from '../operations/perform.js'
import { NO_PLACE } from '../operations/queued.js'
import { rateLimited } from '../operations/rate-limited.js'
import { REFUSALS } from '../operations/refusals.js'
import type { OfferFor } from '../payments/offers.js'
import type { ServiceInfo } from '../payments/service-info.js'
import { fault, uncharged } from '../payments/setbacks.js'
import { LIMIT_HEADERS } from './headers.js'
import { caseOf, type ProblemCase } from './problem-case.js'
import { lookupCases } from './problem-lookups.js'
import { saleCases } from './problem-sales.js'

export async function problemCases(
  operation: Operation,
  service: ServiceInfo,
  offerFor: OfferFor,
): Promise<ProblemCase[]> {
  return [
    ...(isPaid(operation)
      ? [
          ...(await lookupCases(operation, [])).map(unlessRefused),
          ...(await saleCases(operation, await offerFor(operation))),
          caseOf(uncharged(NO_PLACE), ['Retry-After']),
        ]
      : [...(await lookupCases(operation, LIMIT_HEADERS)), ...freeCases(service)]),
    ...refusalCases(),
  ]
}

/** What cannot be used is told before anybody looks at the payment. */
function unlessRefused(it: ProblemCase): ProblemCase {
  return it.problem.code === 'invalid_input' ? it : { ...it, problem: uncharged(it.problem) }
}

function freeCases(service: ServiceInfo): ProblemCase[] {
  // Whoever asks for everything at once waits for the whole of the window.
  const refusal = rateLimited(service, service.windowSeconds)
  const waiting = [...LIMIT_HEADERS, 'Retry-After'] as const
  return [caseOf(refusal, waiting), caseOf(NO_PLACE, waiting), caseOf(fault(false), LIMIT_HEADERS)]
}

function refusalCases(): ProblemCase[] {
  const codes = Object.keys(REFUSALS) as (keyof typeof REFUSALS)[]
  return codes.map((code) => {
    const problem: Problem = { kind: 'problem', code, detail: REFUSALS[code], cause: code }
    return caseOf(problem)
  })
}
