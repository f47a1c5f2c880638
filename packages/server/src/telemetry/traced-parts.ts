/** The parts of a request that take time, each with spans around what it does. */
import type { AbortableDns } from '@mailgrade/doh/dns'
import type { Perform } from '../operations/perform.js'
import type { Facilitator } from '../payments/facilitator.js'
import type { Ledger } from '../state/ledger.js'
import type { Spans } from './spans.js'

/** The domain stays out of it: traces are kept elsewhere, and for longer than anything of ours. */
export function tracedPerform(spans: Spans, perform: Perform): Perform {
  return (job, visitor) =>
    spans.within('report', () => perform(job, visitor), {
      finish: (outcome) =>
        outcome.kind === 'result'
          ? { attributes: { 'mailgrade.dns_questions': outcome.result.meta.dnsQueries } }
          : { attributes: { 'error.type': outcome.code } },
    })
}

export function tracedDns(spans: Spans, dns: AbortableDns): AbortableDns {
  const ask: AbortableDns['ask'] = (name, type, signal) =>
    spans.within('dns question', () => dns.ask(name, type, signal), {
      attributes: { 'dns.question.type': type },
      finish: (answer) =>
        answer.kind === 'failed'
          ? { attributes: { 'error.type': answer.reason }, isError: true }
          : { attributes: { 'mailgrade.dns_answer': answer.kind } },
    })
  return { ask }
}

export function tracedFacilitator(spans: Spans, facilitator: Facilitator): Facilitator {
  return {
    ...facilitator,
    verify: (...sale) =>
      spans.within('verify payment', () => facilitator.verify(...sale), {
        finish: ({ kind }) => ({
          attributes: { 'mailgrade.payment': kind },
          isError: kind === 'unavailable',
        }),
      }),
    settle: (...sale) =>
      spans.within('settle payment', () => facilitator.settle(...sale), {
        finish: ({ kind }) => ({
          attributes: { 'mailgrade.payment': kind },
          isError: kind === 'unknown',
        }),
      }),
  }
}

export function tracedLedger(spans: Spans, ledger: Ledger): Ledger {
  return {
    ...ledger,
    claim: (sale) =>
      spans.within('claim payment', () => ledger.claim(sale), {
        finish: ({ kind }) => ({ attributes: { 'mailgrade.claim': kind } }),
      }),
    pledge: (...report) => spans.within('pledge report', () => ledger.pledge(...report)),
    close: (...receipt) => spans.within('close sale', () => ledger.close(...receipt)),
  }
}
