/** What stands after the @, where it is a name: RFC 5321 §4.1.2 Domain, or in its own script. */
import { type AddressRefusal, refuseAddress } from './address-refusals.js'
import { type DomainName, domainNameOf } from './domain-name.js'
import { hostProblem, NOT_FOR_MAIL } from './host-problem.js'
import { shownUnlessSecret } from './shown.js'
import { labelsOf, toALabels } from './uts46.js'

interface MailDomain {
  readonly kind: 'domain'
  readonly domain: DomainName
}

export function parseMailDomain(text: string): MailDomain | AddressRefusal {
  const labels = labelsOf(text)
  // Unlike a name in the DNS, a Domain has no dot for the root.
  if (labels.length > 1 && labels.join('.').length < text.length) {
    return refuseAddress('domain_final_dot')
  }
  const reason = hostProblem(asIfPublic(labels), shownUnlessSecret(text, text))
  if (reason !== null) return { kind: 'refused', code: 'bad_domain', reason }
  return { kind: 'domain', domain: domainNameOf(text) }
}

/**
 * Under a top-level domain of the public DNS, so that only what is written badly is refused: a name
 * that is set aside is written well, and an address at it can be judged.
 */
function asIfPublic(labels: readonly string[]): string {
  const isSetAside = NOT_FOR_MAIL.has(toALabels(labels.at(-1) ?? '') ?? '')
  return (isSetAside ? [...labels.slice(0, -1), 'test'] : labels).join('.')
}
