/** The policies that a record asks for (RFC 9989 §4.10.1). */

import { registrableDomain } from '../../names/registrable-domain.js'
import { isUnavailable } from '../check-result.js'
import {
  DMARC_POLICIES,
  type DmarcPolicy,
  type DmarcRecord,
  readTagChoice,
} from './dmarc-record.js'
import type { QueriedSteps } from './tree-walk.js'

export interface DmarcPolicies {
  /** For the name that the record is published for. */
  readonly domain: DmarcPolicy
  /** For existing names below it. */
  readonly subdomains: DmarcPolicy
  /** For nonexistent names below it. */
  readonly nonexistent: DmarcPolicy
}

const MONITORING: DmarcPolicies = { domain: 'none', subdomains: 'none', nonexistent: 'none' }

/** Null when receivers must not apply the record at all. */
export function parsePolicies(record: DmarcRecord): DmarcPolicies | null {
  return readPolicies(record, ['sp', 'np'])
}

/** RFC 7489 §6.6.3 has no `np`. */
function parseRfc7489Policies(record: DmarcRecord): Omit<DmarcPolicies, 'nonexistent'> | null {
  return readPolicies(record, ['sp'])
}

function readPolicies(record: DmarcRecord, known: readonly ('sp' | 'np')[]): DmarcPolicies | null {
  const p = readTagChoice(record, 'p', DMARC_POLICIES)
  const [sp = 'absent', np = 'absent'] = known.map((tag) =>
    readTagChoice(record, tag, DMARC_POLICIES),
  )
  if (p === 'absent' || p === 'invalid' || sp === 'invalid' || np === 'invalid') {
    // One invalid policy makes all of them "none", but only if the record asks for reports.
    const wantsReports = record.reportUris('rua').uris.some(({ isUri }) => isUri)
    return wantsReports ? MONITORING : null
  }
  const subdomains = sp === 'absent' ? p : sp
  return { domain: p, subdomains, nonexistent: np === 'absent' ? subdomains : np }
}

/** Whether the record has a valid policy of its own. */
export function hasValidPolicy(record: DmarcRecord): boolean {
  return DMARC_POLICIES.some((policy) => policy === readTagChoice(record, 'p', DMARC_POLICIES))
}

export function hasInvalidPolicy(record: DmarcRecord): boolean {
  return ['p', 'sp', 'np'].some((tag) => readTagChoice(record, tag, DMARC_POLICIES) === 'invalid')
}

export function isWeakerPolicy(one: DmarcPolicy, other: DmarcPolicy): boolean {
  return DMARC_POLICIES.indexOf(one) < DMARC_POLICIES.indexOf(other)
}

/** The policy that applies with `t=y` (RFC 9989 §4.7). */
export function nextWeakerPolicy(policy: DmarcPolicy): DmarcPolicy {
  return policy === 'reject' ? 'quarantine' : 'none'
}

/** What receivers find that still follow RFC 7489 and the public suffix list. */
export interface Rfc7489Policy {
  readonly organizationalDomain: string
  /** The name of the record that they apply. */
  readonly recordName: string | null
  readonly policy: DmarcPolicy | null
}

/** RFC 7489 §3.2 does not say which part of the list to use; receivers load all of it. */
export const rfc7489OrganizationalDomain = registrableDomain

/** RFC 7489 §6.6.3; null when a query that it needs failed. */
export function findRfc7489Policy(domain: string, steps: QueriedSteps): Rfc7489Policy | null {
  const organization = rfc7489OrganizationalDomain(domain)
  const own = steps.get(domain)
  if (!own || isUnavailable(own)) return null
  const step = own.records.length > 0 ? own : steps.get(organization)
  if (!step || isUnavailable(step)) return null
  const [record, ...others] = step.records
  // With several records the search ends here, while the tree walk goes on.
  const policies = record && others.length === 0 ? parseRfc7489Policies(record) : null
  if (!policies) return { organizationalDomain: organization, recordName: null, policy: null }
  const policy = step.domain === domain ? policies.domain : policies.subdomains
  return { organizationalDomain: organization, recordName: step.name, policy }
}
