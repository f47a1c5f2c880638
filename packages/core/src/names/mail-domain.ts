/** What stands after the @, where it is a name: RFC 5321 §4.1.2 Domain, or in its own script. */

import { type DomainName, toDomainName } from './domain-name.js'
import { findHostProblem, NON_MAIL_TLDS } from './host-problem.js'
import { type InvalidAddress, invalidAddress } from './invalid-address.js'
import { quoteUnlessSecret } from './quote-input.js'
import { splitDomainLabels, toALabels } from './uts46.js'

interface MailDomain {
  readonly kind: 'domain'
  readonly domain: DomainName
}

export function parseMailDomain(text: string): MailDomain | InvalidAddress {
  const labels = splitDomainLabels(text)
  // Unlike a name in the DNS, a Domain has no dot for the root.
  if (labels.length > 1 && labels.join('.').length < text.length) {
    return invalidAddress('domain_final_dot')
  }
  const reason = findHostProblem(asIfPublic(labels), quoteUnlessSecret(text, text))
  if (reason !== null) return { kind: 'refused', code: 'bad_domain', reason }
  return { kind: 'domain', domain: toDomainName(text) }
}

/**
 * Under a top-level domain of the public DNS, so that only what is written badly is refused: a name
 * that is set aside is written well, and an address at it can be judged.
 */
function asIfPublic(labels: readonly string[]): string {
  const isSetAside = NON_MAIL_TLDS.has(toALabels(labels.at(-1) ?? '') ?? '')
  return (isSetAside ? [...labels.slice(0, -1), 'test'] : labels).join('.')
}
