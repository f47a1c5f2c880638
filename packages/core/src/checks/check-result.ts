/** How a check ends: with a report on its subject, or with the reason why there is none. */
import type { DnsAnswer, DnsQuery, Failed } from '@mailgrade/doh/dns'
import { type DomainName, toUnicodeDomain } from '../names/domain-name.js'

/** A failed query for something that the report needs: the rest would be a guess. */
export interface DnsUnavailable {
  readonly kind: 'unavailable'
  readonly query: DnsQuery
  readonly failure: Failed
}

interface UnknownDomain {
  readonly kind: 'unknown-domain'
}

export type CheckResult<Report> =
  | { readonly kind: 'report'; readonly report: Report }
  | UnknownDomain
  | DnsUnavailable

/** What a check discovers, before any finding. */
export type Discovery<Facts> =
  | { readonly kind: 'facts'; readonly facts: Facts }
  | UnknownDomain
  | DnsUnavailable

/** Turns discovered facts into a report. */
export function toCheckResult<Facts, Report>(
  discovery: Discovery<Facts>,
  buildReport: (facts: Facts) => Report,
): CheckResult<Report> {
  if (discovery.kind !== 'facts') return discovery
  return { kind: 'report', report: buildReport(discovery.facts) }
}

export function dnsUnavailable(
  name: string,
  type: DnsQuery['type'],
  failure: Failed,
): DnsUnavailable {
  return { kind: 'unavailable', query: { name, type }, failure }
}

/** The one way to tell a failed query from a value. */
export function isUnavailable(value: unknown): value is DnsUnavailable {
  return (
    typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'unavailable'
  )
}

/**
 * Whether the DNS says that a name does not exist. A dangling CNAME is also NXDOMAIN, but the name
 * that holds the CNAME exists (RFC 6604 §3).
 */
export function isNonexistent(answer: DnsAnswer): boolean {
  return answer.kind === 'nxdomain' && answer.cnames.length === 0
}

export interface ReportSubject {
  domain: string
  unicodeDomain?: string | undefined
}

export function toReportSubject(domain: DomainName): ReportSubject {
  const unicodeDomain = toUnicodeDomain(domain)
  return unicodeDomain ? { domain, unicodeDomain } : { domain }
}

/**
 * A report that begins with its subject. The spread comes last, because V8 takes a microsecond for
 * each property that is added after one.
 */
export function createReport<Fields extends object>(
  domain: DomainName,
  fields: Fields,
): ReportSubject & Fields {
  const unicodeDomain = toUnicodeDomain(domain)
  return unicodeDomain ? { domain, unicodeDomain, ...fields } : { domain, ...fields }
}

/** Adds the name that was asked for, if the report is about another one; see `parseDomainInput`. */
export function withRequestedName<Report extends ReportSubject>(
  report: Report,
  requested: DomainName | null,
): Report {
  if (requested === null) return report
  const { domain, unicodeDomain } = report
  const subject = { domain, ...(unicodeDomain && { unicodeDomain }), requested }
  // Spread first, so these are the first members of the JSON.
  return { ...subject, ...report }
}

/** No answer, or more answers than a report reads. */
export type Unavailability = 'no-answer' | 'over-limit'

export function unavailabilityOf(failures: readonly Pick<Failed, 'reason'>[]): Unavailability {
  return failures.some(({ reason }) => reason === 'budget') ? 'over-limit' : 'no-answer'
}
