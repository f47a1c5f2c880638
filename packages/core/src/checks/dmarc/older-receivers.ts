/** The second opinion: what receivers make of it that still go by RFC 7489 and a public suffix list. */
import { registrableDomain } from '../../names/registrable-domain.js'
import type { Policy } from './dmarc-record.js'
import { olderPoliciesOf } from './policies.js'
import type { Stations } from './tree-walk.js'

export interface OlderAnswer {
  readonly organizationalDomain: string
  /** Where the record stands that they apply. */
  readonly recordName: string | null
  readonly policy: Policy | null
}

/** RFC 7489 §3.2 names the list but none of its parts, and receivers load the whole file. */
export const olderOrganizationalDomain = registrableDomain

/** RFC 7489 §6.6.3; null when a question that it needs was not answered. */
export function olderAnswer(domain: string, visited: Stations): OlderAnswer | null {
  const organization = olderOrganizationalDomain(domain)
  const own = visited.get(domain)
  if (!own || 'kind' in own) return null
  const station = own.records.length > 0 ? own : visited.get(organization)
  if (!station || 'kind' in station) return null
  const [record, ...others] = station.records
  // Several records end the search there and then; the tree walk goes on.
  const policies = record && others.length === 0 ? olderPoliciesOf(record) : null
  if (!policies) return { organizationalDomain: organization, recordName: null, policy: null }
  const policy = station.domain === domain ? policies.domain : policies.subdomains
  return { organizationalDomain: organization, recordName: station.name, policy }
}
