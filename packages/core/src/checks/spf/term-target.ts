/** The host that a term speaks of. */
import { MAX_DOMAIN_LENGTH, MAX_LABEL_LENGTH } from '../../names/name-limits.js'
import { expandDomainSpec } from './domain-spec.js'
import type { ActiveTerm } from './spf-record.js'

export type TermTarget =
  | { readonly kind: 'name'; readonly name: string }
  /** A macro makes it depend on who is sending. */
  | { readonly kind: 'dynamic' }
  /** No DNS name can look like this (RFC 1035 §2.3.4), so receivers do not ask for it. */
  | { readonly kind: 'malformed'; readonly name: string }

export function resolveTermTarget(
  term: ActiveTerm,
  reader: { readonly domain: string; readonly origin: string },
): TermTarget {
  if (!term.target) return { kind: 'name', name: reader.domain }
  // In the names of the port a backslash begins an escape; in a domain-spec it is a character.
  const name = expandDomainSpec(term.target, {
    ...reader,
    domain: reader.domain.replaceAll('\\\\', '\\'),
  })
  if (name === null) return { kind: 'dynamic' }
  const isName =
    name.length <= MAX_DOMAIN_LENGTH &&
    name.split('.').every((label) => label !== '' && label.length <= MAX_LABEL_LENGTH)
  return { kind: isName ? 'name' : 'malformed', name: name.replaceAll('\\', '\\\\') }
}
