/** The part of an answer that is the same for every server. */
import type { DnsAnswer, FailureReason } from '../../src/dns.js'

export interface ComparableAnswer {
  readonly kind: DnsAnswer['kind']
  readonly cnames: readonly string[]
  /** Sorted, because servers rotate them. */
  readonly records?: readonly unknown[]
  readonly reason?: FailureReason
}

export function toComparableAnswer(answer: DnsAnswer): ComparableAnswer {
  switch (answer.kind) {
    case 'records':
      return recordsAnswer(answer.records, answer.cnames)
    case 'failed':
      return failedAnswer(answer.reason, answer.cnames)
    default:
      return { kind: answer.kind, cnames: answer.cnames }
  }
}

export function recordsAnswer(
  records: readonly unknown[],
  cnames: readonly string[] = [],
): ComparableAnswer {
  return { kind: 'records', cnames, records: [...records].sort(byText) }
}

export function nodataAnswer(...cnames: string[]): ComparableAnswer {
  return { kind: 'nodata', cnames }
}

export function nxdomainAnswer(...cnames: string[]): ComparableAnswer {
  return { kind: 'nxdomain', cnames }
}

export function failedAnswer(
  reason: FailureReason,
  cnames: readonly string[] = [],
): ComparableAnswer {
  return { kind: 'failed', cnames, reason }
}

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1
}
