/** Parses a domain name, or says why it is invalid. */
import { extractHost } from './extract-host.js'
import { findHostProblem } from './host-problem.js'
import { splitDomainLabels, toALabels, toULabels } from './uts46.js'

declare const brand: unique symbol

/** Lower-case A-labels without a trailing dot. Only `toDomainName` creates one. */
export type DomainName = string & { readonly [brand]: true }

export type ParsedDomain =
  | { readonly kind: 'domain'; readonly domain: DomainName }
  /** A sentence for the person who entered the text; it contains no secret. */
  | { readonly kind: 'refused'; readonly reason: string }

/** Accepts a domain, or an email address or URL at that domain. */
export function parseDomain(text: string): ParsedDomain {
  const found = extractHost(text)
  if (found.kind === 'refused') return found
  const reason = findHostProblem(found.host, found.shown)
  if (reason !== null) return { kind: 'refused', reason }
  return { kind: 'domain', domain: toDomainName(found.host) }
}

/** For a host without a problem, see `findHostProblem`. */
export function toDomainName(host: string): DomainName {
  return splitDomainLabels(toALabels(host) ?? '').join('.') as DomainName
}

/** The name in its own script, or null when it is plain ASCII. */
export function toUnicodeDomain(domain: DomainName): string | null {
  const unicode = toULabels(domain)
  return unicode === domain ? null : unicode
}
