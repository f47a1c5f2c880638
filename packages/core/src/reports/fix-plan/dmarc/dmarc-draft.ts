/** Writes DMARC records: the tags published today with the policy of a stage. */
import type { DmarcFacts } from '../../../checks/dmarc/discover-dmarc.js'

import { isWeakerPolicy } from '../../../checks/dmarc/dmarc-policies.js'
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
  isPublicSuffixRecord,
  type WalkStep,
} from '../../../checks/dmarc/tree-walk.js'
import { findMovableRecord } from '../../../checks/dmarc/unapplied-record.js'
import type { ReportAddresses } from './report-addresses.js'

/** The tags that a rollout stage sets. */
export interface PolicyTags {
  readonly policy: DmarcPolicy
  /** RFC 9989 §4.7: `t=y` makes receivers act one level down. */
  readonly testing: boolean
}

/** What a record is written from. */
export interface DmarcDraft {
  readonly facts: DmarcFacts
  readonly base: DmarcRecord
  readonly reportAddresses: ReportAddresses
  /** Mail is sent from the domain or from a name below it, so the policy is tightened in stages. */
  readonly isStaged: boolean
  /** Where the record is: at `_dmarc`, or at the target of a CNAME there. */
  readonly name: string
}

/** As strong as today, with the current `sp`, `np` and `pct`. */
export function dmarcValueNow(draft: DmarcDraft, level: PolicyTags): string {
  const { base, facts } = draft
  const isInEffect = facts.applied?.record === base
  const percent = readPercentage(base)
  const isPartial = percent < 100 && level.policy !== 'none'
  return formatDmarc(draft, level, {
    ...currentSubdomainTags(base, facts),
    // With `p=none`, `t` still applies to `sp` and `np`.
    ...(isInEffect && { t: isTesting(base) ? 'y' : null, pct: isPartial ? `${percent}` : null }),
  })
}

export function dmarcValueAtLevel(
  draft: DmarcDraft,
  level: PolicyTags,
  changes: TagChanges = {},
): string {
  const tags = withoutWeakerTags(level.policy, currentSubdomainTags(draft.base, draft.facts))
  return formatDmarc(draft, level, { ...tags, ...changes })
}

/** For a non-sending domain; `sp` and `np` stay, because names below it may send. */
export function nonSendingDmarcValue(draft: DmarcDraft, level: PolicyTags): string {
  return formatDmarc(draft, level, { ...currentSubdomainTags(draft.base, draft.facts) })
}

function formatDmarc(
  { base, reportAddresses }: DmarcDraft,
  { policy, testing }: PolicyTags,
  changes: TagChanges,
) {
  return rewriteDmarcRecord(base, {
    p: policy,
    // Most receivers ignore `t=y` and still read `pct`, which RFC 9989 removed.
    t: testing ? 'y' : null,
    pct: testing ? '0' : null,
    ...changes,
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
export function currentPolicy({ applied, policy, rfc7489, domain }: DmarcFacts): DmarcPolicy {
  const isOwn = applied?.step.domain === domain
  const older = (isOwn && rfc7489?.policy) || 'none'
  const newer = policy ?? 'none'
  return isWeakerPolicy(newer, older) ? older : newer
}

/** The `sp` and `np` of the record, if receivers apply them today. */
export function currentSubdomainTags(record: DmarcRecord, facts: DmarcFacts): SubdomainTags {
  const { applied, appliedToSubdomains } = facts
  const isApplied = applied?.record === record && appliedToSubdomains?.step === applied.step
  const policies = isApplied ? appliedToSubdomains.policies : null
  const activeTag = (tag: 'sp' | 'np', active: DmarcPolicy | undefined) => {
    const value = DMARC_POLICIES.find((each) => each === record.tags.get(tag)?.toLowerCase())
    return value && value === active ? value : null
  }
  return {
    sp: activeTag('sp', policies?.subdomains),
    np: activeTag('np', policies?.nonexistent),
  }
}

interface SubdomainTags {
  readonly sp: DmarcPolicy | null
  readonly np: DmarcPolicy | null
}

/** Removes tags that are weaker than the policy. */
export function withoutWeakerTags(policy: DmarcPolicy, { sp, np }: SubdomainTags): SubdomainTags {
  return {
    sp: sp && !isWeakerPolicy(sp, policy) ? sp : null,
    np: np && !isWeakerPolicy(np, policy) ? np : null,
  }
}
