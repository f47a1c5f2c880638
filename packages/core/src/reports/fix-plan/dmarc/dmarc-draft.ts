/** Writes DMARC records: the tags published today with the policy of a stage. */
import type { RecordHost } from '../../../catalog/dmarc-services.js'
import type { DmarcFacts } from '../../../checks/dmarc/discover-dmarc.js'

import { type DmarcPolicies, isWeakerPolicy } from '../../../checks/dmarc/dmarc-policies.js'
import {
  DMARC_POLICIES,
  type DmarcPolicy,
  type DmarcRecord,
  isTesting,
  parseDmarcRecord,
  readPercentage,
} from '../../../checks/dmarc/dmarc-record.js'
import {
  findReportUris,
  isDmarcNearMiss,
  repairDmarcNearMiss,
  repairReportUris,
  rewriteDmarcRecord,
  type TagChanges,
} from '../../../checks/dmarc/rewrite-dmarc-record.js'
import {
  emptyWalkStep,
  findOwnOrganization,
  isPublicSuffixRecord,
  type WalkStep,
} from '../../../checks/dmarc/tree-walk.js'
import { findMovableRecord } from '../../../checks/dmarc/unapplied-record.js'
import { hasRegistrableDomain } from '../../../names/registrable-domain.js'
import type { SubdomainPolicies } from '../../../rollout/policy-ladder.js'
import type { Condition } from '../say.js'
import type { ReportAddresses } from './report-addresses.js'

/** The tags that a rollout stage sets. */
export interface PolicyTags {
  readonly policy: DmarcPolicy
  /** RFC 9989 §4.7: `t=y` makes receivers act one level down. */
  readonly testing: boolean
}

/** The strictest policies that every sender passes once the plan is published. */
export interface PolicyLimits {
  readonly domain: DmarcPolicy
  readonly below: DmarcPolicy
}

/** What must be true before a policy is enforced, at the domain and below it. */
export interface PolicyConditions {
  readonly domain: readonly Condition[]
  readonly below: readonly Condition[]
}

/** What a record is written from. */
export interface DmarcDraft {
  readonly facts: DmarcFacts
  readonly base: DmarcRecord
  readonly reportAddresses: ReportAddresses
  /** Mail is sent from the domain or from a name below it, so the policy is tightened in stages. */
  readonly isStaged: boolean
  readonly limits: PolicyLimits
  readonly conditions: PolicyConditions
  /** The service that hosts the record; null if the owner publishes it. */
  readonly host: RecordHost | null
  /** Services whose signatures strict alignment refuses, so it ends today. */
  readonly toRelax: readonly string[]
  /** Where the record is: at `_dmarc`, or at the target of a CNAME there. */
  readonly name: string
}

/** As strong as today, with the current `sp`, `np` and `pct`. */
export function dmarcValueNow(draft: DmarcDraft, level: PolicyTags): string {
  const { base, facts } = draft
  const isInEffect = facts.applied?.record === base
  const percent = currentPercentage(facts)
  const isPartial = percent < 100 && level.policy !== 'none'
  return formatDmarc(draft, level, {
    ...currentSubdomainTags(base, facts),
    // With `p=none`, `t` still applies to `sp` and `np`.
    ...(isInEffect && { t: isTesting(base) ? 'y' : null }),
    ...((isInEffect || isOfRegistry(facts)) && { pct: isPartial ? `${percent}` : null }),
  })
}

export function dmarcValueAtLevel(
  draft: DmarcDraft,
  level: PolicyTags,
  below: SubdomainPolicies,
): string {
  return formatDmarc(draft, level, { ...below })
}

/** For a non-sending domain; `sp` and `np` stay, because names below it may send. */
export function nonSendingDmarcValue(draft: DmarcDraft, level: PolicyTags): string {
  return formatDmarc(draft, level, { ...currentSubdomainTags(draft.base, draft.facts) })
}

const RELAXED: TagChanges = { adkim: null, aspf: null }

function formatDmarc(
  { base, facts, reportAddresses, toRelax }: DmarcDraft,
  { policy, testing }: PolicyTags,
  changes: TagChanges,
) {
  return rewriteDmarcRecord(base, {
    p: policy,
    // Most receivers ignore `t=y` and still read `pct`, which RFC 9989 removed.
    t: testing ? 'y' : null,
    pct: testing ? '0' : null,
    ...changes,
    ...(toRelax.length > 0 && RELAXED),
    ...psdTag(facts, base),
    rua: reportAddresses.rua,
    ruf: reportAddresses.ruf,
  })
}

const EMPTY_RECORD = parseDmarcRecord('v=DMARC1')

export function ownWalkStep({ domain, walk }: DmarcFacts): WalkStep {
  return walk.steps[0] ?? emptyWalkStep(domain)
}

/** Null if the domain inherits no record, or only one of a public suffix. */
export function findInheritedRecord({ domain, applied }: DmarcFacts): DmarcRecord | null {
  const isInherited = applied && applied.step.domain !== domain
  return isInherited && !isPublicSuffixRecord(applied, domain) ? applied.record : null
}

/**
 * The record whose tags the plan keeps. A record that is not in effect today loses `psd`, `sp` and
 * `np`, so these do not take effect unnoticed.
 */
export function findBaseRecord(facts: DmarcFacts): DmarcRecord {
  const { texts, records } = ownWalkStep(facts)
  const [record, ...others] = records
  if (record && others.length === 0) return record
  const inactive = record ? mergeRecords(records) : findInactiveRecord(texts, facts)
  return inactive
    ? parseDmarcRecord(rewriteDmarcRecord(inactive, { psd: null, sp: null, np: null }))
    : EMPTY_RECORD
}

/** A misspelled record, one at a name where receivers do not look, or that of a parent domain. */
function findInactiveRecord(texts: readonly string[], facts: DmarcFacts): DmarcRecord | null {
  const nearMisses = texts.filter(isDmarcNearMiss)
  const [repaired] = nearMisses.flatMap((text) => repairDmarcNearMiss(text) ?? [])
  if (repaired !== undefined) return parseDmarcRecord(repaired)
  const misplaced = findMovableRecord(facts.walk, facts.misplaced)
  const other = misplaced?.record ?? findInheritedRecord(facts)
  const rua = nearMisses.flatMap(findReportUris).join(',')
  return rua ? parseDmarcRecord(rewriteDmarcRecord(other ?? EMPTY_RECORD, { rua })) : other
}

/** Receivers ignore several records, so only their report addresses are worth keeping. */
function mergeRecords(records: readonly DmarcRecord[]): DmarcRecord {
  const [first = EMPTY_RECORD] = records
  const uris = [...new Set(records.flatMap((record) => repairReportUris(record, 'rua')))]
  return parseDmarcRecord(rewriteDmarcRecord(first, uris.length > 0 ? { rua: uris.join(',') } : {}))
}

/** The stricter of the RFC 9989 and RFC 7489 policies today; no stage may be weaker. */
export function currentPolicy(facts: DmarcFacts): DmarcPolicy {
  const { applied, policy, rfc7489, domain } = facts
  const isOwn = applied?.step.domain === domain
  const older = ((isOwn || isOfRegistry(facts)) && rfc7489?.policy) || 'none'
  const newer = policy ?? 'none'
  return isWeakerPolicy(newer, older) ? older : newer
}

export function isOfRegistry({ applied, domain }: DmarcFacts): boolean {
  return applied !== null && isPublicSuffixRecord(applied, domain)
}

/**
 * The share of the mail to which the policy applies. That of a registry applies to none at receivers
 * that follow RFC 7489, and these alone read `pct` in a record that continues it.
 */
export function currentPercentage(facts: DmarcFacts): number {
  if (isOfRegistry(facts)) return 0
  return facts.applied ? readPercentage(facts.applied.record) : 100
}

/** The `sp` and `np` of the record, or the `np` of a registry, if receivers apply them today. */
export function currentSubdomainTags(record: DmarcRecord, facts: DmarcFacts): SubdomainPolicies {
  const { domain, applied } = facts
  if (applied && isPublicSuffixRecord(applied, domain)) {
    const { nonexistent = 'none' } = applied.policies ?? {}
    return { sp: null, np: nonexistent === 'none' ? null : nonexistent }
  }
  const policies = applied?.record === record ? findPoliciesBelow(facts) : null
  const activeTag = (tag: 'sp' | 'np', active: DmarcPolicy | undefined) => {
    const value = DMARC_POLICIES.find((each) => each === record.tags.get(tag)?.toLowerCase())
    return value && value === active ? value : null
  }
  return {
    sp: activeTag('sp', policies?.subdomains),
    np: activeTag('np', policies?.nonexistent),
  }
}

/** The policies of the domain's own record for names below it, if receivers of any kind apply them. */
export function findPoliciesBelow(facts: DmarcFacts): DmarcPolicies | null {
  const { domain, applied, appliedToSubdomains } = facts
  if (!applied || isPublicSuffixRecord(applied, domain)) return null
  const isApplied = appliedToSubdomains?.step === applied.step
  return isApplied || endsAtSuffix(facts) ? applied.policies : null
}

/** Whether the `sp` and `np` of a record of its own count. */
export function governsNamesBelow(facts: DmarcFacts): boolean {
  const { domain, organizationalDomain } = facts
  return findOwnOrganization(domain, organizationalDomain) === domain
}

/** RFC 9989 §4.10.2: without `psd=n` here, a registry's name counts as the organization. */
export function endsAtSuffix(facts: DmarcFacts): boolean {
  const { domain, organizationalDomain } = facts
  return governsNamesBelow(facts) && (organizationalDomain ?? domain) !== domain
}

/** Only a registry's own record may say `psd=y`. */
export function hasNeedlessPsd(record: DmarcRecord, { domain }: DmarcFacts): boolean {
  return record.tags.get('psd')?.toLowerCase() === 'y' && hasRegistrableDomain(domain)
}

/** What has to change about the `psd` of a record. */
export function psdTag(facts: DmarcFacts, base: DmarcRecord): TagChanges {
  if (endsAtSuffix(facts)) return { psd: 'n' }
  return hasNeedlessPsd(base, facts) ? { psd: null } : {}
}
