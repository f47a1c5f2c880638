/** Findings about names below a protected domain: forgers use those that are not protected. */
import type { Finding } from '../finding.js'
import { type Found, found, judge, type Rule } from '../rule.js'
import type { AppliedDmarcRecord, DmarcFacts } from './discover-dmarc.js'
import {
  dmarcRecordEvidence,
  type PolicyFacts,
  placeOf,
  recordChange,
  recordChangeProposal,
} from './dmarc-advice.js'
import { isWeakerPolicy } from './dmarc-policies.js'
import { isPublicSuffixRecord } from './tree-walk.js'

interface SubdomainFacts extends PolicyFacts {
  /** The record that applies to names below the domain. */
  readonly below: AppliedDmarcRecord
  /** An inherited policy is already the one for subdomains or nonexistent names. */
  readonly isOwn: boolean
}

const RULES: readonly Rule<SubdomainFacts>[] = [
  weakerSubdomains,

  // Only where `np` is given: otherwise nonexistent names have the policy of existing ones.
  (facts) => {
    const { domain, below, policy } = facts
    const weak = below.policies?.nonexistent
    if (!weak || !below.record.tags.has('np') || !isWeakerPolicy(weak, policy)) return null
    const changes = { np: 'reject' }
    return found(
      'dmarc.nonexistent-weaker',
      { domain, weak, policy, ...recordChange(facts, below, changes) },
      { evidence: dmarcRecordEvidence(below), ...recordChangeProposal(facts, below, changes) },
    )
  },

  // RFC 9989 §4.7: `sp` and `np` count only in the record of the organizational domain.
  (facts) => {
    const { domain, applied, below, isOwn } = facts
    const isGiven = ['sp', 'np'].some((tag) => applied.record.tags.has(tag))
    if (!isOwn || below.step === applied.step || !isGiven) return null
    return found(
      'dmarc.subdomain-tags-ignored',
      {
        domain,
        name: applied.step.name,
        mainName: below.step.name,
        mainPlace: placeOf(below.step),
        ...recordChange(facts, applied, { sp: null, np: null }),
      },
      { evidence: dmarcRecordEvidence(applied) },
    )
  },
]

export function judgeSubdomains(facts: DmarcFacts): Finding[] {
  const { domain, applied, policy, appliedToSubdomains: below } = facts
  if (!applied || !policy || !below) return []
  return judge(RULES, { ...facts, applied, policy, below, isOwn: applied.step.domain === domain })
}

function weakerSubdomains(facts: SubdomainFacts): Found | null {
  const { domain, organizationalDomain, policy, below, isOwn } = facts
  const weak = below.policies?.subdomains
  if (!isOwn || !weak || !isWeakerPolicy(weak, policy)) return null
  const id = weak === 'none' ? 'dmarc.subdomains-open' : 'dmarc.subdomains-weaker'
  // In the domain's own record, `p` applies where `sp` is missing.
  const isInOwn = below.step.domain === domain
  const changes = { sp: isInOwn ? null : policy }
  const values = { domain, policy, ...recordChange(facts, below, changes) }
  const evidence = dmarcRecordEvidence(below)
  if (isPublicSuffixRecord(below, domain)) {
    const owner = organizationalDomain ?? domain
    return found(`${id} (registry)`, { ...values, owner }, { evidence })
  }
  if (!isInOwn) {
    return found(`${id} (inherited)`, { ...values, owner: below.step.domain }, { evidence })
  }
  // From none, quarantine comes first. In another domain's record, this would enforce more.
  const proposal = weak === 'none' ? {} : recordChangeProposal(facts, below, changes)
  return found(id, values, { evidence, ...proposal })
}
