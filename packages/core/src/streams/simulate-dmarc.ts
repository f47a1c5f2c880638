/** What receivers do with a message: by RFC 9989, and by RFC 7489, which some still follow. */
import { isUnavailable } from '../checks/check-result.js'
import {
  findRfc7489Policy,
  isWeakerPolicy,
  nextWeakerPolicy,
  parsePolicies,
  rfc7489OrganizationalDomain,
} from '../checks/dmarc/dmarc-policies.js'
import {
  type DmarcPolicy,
  type DmarcRecord,
  isTesting,
  readPercentage,
  readTagChoice,
} from '../checks/dmarc/dmarc-record.js'
import {
  findApplicableRecord,
  findOrganizationalDomain,
  type QueriedSteps,
  walkTree,
} from '../checks/dmarc/tree-walk.js'

/** A message as a receiver authenticated it. */
export interface AuthenticatedMail {
  /** The domain of the From address. */
  readonly from: string
  /** The domain of MAIL FROM, if SPF passed. */
  readonly spfDomain: string | null
  /** The domains of valid signatures. */
  readonly dkimDomains: readonly string[]
}

export interface DmarcZone {
  /** The records at every name that a walk may reach. */
  readonly steps: QueriedSteps
  readonly isNonexistent: (name: string) => boolean
}

interface DmarcSimulation {
  /** Null if no policy applies. */
  readonly policy: DmarcPolicy | null
  /** A name that passed is aligned; without a record, as if one asked for nothing special. */
  readonly passes: boolean
  /** What happens to the message: nothing if it passes. */
  readonly treatment: DmarcPolicy
}

/**
 * As receivers of both kinds treat it: it passes if it does at all of them, and the strictest
 * counts. Null if a query that decides it failed.
 */
export function simulateDmarc(
  zone: DmarcZone,
  mail: AuthenticatedMail,
): Omit<DmarcSimulation, 'policy'> | null {
  const newer = simulateRfc9989(zone, mail)
  const older = simulateRfc7489(zone, mail)
  if (!newer || !older) return newer
  return {
    passes: newer.passes && older.passes,
    treatment: isWeakerPolicy(newer.treatment, older.treatment) ? older.treatment : newer.treatment,
  }
}

/** Null if a query that decides it failed. */
export function simulateRfc9989(
  { steps, isNonexistent }: DmarcZone,
  mail: AuthenticatedMail,
): DmarcSimulation | null {
  const found = findApplicableRecord(walkTree(mail.from, steps))
  if (isUnavailable(found)) return null
  const organizationOf = (name: string) => findOrganizationalDomain(walkTree(name, steps))
  const policies = found && parsePolicies(found.record)
  if (!found || !policies) return withoutPolicy(mail, organizationOf)
  const below = isNonexistent(mail.from) ? policies.nonexistent : policies.subdomains
  const policy = found.step.domain === mail.from ? policies.domain : below
  const passes = isAligned(mail, found.record, organizationOf)
  return { policy, passes, treatment: passes ? 'none' : afterTest(policy, found.record) }
}

function withoutPolicy(mail: AuthenticatedMail, organizationOf: OrganizationOf): DmarcSimulation {
  return { policy: null, passes: isAligned(mail, null, organizationOf), treatment: 'none' }
}

/**
 * RFC 7489 has no `np`, and applies the policy to `pct` of the messages. It has no `t` either, but
 * the receivers that count most read it.
 */
export function simulateRfc7489(
  { steps }: DmarcZone,
  mail: AuthenticatedMail,
): DmarcSimulation | null {
  const found = findRfc7489Policy(mail.from, steps)
  if (!found) return null
  const step = steps.get(found.recordName?.replace('_dmarc.', '') ?? '')
  const record = step && !isUnavailable(step) ? step.records[0] : undefined
  const { policy } = found
  if (!policy || !record) return withoutPolicy(mail, rfc7489OrganizationalDomain)
  const passes = isAligned(mail, record, rfc7489OrganizationalDomain)
  const treatment = afterTest(withPercentage(policy, record), record)
  return { policy, passes, treatment: passes ? 'none' : treatment }
}

/** RFC 7489 §6.3: the rest of the messages get the next weaker policy. Any share counts in full. */
function withPercentage(policy: DmarcPolicy, record: DmarcRecord): DmarcPolicy {
  return readPercentage(record) === 0 ? nextWeakerPolicy(policy) : policy
}

type OrganizationOf = (name: string) => string | null

/** RFC 9989 §4.4, RFC 7489 §3.1: the same name, or unless strict, the same organization. */
function isAligned(
  { from, spfDomain, dkimDomains }: AuthenticatedMail,
  record: DmarcRecord | null,
  organizationOf: OrganizationOf,
): boolean {
  const matches = (tag: 'aspf' | 'adkim') => (name: string) => {
    if (name === from) return true
    if (record && readTagChoice(record, tag, ['r', 's']) === 's') return false
    const organization = organizationOf(name)
    return organization !== null && organization === organizationOf(from)
  }
  return (
    [spfDomain].flatMap((name) => name ?? []).some(matches('aspf')) ||
    dkimDomains.some(matches('adkim'))
  )
}

/** RFC 9989 §4.7: with `t=y`, the next weaker policy. */
function afterTest(policy: DmarcPolicy, record: DmarcRecord): DmarcPolicy {
  return isTesting(record) ? nextWeakerPolicy(policy) : policy
}
