/** Everything that each operation can answer, with an example of each. */
import type { Operation } from '../operations/operation.js'
import type { GetPaymentOffer } from '../payments/payment-offer.js'
import type { ServiceInfo } from '../service-info.js'
import type { ProblemCase } from './problem-case.js'
import { problemCases } from './problem-cases.js'

export interface DocumentedResponses {
  /** To the operation's own example. */
  readonly result: object | undefined
  readonly problems: readonly ProblemCase[]
}

/** By the ids of the operations. */
export type DocumentedResponsesById = ReadonlyMap<string, DocumentedResponses>

export async function documentResponses(
  operations: readonly Operation[],
  service: ServiceInfo,
  results: ReadonlyMap<string, object>,
  offerFor: GetPaymentOffer,
): Promise<DocumentedResponsesById> {
  const answers = operations.map(async (operation) => {
    const problems = await problemCases(operation, service, offerFor)
    return [operation.id, { result: results.get(operation.id), problems }] as const
  })
  return new Map(await Promise.all(answers))
}
