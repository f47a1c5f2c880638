/** The parts of a request that take time, each with spans around what it does. */
import type { AbortableDns } from '@mailgrade/doh/dns'
import type { RunOperation } from '../operations/run-operation.js'
import type { Facilitator } from '../payments/facilitator.js'
import type { Ledger } from '../state/ledger.js'
import type { SpanRunner } from './spans.js'

/** The domain stays out of it: traces are kept elsewhere, and for longer than anything of ours. */
export function traceRunOperation(spans: SpanRunner, perform: RunOperation): RunOperation {
  return (job, visitor) =>
    spans.withSpan('report', () => perform(job, visitor), {
      finish: (outcome) =>
        outcome.kind === 'result'
          ? { attributes: { 'mailgrade.dns_queries': outcome.result.meta.dnsQueries } }
          : { attributes: { 'error.type': outcome.code } },
    })
}

export function traceDns(spans: SpanRunner, dns: AbortableDns): AbortableDns {
  const ask: AbortableDns['query'] = (name, type, signal) =>
    spans.withSpan('dns query', () => dns.query(name, type, signal), {
      attributes: { 'dns.question.type': type },
      finish: (answer) =>
        answer.kind === 'failed'
          ? { attributes: { 'error.type': answer.reason }, isError: true }
          : { attributes: { 'mailgrade.dns_answer': answer.kind } },
    })
  return { query: ask }
}

export function traceFacilitator(spans: SpanRunner, facilitator: Facilitator): Facilitator {
  return {
    ...facilitator,
    verify: (...args) =>
      spans.withSpan('verify payment', () => facilitator.verify(...args), {
        finish: ({ kind }) => ({
          attributes: { 'mailgrade.payment': kind },
          isError: kind === 'unavailable',
        }),
      }),
    settle: (...args) =>
      spans.withSpan('settle payment', () => facilitator.settle(...args), {
        finish: ({ kind }) => ({
          attributes: { 'mailgrade.payment': kind },
          isError: kind === 'unknown',
        }),
      }),
  }
}

export function traceLedger(spans: SpanRunner, ledger: Ledger): Ledger {
  return {
    ...ledger,
    reserve: (request) =>
      spans.withSpan('reserve payment', () => ledger.reserve(request), {
        finish: ({ kind }) => ({ attributes: { 'mailgrade.reservation': kind } }),
      }),
    prepare: (...args) => spans.withSpan('prepare report', () => ledger.prepare(...args)),
    complete: (...args) => spans.withSpan('complete payment', () => ledger.complete(...args)),
  }
}
