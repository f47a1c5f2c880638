/**
 * Reserved names that cannot receive mail and must not be queried. `.test` and `.example` are
 * reserved too, but applications treat them like any other name (RFC 6761 §6.2, §6.5).
 */
import { createHostMatcher, type HostPattern } from './host-pattern.js'

interface SpecialUseDomain {
  readonly name: HostPattern
  readonly reference: string
}

const SPECIAL_USE_DOMAINS: readonly SpecialUseDomain[] = [
  { name: 'alt', reference: 'RFC 9476 §2' },
  { name: 'home.arpa', reference: 'RFC 8375 §4' },
  { name: 'invalid', reference: 'RFC 6761 §6.4' },
  { name: 'local', reference: 'RFC 6762 §3' },
  { name: 'localhost', reference: 'RFC 6761 §6.3' },
  { name: 'onion', reference: 'RFC 7686 §2' },
]

const findSpecialUse = createHostMatcher(SPECIAL_USE_DOMAINS, ({ name }) => [name])

export function isSpecialUseDomain(domain: string): boolean {
  return findSpecialUse(domain) !== null
}
