/** How a request for an operation can end, besides with its result. */
import { isPaid, type Operation } from './operation.js'
import type { ProblemCode } from './problems.js'

const FREE: readonly ProblemCode[] = [
  'invalid_input',
  'unknown_domain',
  'rate_limited',
  'internal',
  'dns_unavailable',
  'dns_timeout',
]

const PAID: readonly ProblemCode[] = [
  'invalid_input',
  'malformed_payment',
  'payment_required',
  'unknown_domain',
  'report_not_ready',
  'internal',
  'dns_unavailable',
  'facilitator_unavailable',
  'overloaded',
  'dns_timeout',
]

export function problemsOf(operation: Operation): readonly ProblemCode[] {
  const all = isPaid(operation) ? PAID : FREE
  return operation.answersUnknownDomains ? all.filter((code) => code !== 'unknown_domain') : all
}
