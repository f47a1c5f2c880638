/** Findings about how well the policy protects against forged mail. */

import type { FindingValues } from '../../catalog/findings.js'
import type { Finding } from '../finding.js'
import { type Found, found, judge, type Rule, writeFinding } from '../rule.js'
import { type DmarcFacts, mayReceiveReports } from './discover-dmarc.js'
import {
  dmarcRecordEvidence,
  isPolicyUnclear,
  type PolicyFacts,
  recordChange,
  recordChangeProposal,
  reportRequestChanges,
  withoutWeakerTags,
} from './dmarc-advice.js'
import { isWeakerPolicy, nextWeakerPolicy } from './dmarc-policies.js'
import { type DmarcPolicy, isTesting, readPercentage } from './dmarc-record.js'
import type { TagChanges } from './rewrite-dmarc-record.js'
import { isPublicSuffixRecord } from './tree-walk.js'

const RULES: readonly Rule<PolicyFacts>[] = [
  (facts) => {
    const { domain, applied, policy } = facts
    const { record } = applied
    if (policy !== 'none') return null
    if (isPolicyUnclear(record)) {
      const evidence = dmarcRecordEvidence(applied)
      return found('dmarc.policy-none (faulty)', { domain }, { evidence })
    }
    const tag = decidingTag(facts)
    const changed = record.tags.get(tag)?.toLowerCase() === 'none' ? tag : 'p'
    // Test mode goes, because it would turn quarantine into none.
    const changes = {
      ...withoutWeakerTags(record, 'quarantine'),
      [changed]: 'quarantine',
      t: null,
      pct: null,
    }
    const isEnough = !leavesGaps(facts, tag, 'quarantine')
    return afterReports(facts, 'dmarc.policy-none', { domain }, changes, isEnough)
  },

  (facts) => {
    const { domain, applied, policy } = facts
    const { record } = applied
    if (policy !== 'quarantine') return null
    const tag = decidingTag(facts)
    const changes = { ...withoutWeakerTags(record, 'reject'), [tag]: 'reject' }
    // With an exception, quarantine does not apply to all mail yet, so it is not the last step.
    const isComplete = !isTesting(record) && readPercentage(record) === 100
    const isEnough = isComplete && !leavesGaps(facts, tag, 'reject')
    return afterReports(facts, 'dmarc.policy-quarantine', { domain }, changes, isEnough)
  },

  (facts) => {
    const { applied, policy } = facts
    if (!isTesting(applied.record) || policy === 'none') return null
    const values = { effective: nextWeakerPolicy(policy), policy }
    return afterReports(facts, 'dmarc.testing', values, { t: null })
  },

  (facts) => {
    const { applied, policy } = facts
    const percent = readPercentage(applied.record)
    if (percent === 100 || policy === 'none') return null
    const values = { share: `${percent}%`, policy, weaker: nextWeakerPolicy(policy) }
    return afterReports(facts, 'dmarc.partial', values, { pct: null })
  },
]

export function judgePolicy(facts: DmarcFacts): Finding[] {
  const { applied, policy } = facts
  return applied && policy ? judge(RULES, { ...facts, applied, policy }) : []
}

/** The tag that the policy comes from: for an inherited policy `np` or `sp`, if present. */
function decidingTag({ domain, applied, policy }: PolicyFacts): string {
  const { step, record, policies } = applied
  if (step.domain === domain) return 'p'
  if (policies?.subdomains === policy) return record.tags.has('sp') ? 'sp' : 'p'
  return 'np'
}

type Staged = `dmarc.${'policy-none' | 'policy-quarantine' | 'testing' | 'partial'}`

/** A stricter policy can lose mail, so reports come first (RFC 9989 §8.5). */
function afterReports(
  facts: PolicyFacts,
  id: Staged,
  values: FindingValues[`${Staged} (conflicting-rua)`],
  changes: TagChanges,
  isEnough = true,
): Found {
  const { domain, applied } = facts
  const evidence = dmarcRecordEvidence(applied)
  if (applied.record.conflictingTags.includes('rua')) {
    return found(`${id} (conflicting-rua)`, values, { evidence })
  }
  // The reports that a registry asks for go to the registry.
  if (!mayReceiveReports(facts, applied) || isPublicSuffixRecord(applied, domain)) {
    const first = recordChange(facts, applied, reportRequestChanges(facts, applied))
    return found(`${id} (no-reports)`, { ...values, ...first }, { evidence })
  }
  return found(
    id,
    { ...values, ...recordChange(facts, applied, changes) },
    { evidence, ...(isEnough && recordChangeProposal(facts, applied, changes)) },
  )
}

/** The change leaves names or receivers with a weaker policy, which takes another change elsewhere. */
function leavesGaps(
  { applied, appliedToSubdomains }: PolicyFacts,
  tag: string,
  policy: DmarcPolicy,
): boolean {
  // RFC 7489 receivers do not know `np`.
  if (tag === 'np') return true
  const below = appliedToSubdomains?.record === applied.record ? null : appliedToSubdomains
  return Object.values(below?.policies ?? {}).some((each) => isWeakerPolicy(each, policy))
}

/** RFC 9989 §4.10.1: the policy of a public suffix applies where the organization has none. */
export function judgePublicSuffixPolicy(facts: DmarcFacts): Finding[] {
  const { domain, applied } = facts
  if (!applied || !isPublicSuffixRecord(applied, domain)) return []
  const values = { domain, registry: applied.step.domain, ...recordChange(facts, applied) }
  const evidence = dmarcRecordEvidence(applied)
  return [writeFinding(found('dmarc.public-suffix-policy', values, { evidence }))]
}
