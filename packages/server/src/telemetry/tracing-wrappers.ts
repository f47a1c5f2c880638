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
          ? { attributes: { 'mailgrade.dns_questions': outcome.result.meta.dnsQueries } }
          : { attributes: { 'error.type': outcome.code } },
    })
}

export function traceDns(spans: SpanRunner, dns: AbortableDns): AbortableDns {
  const ask: AbortableDns['query'] = (name, type, signal) =>
    spans.withSpan('dns question', () => dns.query(name, type, signal), {
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
    verify: (...sale) =>
      spans.withSpan('verify payment', () => facilitator.verify(...sale), {
        finish: ({ kind }) => ({
          attributes: { 'mailgrade.payment': kind },
          isError: kind === 'unavailable',
        }),
      }),
    settle: (...sale) =>
      spans.withSpan('settle payment', () => facilitator.settle(...sale), {
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
    reserve: (sale) =>
      spans.withSpan('claim payment', () => ledger.reserve(sale), {
        finish: ({ kind }) => ({ attributes: { 'mailgrade.claim': kind } }),
      }),
    prepare: (...report) => spans.withSpan('pledge report', () => ledger.prepare(...report)),
    complete: (...receipt) => spans.withSpan('close sale', () => ledger.complete(...receipt)),
  }
}
