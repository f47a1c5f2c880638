/** How a check ends: with a report, or with the reason why there can be none. */
import type { DnsAnswer, DnsQuery, Failed } from '@mailgrade/doh/dns'

/** One question that could not be answered makes a whole check unavailable: the rest would be a guess. */
export interface DnsUnavailable {
  readonly kind: 'unavailable'
  readonly query: DnsQuery
  readonly failure: Failed
}

export type CheckResult<Report> =
  | { readonly kind: 'report'; readonly report: Report }
  | { readonly kind: 'unknown-domain' }
  | DnsUnavailable

export function dnsUnavailable(
  name: string,
  type: DnsQuery['type'],
  failure: Failed,
): DnsUnavailable {
  return { kind: 'unavailable', query: { name, type }, failure }
}

/**
 * Whether the DNS says that a name does not exist. A dangling CNAME is also NXDOMAIN, but the name
 * that holds the CNAME exists (RFC 6604 §3).
 */
export function isNonexistent(answer: DnsAnswer): boolean {
  return answer.kind === 'nxdomain' && answer.cnames.length === 0
}
