/** What a domain's own DMARC record starts from: what stands there today, however broken. */
import type { DmarcFacts } from '../../../checks/dmarc/discover-dmarc.js'
import { isPublicSuffixRecord } from '../../../checks/dmarc/dmarc-advice.js'
import { isWeakerPolicy } from '../../../checks/dmarc/dmarc-policies.js'
import {
  DMARC_POLICIES,
  type DmarcPolicy,
  type DmarcRecord,
  parseDmarcRecord,
} from '../../../checks/dmarc/dmarc-record.js'
import {
  isDmarcNearMiss,
  repairDmarcNearMiss,
  repairReportUris,
  rewriteDmarcRecord,
} from '../../../checks/dmarc/rewrite-dmarc-record.js'
import { emptyWalkStep, type WalkStep } from '../../../checks/dmarc/tree-walk.js'

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
