/** The policies that a record asks for (RFC 9989 §4.10.1). */

import { registrableDomain } from '../../names/registrable-domain.js'
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
  /** For names below it that exist. */
  readonly subdomains: DmarcPolicy
  /** For names below it that do not. */
  readonly nonexistent: DmarcPolicy
}

/** What receivers do, under each policy, with mail that fails. */
export const POLICY_EFFECTS: Readonly<Record<DmarcPolicy, string>> = {
  none: 'deliver it as if nothing were wrong',
  quarantine: 'put it into the spam folder',
  reject: 'refuse it',
}

const MONITORING: DmarcPolicies = { domain: 'none', subdomains: 'none', nonexistent: 'none' }

/** Null when receivers must not apply the record at all. */
export function parsePolicies(record: DmarcRecord): DmarcPolicies | null {
  return readPolicies(record, ['sp', 'np'])
}

/** As RFC 7489 §6.6.3 has it, which knows no `np`. */
function parseRfc7489Policies(record: DmarcRecord): Omit<DmarcPolicies, 'nonexistent'> | null {
  return readPolicies(record, ['sp'])
}

function readPolicies(record: DmarcRecord, known: readonly ('sp' | 'np')[]): DmarcPolicies | null {
  const p = readTagChoice(record, 'p', DMARC_POLICIES)
  const [sp = 'absent', np = 'absent'] = known.map((tag) =>
    readTagChoice(record, tag, DMARC_POLICIES),
  )
  if (p === 'absent' || p === 'invalid' || sp === 'invalid' || np === 'invalid') {
    // A single bad policy makes them all count as "none", but only for who asks for reports.
    const wantsReports = record.reportUris('rua').uris.some(({ isUri }) => isUri)
    return wantsReports ? MONITORING : null
  }
  const subdomains = sp === 'absent' ? p : sp
  return { domain: p, subdomains, nonexistent: np === 'absent' ? subdomains : np }
}

/** Whether the record says itself, and validly, what its policy is. */
export function hasValidPolicy(record: DmarcRecord): boolean {
  return DMARC_POLICIES.some((policy) => policy === readTagChoice(record, 'p', DMARC_POLICIES))
}

export function hasInvalidPolicy(record: DmarcRecord): boolean {
  return ['p', 'sp', 'np'].some((tag) => readTagChoice(record, tag, DMARC_POLICIES) === 'invalid')
}

export function isWeakerPolicy(one: DmarcPolicy, other: DmarcPolicy): boolean {
  return DMARC_POLICIES.indexOf(one) < DMARC_POLICIES.indexOf(other)
}

/** What `t=y` leaves of a policy (RFC 9989 §4.7). */
export function nextWeakerPolicy(policy: DmarcPolicy): DmarcPolicy {
  return policy === 'reject' ? 'quarantine' : 'none'
}

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
