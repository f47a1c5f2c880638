/** The policies that a record asks for (RFC 9989 §4.10.1). */
import { choiceOf, type DmarcRecord, POLICIES, type Policy } from './dmarc-record.js'

export interface Policies {
  /** For the name that the record is published for. */
  readonly domain: Policy
  /** For names below it that exist. */
  readonly subdomains: Policy
  /** For names below it that do not. */
  readonly nonexistent: Policy
}

/** What receivers do, under each policy, with mail that fails. */
export const CONSEQUENCES: Readonly<Record<Policy, string>> = {
  none: 'deliver it as if nothing were wrong',
  quarantine: 'put it into the spam folder',
  reject: 'refuse it',
}

const MONITORING: Policies = { domain: 'none', subdomains: 'none', nonexistent: 'none' }

/** Null when receivers must not apply the record at all. */
export function policiesOf(record: DmarcRecord): Policies | null {
  return readPolicies(record, ['sp', 'np'])
}

/** As RFC 7489 §6.6.3 has it, which knows no `np`. */
export function olderPoliciesOf(record: DmarcRecord): Omit<Policies, 'nonexistent'> | null {
  return readPolicies(record, ['sp'])
}

function readPolicies(record: DmarcRecord, known: readonly ('sp' | 'np')[]): Policies | null {
  const p = choiceOf(record, 'p', POLICIES)
  const [sp = 'absent', np = 'absent'] = known.map((tag) => choiceOf(record, tag, POLICIES))
  if (p === 'absent' || p === 'invalid' || sp === 'invalid' || np === 'invalid') {
    // A single bad policy makes them all count as "none", but only for who asks for reports.
    const wantsReports = record.urisOf('rua').read.some(({ isUri }) => isUri)
    return wantsReports ? MONITORING : null
  }
  const subdomains = sp === 'absent' ? p : sp
  return { domain: p, subdomains, nonexistent: np === 'absent' ? subdomains : np }
}

/** Whether the record says itself, and validly, what its policy is. */
export function isPolicyChosen(record: DmarcRecord): boolean {
  return POLICIES.some((policy) => policy === choiceOf(record, 'p', POLICIES))
}

export function hasInvalidPolicy(record: DmarcRecord): boolean {
  return ['p', 'sp', 'np'].some((tag) => choiceOf(record, tag, POLICIES) === 'invalid')
}

export function isWeaker(one: Policy, other: Policy): boolean {
  return POLICIES.indexOf(one) < POLICIES.indexOf(other)
}

/** What `t=y` leaves of a policy (RFC 9989 §4.7). */
export function oneLevelDown(policy: Policy): Policy {
  return policy === 'reject' ? 'quarantine' : 'none'
}
