/** What an answer says of the DNS, apart from who said it: comparable between servers. */
import type { Answer, FailureReason } from '../../src/dns.js'

export interface Essence {
  readonly kind: Answer['kind']
  readonly cnames: readonly string[]
  /** Sorted, since servers rotate them. */
  readonly records?: readonly unknown[]
  readonly reason?: FailureReason
}

export function essenceOf(answer: Answer): Essence {
  switch (answer.kind) {
    case 'records':
      return found(answer.records, answer.cnames)
    case 'failed':
      return failed(answer.reason, answer.cnames)
    default:
      return { kind: answer.kind, cnames: answer.cnames }
  }
}

export function found(records: readonly unknown[], cnames: readonly string[] = []): Essence {
  return { kind: 'records', cnames, records: [...records].sort(byText) }
}

export function nodata(...cnames: string[]): Essence {
  return { kind: 'nodata', cnames }
}

export function nxdomain(...cnames: string[]): Essence {
  return { kind: 'nxdomain', cnames }
}

export function failed(reason: FailureReason, cnames: readonly string[] = []): Essence {
  return { kind: 'failed', cnames, reason }
}

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1
}
