/** The text of a DMARC record: what stands there, with the policy of a stage. */
import type { DmarcFacts } from '../../../checks/dmarc/discover-dmarc.js'
import { isPublicSuffixRecord } from '../../../checks/dmarc/dmarc-advice.js'
import { isDmarcNearMiss, repairDmarcNearMiss } from '../../../checks/dmarc/dmarc-near-miss.js'
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
  repairReportUris,
  rewriteDmarcRecord,
  type TagChanges,
} from '../../../checks/dmarc/rewrite-dmarc-record.js'
import { emptyWalkStep, type WalkStep } from '../../../checks/dmarc/tree-walk.js'
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
  readonly sends: boolean
  readonly hasMailServers: boolean
  /** What stands at the name is made by a wildcard, and goes when anything is published there. */
  readonly isWildcard: boolean
}

/** As strong as today; what is said today of subdomains and of shares of the mail stays for now. */
export function dmarcValueNow(draft: DmarcDraft, rung: PolicyTags): string {
  const { base, facts } = draft
  const isInForce = facts.applied?.record === base
  const percent = readPercentage(base)
  const isShared = isInForce && percent < 100 && rung.policy !== 'none'
  return valueWith(draft, rung, {
    ...currentSubdomainTags(base, facts),
    // With `p=none` it still holds for what is said of subdomains.
    ...(isInForce && { t: isTesting(base) ? 'y' : null }),
    ...(isShared && { pct: `${percent}` }),
  })
}

export function dmarcValueAtLevel(
  draft: DmarcDraft,
  rung: PolicyTags,
  changes: TagChanges = {},
): string {
  const tags = withoutWeakerTags(rung.policy, currentSubdomainTags(draft.base, draft.facts))
  return valueWith(draft, rung, { ...tags, ...changes })
}

/** For a domain that sends nothing; what it says of names below it is meant for those that send. */
export function nonSendingDmarcValue(draft: DmarcDraft, rung: PolicyTags): string {
  const isNew = draft.base.tags.size === 1
  return valueWith(draft, rung, {
    ...currentSubdomainTags(draft.base, draft.facts),
    // Who sends nothing has no mail from a name that is only similar.
    ...(isNew && { adkim: 's', aspf: 's' }),
  })
}

function valueWith(
  { base, reportAddresses }: DmarcDraft,
  { policy, testing }: PolicyTags,
  changes: TagChanges,
) {
  return rewriteDmarcRecord(base, {
    p: policy,
    t: testing ? 'y' : null,
    ...changes,
    rua: reportAddresses.rua,
  })
}

const NOTHING = parseDmarcRecord('v=DMARC1')

export function ownWalkStep({ domain, walk }: DmarcFacts): WalkStep {
  return walk.steps[0] ?? emptyWalkStep(domain)
}

/** Null when the domain has none of its own, nor inherits one that is not the registry's. */
export function findInheritedRecord({ domain, applied }: DmarcFacts): DmarcRecord | null {
  const isInherited = applied && applied.step.domain !== domain
  return isInherited && !isPublicSuffixRecord(applied, domain) ? applied.record : null
}

/**
 * Its tags are kept, whatever becomes of the policy; but what is not in force today and speaks of
 * the names below, or of the place in the tree, does not come into force unseen.
 */
export function findBaseRecord(facts: DmarcFacts): DmarcRecord {
  const { texts, records } = ownWalkStep(facts)
  const [record, ...others] = records
  if (record && others.length === 0) return record
  const [meant] = texts.filter(isDmarcNearMiss).flatMap((text) => repairDmarcNearMiss(text) ?? [])
  const idle = record
    ? merged(records)
    : meant === undefined
      ? findInheritedRecord(facts)
      : parseDmarcRecord(meant)
  return idle
    ? parseDmarcRecord(rewriteDmarcRecord(idle, { psd: null, sp: null, np: null }))
    : NOTHING
}

/** Receivers discard them all, so nothing is lost but their addresses if these were not kept. */
function merged(records: readonly DmarcRecord[]): DmarcRecord {
  const [first = NOTHING] = records
  const uris = [...new Set(records.flatMap((record) => repairReportUris(record, 'rua')))]
  return parseDmarcRecord(rewriteDmarcRecord(first, uris.length > 0 ? { rua: uris.join(',') } : {}))
}

/** What receivers of either kind apply today, which no stage may fall behind. */
export function currentPolicy({ applied, policy, rfc7489, domain }: DmarcFacts): DmarcPolicy {
  const isOwn = applied?.step.domain === domain
  const theirs = (isOwn && rfc7489?.policy) || 'none'
  const ours = policy ?? 'none'
  return isWeakerPolicy(ours, theirs) ? theirs : ours
}

/** What the record says of names below the domain, and receivers go by today. */
export function currentSubdomainTags(record: DmarcRecord, facts: DmarcFacts): SubdomainTags {
  const { applied, appliedToSubdomains } = facts
  const isApplied = applied?.record === record && appliedToSubdomains?.step === applied.step
  const policies = isApplied ? appliedToSubdomains.policies : null
  const kept = (tag: 'sp' | 'np', today: DmarcPolicy | undefined) => {
    const said = DMARC_POLICIES.find((each) => each === record.tags.get(tag)?.toLowerCase())
    return said && said === today ? said : null
  }
  return { sp: kept('sp', policies?.subdomains), np: kept('np', policies?.nonexistent) }
}

export interface SubdomainTags {
  readonly sp: DmarcPolicy | null
  readonly np: DmarcPolicy | null
}

/** Those of them that a policy does not make needless: what is weaker goes. */
export function withoutWeakerTags(policy: DmarcPolicy, { sp, np }: SubdomainTags): SubdomainTags {
  return {
    sp: sp && !isWeakerPolicy(sp, policy) ? sp : null,
    np: np && !isWeakerPolicy(np, policy) ? np : null,
  }
}
