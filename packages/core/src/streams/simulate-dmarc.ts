/** What receivers do with a message: by RFC 9989, and by RFC 7489, which some still follow. */
import { isUnavailable } from '../checks/check-result.js'
import type { DmarcFacts } from '../checks/dmarc/discover-dmarc.js'
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

interface DmarcZone {
  /** The records at every name that a walk may reach. */
  readonly steps: QueriedSteps
  readonly isNonexistent: (name: string) => boolean
}

interface DmarcSimulation {
  /** Null if no policy applies. */
  readonly policy: DmarcPolicy | null
  readonly passes: boolean
  /** What happens to the message: nothing if it passes. */
  readonly treatment: DmarcPolicy
}

const NO_POLICY: DmarcSimulation = { policy: null, passes: false, treatment: 'none' }

/** Null if a query that decides it failed. */
export function simulateRfc9989(
  { steps, isNonexistent }: DmarcZone,
  mail: AuthenticatedMail,
): DmarcSimulation | null {
  const found = findApplicableRecord(walkTree(mail.from, steps))
  if (isUnavailable(found)) return null
  const policies = found && parsePolicies(found.record)
  if (!found || !policies) return NO_POLICY
  const below = isNonexistent(mail.from) ? policies.nonexistent : policies.subdomains
  const policy = found.step.domain === mail.from ? policies.domain : below
  const organizationOf = (name: string) => findOrganizationalDomain(walkTree(name, steps))
  const passes = isAligned(mail, found.record, organizationOf)
  return { policy, passes, treatment: passes ? 'none' : afterTest(policy, found.record) }
}

/** RFC 7489 has neither `np` nor `t`, and applies the policy to `pct` of the messages. */
export function simulateRfc7489(
  { steps }: DmarcZone,
  mail: AuthenticatedMail,
): DmarcSimulation | null {
  const found = findRfc7489Policy(mail.from, steps)
  if (!found) return null
  const step = steps.get(found.recordName?.replace('_dmarc.', '') ?? '')
  const record = step && !isUnavailable(step) ? step.records[0] : undefined
  const { policy } = found
  if (!policy || !record) return NO_POLICY
  const passes = isAligned(mail, record, rfc7489OrganizationalDomain)
  return { policy, passes, treatment: passes ? 'none' : withPercentage(policy, record) }
}

/** RFC 7489 §6.3: the rest of the messages get the next weaker policy. Any share counts in full. */
function withPercentage(policy: DmarcPolicy, record: DmarcRecord): DmarcPolicy {
  return readPercentage(record) === 0 ? nextWeakerPolicy(policy) : policy
}

/** RFC 9989 §4.4, RFC 7489 §3.1: the same name, or unless strict, the same organization. */
function isAligned(
  { from, spfDomain, dkimDomains }: AuthenticatedMail,
  record: DmarcRecord,
  organizationOf: (name: string) => string | null,
): boolean {
  const matches = (tag: 'aspf' | 'adkim') => (name: string) => {
    if (name === from) return true
    if (readTagChoice(record, tag, ['r', 's']) === 's') return false
    const organization = organizationOf(name)
    return organization !== null && organization === organizationOf(from)
  }
  return (
    [spfDomain].flatMap((name) => name ?? []).some(matches('aspf')) ||
    dkimDomains.some(matches('adkim'))
  )
}

/** The strictest that receivers of either kind do today with mail from the domain that fails. */
export function strictestTreatment({ applied, policy, rfc7489 }: DmarcFacts): DmarcPolicy {
  const newer = policy && applied ? afterTest(policy, applied.record) : 'none'
  if (!rfc7489?.policy || !applied) return newer
  const isSame = rfc7489.recordName === applied.step.name
  const older = isSame ? withPercentage(rfc7489.policy, applied.record) : rfc7489.policy
  return stricter(newer, afterTest(older, applied.record))
}

/** The same for existing names below the domain that have no record of their own. */
export function strictestBelow({ appliedToSubdomains: below }: DmarcFacts): DmarcPolicy {
  return below?.policies ? afterTest(below.policies.subdomains, below.record) : 'none'
}

/** RFC 9989 §4.7: with `t=y`, the next weaker policy. */
function afterTest(policy: DmarcPolicy, record: DmarcRecord): DmarcPolicy {
  return isTesting(record) ? nextWeakerPolicy(policy) : policy
}

function stricter(one: DmarcPolicy, other: DmarcPolicy): DmarcPolicy {
  return isWeakerPolicy(one, other) ? other : one
}
