/** How a check ends: with a report, or with the reason why there can be none. */
import type { Answer, Failed, Question } from '@mailgrade/doh/dns'

/** One question that could not be answered makes a whole check unavailable: the rest would be a guess. */
export interface Unavailable {
  readonly kind: 'unavailable'
  readonly question: Question
  readonly failure: Failed
}

export type Checked<Report> =
  | { readonly kind: 'report'; readonly report: Report }
  | { readonly kind: 'unknown-domain' }
  | Unavailable

export function unavailable(name: string, type: Question['type'], failure: Failed): Unavailable {
  return { kind: 'unavailable', question: { name, type }, failure }
}

/**
 * Whether the DNS says that a name does not exist. A dangling CNAME is also NXDOMAIN, but the name
 * that holds the CNAME exists (RFC 6604 §3).
 */
export function doesNotExist(answer: Answer): boolean {
  return answer.kind === 'nxdomain' && answer.cnames.length === 0
}
