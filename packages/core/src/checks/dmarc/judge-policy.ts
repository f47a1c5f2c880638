/** Findings about how well the policy protects: the domain, names below it, and with older receivers. */
import type { FindingValues } from '../../catalog/findings.js'
import type { Finding } from '../finding.js'
import { type Found, found, judge, type Rule, writeFinding } from '../rule.js'
import { type AppliedDmarcRecord, type DmarcFacts, mayReceiveReports } from './discover-dmarc.js'
import {
  type AppliedFacts,
  defaultReportUri,
  dmarcRecordEvidence,
  findWalkStep,
  hasPolicy,
  isPolicyUnclear,
  type PolicyFacts,
  placeOf,
  recordChange,
  recordChangeProposal,
  reportRequestChanges,
  withoutWeakerTags,
} from './dmarc-advice.js'
import { isWeakerPolicy, nextWeakerPolicy, type Rfc7489Policy } from './dmarc-policies.js'
import {
  DMARC_POLICIES,
  type DmarcPolicy,
  isTesting,
  readPercentage,
  readTagChoice,
} from './dmarc-record.js'
import { proposeDmarcRecord, type TagChanges } from './rewrite-dmarc-record.js'
import { findOwnOrganization, isPublicSuffixAbove, isPublicSuffixRecord } from './tree-walk.js'

/** A stricter policy starts without what would hold it back. */
const IN_FULL: TagChanges = { t: null, pct: null }

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
    if (isFromAbove(facts)) return ownRecord(facts, 'dmarc.policy-none', 'quarantine')
    const changes = { ...tagsToRaise(facts, 'quarantine'), [changed]: 'quarantine', ...IN_FULL }
    const isEnough = !leavesGaps(facts, tag, 'quarantine')
    return afterReports(facts, 'dmarc.policy-none', { domain }, changes, isEnough)
  },

  (facts) => {
    const { domain, applied, policy } = facts
    const { record } = applied
    if (policy !== 'quarantine') return null
    if (isFromAbove(facts)) return ownRecord(facts, 'dmarc.policy-quarantine', 'reject')
    const tag = decidingTag(facts)
    const changes = { ...tagsToRaise(facts, 'reject'), [tag]: 'reject', ...IN_FULL }
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
    const share = percent === 0 ? '' : `${percent}% of `
    const values = { share, some: Math.sign(percent), policy, weaker: nextWeakerPolicy(policy) }
    return afterReports(facts, 'dmarc.partial', values, { pct: null })
  },
]

export function judgePolicy(facts: DmarcFacts): Finding[] {
  return hasPolicy(facts) ? judge(RULES, facts) : []
}

/** The tag that the policy comes from: for an inherited policy `np` or `sp`, if present. */
function decidingTag({ domain, applied, policy }: PolicyFacts): string {
  const { step, record, policies } = applied
  if (step.domain === domain) return 'p'
  if (policies?.subdomains === policy) return record.tags.has('sp') ? 'sp' : 'p'
  return 'np'
}

/** Of the domain above, whose record other names follow as well; not of a registry. */
function isFromAbove(facts: PolicyFacts): boolean {
  const { domain, applied } = facts
  // A name that does not exist gets no record.
  const exists = decidingTag(facts) !== 'np'
  return applied.step.domain !== domain && exists && !isPublicSuffixRecord(applied, domain)
}

/** A policy below that is weaker than the domain's today has a finding of its own, and stays. */
function tagsToRaise({ applied: { record }, policy }: PolicyFacts, next: DmarcPolicy): TagChanges {
  const kept = withoutWeakerTags(record, policy)
  const weaker = Object.keys(withoutWeakerTags(record, next)).filter((tag) => !(tag in kept))
  return Object.fromEntries(weaker.map((tag) => [tag, null]))
}

/** Only the domain was looked at, so its policy changes alone. */
function ownRecord(
  facts: PolicyFacts,
  id: 'dmarc.policy-none' | 'dmarc.policy-quarantine',
  policy: DmarcPolicy,
): Found {
  const { domain, applied } = facts
  const { step, record } = applied
  const rua = mayReceiveReports(facts, applied) ? {} : { rua: defaultReportUri(facts, domain) }
  const changes = { p: policy, sp: null, np: null, psd: null, ...IN_FULL, ...rua }
  const values = {
    domain,
    owner: step.domain,
    place: placeOf(findWalkStep(facts, domain)),
    record: proposeDmarcRecord(record, changes),
  }
  return found(`${id} (inherited)`, values, { evidence: dmarcRecordEvidence(applied) })
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
  { applied, appliedToSubdomains, policy: today }: PolicyFacts,
  tag: string,
  policy: DmarcPolicy,
): boolean {
  // RFC 7489 receivers do not know `np`.
  if (tag === 'np' || Object.keys(withoutWeakerTags(applied.record, today)).length > 0) return true
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

interface SubdomainFacts extends PolicyFacts {
  /** The record that applies to names below the domain. */
  readonly below: AppliedDmarcRecord
  /** An inherited policy is already the one for subdomains or nonexistent names. */
  readonly isOwn: boolean
}

const SUBDOMAIN_RULES: readonly Rule<SubdomainFacts>[] = [
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

/** Forgers use names that are not protected. */
export function judgeSubdomains(facts: DmarcFacts): Finding[] {
  if (!hasPolicy(facts) || !facts.appliedToSubdomains) return []
  const { domain, applied, appliedToSubdomains: below } = facts
  const isOwn = applied.step.domain === domain
  return judge(SUBDOMAIN_RULES, { below, isOwn, ...facts })
}

function weakerSubdomains(facts: SubdomainFacts): Found | null {
  const { domain, organizationalDomain, policy, below, isOwn } = facts
  const weak = below.policies?.subdomains
  if (!isOwn || !weak || !isWeakerPolicy(weak, policy)) return null
  const id = weak === 'none' ? 'dmarc.subdomains-open' : 'dmarc.subdomains-weaker'
  // In the domain's own record, `p` applies where `sp` is missing.
  const isInOwn = below.step.domain === domain
  const changes = { sp: isInOwn ? null : policy }
  const { nonexistent = weak } = below.policies ?? {}
  const policies = isWeakerPolicy(weak, nonexistent) ? 2 : 1
  const values = { domain, policy, policies, ...recordChange(facts, below, changes) }
  const evidence = dmarcRecordEvidence(below)
  if (isPublicSuffixRecord(below, domain)) {
    const owner = findOwnOrganization(domain, organizationalDomain)
    return found(`${id} (registry)`, { ...values, owner }, { evidence })
  }
  if (!isInOwn) {
    return found(`${id} (inherited)`, { ...values, owner: below.step.domain }, { evidence })
  }
  // From none, quarantine comes first. In another domain's record, this would enforce more.
  const proposal = weak === 'none' ? {} : recordChangeProposal(facts, below, changes)
  return found(id, values, { evidence, ...proposal })
}

interface OlderFacts extends AppliedFacts {
  readonly rfc7489: Rfc7489Policy
}

function hasOlderPolicy(facts: DmarcFacts): facts is OlderFacts {
  return facts.applied !== null && facts.rfc7489 !== null
}

const RFC7489_RULES: readonly Rule<OlderFacts>[] = [
  (facts) => {
    const { domain, organizationalDomain, applied } = facts
    const suffix = organizationalDomain ?? domain
    const isOwn = applied.step.domain === facts.rfc7489.organizationalDomain
    if (!isOwn || !isPublicSuffixAbove(suffix, domain)) return null
    const changes = { psd: 'n' }
    // A weaker `sp` would take effect with it.
    const isSafe = Object.keys(withoutWeakerTags(applied.record, 'reject')).length === 0
    return found(
      'dmarc.old-receivers-differ (suffix)',
      { domain, suffix, ...recordChange(facts, applied, changes) },
      {
        evidence: dmarcRecordEvidence(applied),
        ...(isSafe && recordChangeProposal(facts, applied, changes)),
      },
    )
  },

  (facts) => {
    const { domain, walk, applied, policy, rfc7489: older } = facts
    const { step, record } = applied
    const isSamePolicy = policy === older.policy
    if (isSamePolicy && (policy === null || step.name === older.recordName)) return null
    const proof = { evidence: dmarcRecordEvidence(applied) }
    const values = { domain, name: step.name, policy: formatPolicy(policy) }
    const [own] = walk.steps
    if (own && own.records.length > 1) {
      const places = { ownName: own.name, place: placeOf(own) }
      return found('dmarc.old-receivers-differ (several-records)', { ...values, ...places }, proof)
    }
    const olderPolicy = formatPolicy(older.policy)
    if (readTagChoice(record, 'np', DMARC_POLICIES) === 'invalid') {
      const place = placeOf(step)
      return found(
        'dmarc.old-receivers-differ (invalid-np)',
        { ...values, olderPolicy, place },
        proof,
      )
    }
    const all = {
      ...values,
      organization: older.organizationalDomain,
      olderName: older.recordName,
      olderPolicy,
      ...alignReceivers(facts),
    }
    if (older.recordName === null)
      return found('dmarc.old-receivers-differ (no-record)', all, proof)
    const key = isSamePolicy
      ? 'dmarc.old-receivers-differ (same-policy)'
      : 'dmarc.old-receivers-differ'
    return found(key, all, proof)
  },
]

/** Receivers that still follow RFC 7489 may reach another result. */
export function judgeRfc7489(facts: DmarcFacts): Finding[] {
  return hasOlderPolicy(facts) ? judge(RFC7489_RULES, facts) : []
}

/** The change that makes both kinds of receivers apply the stronger policy, usually a separate record. */
function alignReceivers(facts: OlderFacts) {
  const { domain, applied, policy, rfc7489: older } = facts
  if (isPublicSuffixRecord(applied, domain)) return recordChange(facts, applied)
  const agreed = DMARC_POLICIES.findLast((each) => each === policy || each === older.policy) ?? null
  if (policy !== applied.policies?.subdomains) {
    return recordChange(facts, applied, { sp: agreed, np: null })
  }
  const changes = { p: agreed, sp: null, np: null, psd: null }
  return {
    place: placeOf(findWalkStep(facts, domain)),
    record: proposeDmarcRecord(applied.record, changes),
  }
}

function formatPolicy(policy: DmarcPolicy | null): string {
  return policy === null ? 'no policy' : `the policy ${policy}`
}
