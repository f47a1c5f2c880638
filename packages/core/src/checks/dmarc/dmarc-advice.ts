/** What to publish, and where. */

import { findServiceByDmarcTarget } from '../../catalog/mail-services.js'
import { MAX_DOMAIN_LENGTH } from '../../names/host-problem.js'
import { type Finding, proposeTxtRecord, txtEvidence } from '../finding.js'
import { truncateForDisplay } from '../format-list.js'
import { toDisplayText } from '../txt-records.js'
import type { AppliedDmarcRecord, DmarcFacts } from './discover-dmarc.js'
import { hasInvalidPolicy, hasValidPolicy, isWeakerPolicy } from './dmarc-policies.js'
import {
  DMARC_POLICIES,
  type DmarcPolicy,
  type DmarcRecord,
  parseDmarcRecord,
  REPORT_URI_TAGS,
  readPercentage,
  readTagChoice,
} from './dmarc-record.js'
import { findConflictingTags, proposeDmarcRecord, type TagChanges } from './rewrite-dmarc-record.js'
import {
  emptyWalkStep,
  type FoundDmarcRecord,
  findOwnOrganization,
  isPublicSuffixRecord,
  type WalkStep,
} from './tree-walk.js'
import { hasDmarcText, organizationSteps } from './unapplied-record.js'

/** Facts about a domain to which a record applies. */
export interface AppliedFacts extends DmarcFacts {
  readonly applied: AppliedDmarcRecord
}

/** A copy with other types would cost more than a rule does. */
export function hasAppliedRecord(facts: DmarcFacts): facts is AppliedFacts {
  return facts.applied !== null
}

export interface PolicyFacts extends AppliedFacts {
  readonly policy: DmarcPolicy
}

export function hasPolicy(facts: DmarcFacts): facts is PolicyFacts {
  return facts.applied !== null && facts.policy !== null
}

/** The record with some tags changed, and its place, as values of a finding. */
export function recordChange(
  facts: DmarcFacts,
  found: AppliedDmarcRecord,
  changes: TagChanges = {},
): { place: string; record: string } {
  const { step, record } = proposeChange(facts, found, changes)
  return { place: placeOf(step), record }
}

/** The same to paste; none if a part of it is unknown, or if it could do harm. */
export function recordChangeProposal(
  facts: DmarcFacts,
  found: AppliedDmarcRecord,
  changes: TagChanges = {},
): Pick<Finding, 'record'> {
  // Addresses beyond the limit were not read, and the proposal must not drop them.
  const isFullyRead = REPORT_URI_TAGS.every((tag) => found.record.reportUris(tag).unreadCount === 0)
  // Several records come first: RFC 7489 receivers look no further (§6.6.3).
  const hasSeveral = findWalkStep(facts, facts.domain).records.length > 1
  if (!isFullyRead || hasSeveral || isPolicyUnclear(found.record)) return {}
  const { step, record } = proposeChange(facts, found, changes)
  // Instead of a registry's record, but other texts there have to be corrected first.
  if (step !== found.step && hasDmarcText(step)) return {}
  return hasKnownDestinations(facts, found, step, record)
    ? proposeRecordAt(facts, step, record)
    : {}
}

/** Receivers ignore the policy because of an error; only the owner knows which one is right. */
export function isPolicyUnclear(record: DmarcRecord): boolean {
  return hasInvalidPolicy(record) || record.conflictingTags.includes('p')
}

/** A record to publish; none at a CNAME (RFC 1034 §3.6.2) or at a name of someone else. */
function proposeRecordAt(
  { walk }: DmarcFacts,
  step: WalkStep,
  value: string,
): Pick<Finding, 'record'> {
  const isPossible =
    organizationSteps(walk).includes(step) &&
    step.cnames.length === 0 &&
    step.name.length <= MAX_DOMAIN_LENGTH
  return isPossible ? proposeTxtRecord(step.name, value) : {}
}

/** Whether the proposed record sends no report to a place that was never looked up. */
function hasKnownDestinations(
  facts: DmarcFacts,
  found: AppliedDmarcRecord,
  step: WalkStep,
  proposed: string,
): boolean {
  // Where the record of another name sends its reports does not concern the domain.
  if (found.record !== facts.applied?.record) return true
  return reportHosts(proposed).every(
    (host) =>
      (found.policies && facts.destinations.has(host)) || isWorkingDestination(facts, step, host),
  )
}

function reportHosts(record: string): string[] {
  const { reportUris } = parseDmarcRecord(record)
  return REPORT_URI_TAGS.flatMap((tag) => reportUris(tag).uris.flatMap(({ host }) => host ?? []))
}

function isWorkingDestination(
  { destinations, receivesMail }: DmarcFacts,
  { domain }: WalkStep,
  host: string,
): boolean {
  const destination = destinations.get(host)
  if (destination) return destination.authorized !== false && destination.acceptsMail !== false
  return host === domain && receivesMail.has(host) && receivesMail.get(host) !== false
}

interface ProposedChange {
  readonly step: WalkStep
  readonly record: string
}

/**
 * The record with some tags changed. A registry's record cannot be changed, so there it is a new
 * record for the organization, with the same policy.
 */
function proposeChange(
  facts: DmarcFacts,
  found: AppliedDmarcRecord,
  changes: TagChanges,
): ProposedChange {
  if (isPublicSuffixRecord(found, facts.domain)) return proposeOwnRecord(facts, found, changes)
  const all = { ...currentPercentage(found), ...withPolicy(found.record, changes) }
  return { step: found.step, record: proposeDmarcRecord(found.record, all) }
}

function proposeOwnRecord(
  facts: DmarcFacts,
  { policies }: AppliedDmarcRecord,
  changes: TagChanges,
): ProposedChange {
  const organization = findOwnOrganization(facts.domain, facts.organizationalDomain)
  const step = findWalkStep(facts, organization)
  // RFC 9989 §4.7: it ends the walk below the registry's record.
  const psd = organization === facts.organizationalDomain ? {} : { psd: 'n' }
  const [own, ...others] = step.records
  if (own && others.length === 0) return { step, record: proposeDmarcRecord(own, psd) }
  const wanted = changes.p ?? changes.sp ?? policies?.subdomains
  const policy = DMARC_POLICIES.find((each) => each === wanted) ?? 'none'
  const current = policies?.nonexistent ?? 'none'
  const nonexistent = changes.np ?? (isWeakerPolicy(policy, current) ? current : null)
  const tags = [
    'v=DMARC1',
    `p=${policy}`,
    ...(nonexistent ? [`np=${nonexistent}`] : []),
    ...(psd.psd ? ['psd=n'] : []),
    `rua=${defaultReportUri(facts, organization)}`,
  ]
  return { step, record: tags.join('; ') }
}

/**
 * Adds the policy that receivers assume where the record has none. Its `sp` and `np` go: without `p`
 * they were never in effect, and could cost mail.
 */
function withPolicy(record: DmarcRecord, changes: TagChanges): TagChanges {
  const isGiven = hasValidPolicy(record) || findConflictingTags(record).includes('p')
  return isGiven ? changes : { p: 'none', sp: null, np: null, ...changes }
}

/** A `pct` that holds an enforced policy back stays, so no change enforces more than it says. */
function currentPercentage({ record, policies }: AppliedDmarcRecord): TagChanges {
  const percent = readPercentage(record)
  const isEnforced = Object.values(policies ?? {}).some((policy) => policy !== 'none')
  return percent < 100 && isEnforced ? { pct: `${percent}` } : {}
}

/** Removes `sp` and `np` where they would be weaker than a new policy. */
export function withoutWeakerTags(record: DmarcRecord, policy: DmarcPolicy): TagChanges {
  const weaker = ['sp', 'np'].filter((tag) => {
    const value = readTagChoice(record, tag, DMARC_POLICIES)
    return value !== 'absent' && value !== 'invalid' && isWeakerPolicy(value, policy)
  })
  return Object.fromEntries(weaker.map((tag) => [tag, null]))
}

/** Where to publish a record. */
export function placeOf(step: WalkStep): string {
  const target = step.cnames.at(-1)
  if (!target) return step.name
  // No provider changes what it publishes for all its customers.
  const isShared = findServiceByDmarcTarget(target) !== null
  return placeAtCname(step.name, hasDmarcText(step) && !isShared ? target : null)
}

/** RFC 1034 §3.6.2: no other record can exist beside a CNAME. */
export function placeAtCname(name: string, target: string | null): string {
  const owner = target && `, or ask the owner of ${truncateForDisplay(target)} to make the change`
  return `${name} (a CNAME, so replace it with a TXT record${owner ?? ''})`
}

export function findWalkStep({ walk }: DmarcFacts, domain: string): WalkStep {
  return walk.steps.find((step) => step.domain === domain) ?? emptyWalkStep(domain)
}

/** A placeholder where the owner cannot receive mail; unknown counts as possible. */
export function defaultReportUri({ receivesMail }: DmarcFacts, owner: string): string {
  return receivesMail.get(owner) === false
    ? 'mailto:<a mailbox that receives mail>'
    : `mailto:dmarc@${owner}`
}

/** What to publish for a record that no receiver has applied so far. */
interface FirstPublication {
  readonly record: string
  /** What to publish later: an enforcing policy that was never in effect could cost mail. */
  readonly meant: string | null
}

export function publishFirst(
  facts: DmarcFacts,
  { step, record }: FoundDmarcRecord,
): FirstPublication {
  const meant = proposeDmarcRecord(record)
  const isStrict = isEnforcing(record)
  const first = proposeDmarcRecord(record, {
    ...((isStrict || !hasValidPolicy(record)) && { p: 'none', sp: null, np: null, t: null }),
    ...(isStrict && { psd: null }),
    ...(!meant.includes('; rua=') && { rua: defaultReportUri(facts, step.domain) }),
  })
  return { record: first, meant: isStrict ? meant : null }
}

/** Whether it asks, in any of its policies, for more than reports. */
function isEnforcing({
  conflictingTags,
  tags,
}: Pick<DmarcRecord, 'conflictingTags' | 'tags'>): boolean {
  return ['p', 'sp', 'np'].some(
    (tag) =>
      conflictingTags.includes(tag) ||
      ['quarantine', 'reject'].includes(tags.get(tag)?.toLowerCase() ?? ''),
  )
}

export function reportRequestChanges(facts: DmarcFacts, { step }: FoundDmarcRecord): TagChanges {
  return { rua: defaultReportUri(facts, step.domain) }
}

export function dmarcRecordEvidence({ step, record }: FoundDmarcRecord): Finding['evidence'] {
  return dmarcTxtEvidence(step, [record.text])
}

export function dmarcTxtEvidence(
  { name }: Pick<WalkStep, 'name'>,
  texts: readonly string[],
): Finding['evidence'] {
  return texts.map((text) => txtEvidence(name, toDisplayText(text)))
}
