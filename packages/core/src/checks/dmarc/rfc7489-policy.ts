/** The second opinion: what receivers make of it that still go by RFC 7489 and a public suffix list. */
import { registrableDomain } from '../../names/registrable-domain.js'
import { parseRfc7489Policies } from './dmarc-policies.js'
import type { DmarcPolicy } from './dmarc-record.js'
import type { QueriedSteps } from './tree-walk.js'

export interface Rfc7489Policy {
  readonly organizationalDomain: string
  /** Where the record stands that they apply. */
  readonly recordName: string | null
  readonly policy: DmarcPolicy | null
}

/** RFC 7489 §3.2 names the list but none of its parts, and receivers load the whole file. */
export const rfc7489OrganizationalDomain = registrableDomain

/** RFC 7489 §6.6.3; null when a question that it needs was not answered. */
export function findRfc7489Policy(domain: string, visited: QueriedSteps): Rfc7489Policy | null {
  const organization = rfc7489OrganizationalDomain(domain)
  const own = visited.get(domain)
  if (!own || 'kind' in own) return null
  const station = own.records.length > 0 ? own : visited.get(organization)
  if (!station || 'kind' in station) return null
  const [record, ...others] = station.records
  // Several records end the search there and then; the tree walk goes on.
  const policies = record && others.length === 0 ? parseRfc7489Policies(record) : null
  if (!policies) return { organizationalDomain: organization, recordName: null, policy: null }
  const policy = station.domain === domain ? policies.domain : policies.subdomains
  return { organizationalDomain: organization, recordName: station.name, policy }
}
