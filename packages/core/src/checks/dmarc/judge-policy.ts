/** Findings about how well the policy protects against forged mail. */
import { createFinding, type Finding } from '../finding.js'
import { type AppliedDmarcRecord, type DmarcFacts, mayReceiveReports } from './discover-dmarc.js'
import {
  dmarcRecordEvidence,
  recordChangeInstruction,
  recordChangeProposal,
  reportRequestChanges,
  SEE_BAD_TAGS,
  withoutWeakerTags,
} from './dmarc-advice.js'
import {
  hasInvalidPolicy,
  isWeakerPolicy,
  nextWeakerPolicy,
  POLICY_EFFECTS,
} from './dmarc-policies.js'
import { type DmarcPolicy, type DmarcRecord, isTesting, readPercentage } from './dmarc-record.js'
import type { TagChanges } from './rewrite-dmarc-record.js'
import { isPublicSuffixRecord } from './tree-walk.js'

/** Forwarding breaks SPF, so a stricter policy for all mail relies on DKIM (RFC 9989 §8.5). */
const ALL_SIGNED_FOR_A_MONTH =
  'all your services pass with DKIM and, for at least a month, the reports show that none of your mail was lost'

export function judgePolicy(facts: DmarcFacts): Finding[] {
  const { applied, policy } = facts
  if (!applied || !policy) return []
  return [
    ...judgeStrength(facts, applied, policy),
    ...judgeTesting(facts, applied, policy),
    ...judgePercent(facts, applied, policy),
  ]
}

function judgeStrength(
  facts: DmarcFacts,
  applied: AppliedDmarcRecord,
  policy: DmarcPolicy,
): Finding[] {
  if (policy === 'reject') return []
  const tag = decidingTag(facts.domain, applied, policy)
  return [policy === 'none' ? judgeNone(facts, applied, tag) : judgeQuarantine(facts, applied, tag)]
}

/** The tag that the policy comes from: for an inherited policy `np` or `sp`, if present. */
function decidingTag(
  domain: string,
  { step, record, policies }: AppliedDmarcRecord,
  policy: DmarcPolicy,
) {
  if (step.domain === domain) return 'p'
  if (policies?.subdomains === policy) return record.tags.has('sp') ? 'sp' : 'p'
  return 'np'
}

function judgeNone(facts: DmarcFacts, applied: AppliedDmarcRecord, tag: string): Finding {
  const { record } = applied
  const reason = reasonForNone(record, tag)
  // Test mode goes, because it would turn quarantine into none.
  const changes = {
    ...withoutWeakerTags(record, 'quarantine'),
    [reason === 'no p' ? 'p' : tag]: 'quarantine',
    t: null,
    pct: null,
  }
  const isClear = reason === 'intended' || reason === 'no p'
  return createFinding(
    'dmarc.policy-none',
    {
      title: 'DMARC policy is "none": forged mail is delivered',
      detail: `${explainNone(reason)}When mail forges ${facts.domain}, receivers ${POLICY_EFFECTS.none}. There may be reports, but there is no protection.`,
      ...(isClear
        ? afterReports(facts, applied, {
            changes,
            policy: 'quarantine',
            tag,
            next: `${tag}=quarantine, and at least a month later to ${tag}=reject`,
            afterwards: `. Change quarantine to reject when ${ALL_SIGNED_FOR_A_MONTH}.`,
          })
        : { fix: SEE_BAD_TAGS }),
    },
    dmarcRecordEvidence(applied),
  )
}

type ReasonForNone = 'intended' | 'no p' | 'conflict' | 'fault'

function reasonForNone(record: DmarcRecord, tag: string): ReasonForNone {
  if (hasInvalidPolicy(record)) return 'fault'
  if (record.conflictingTags.includes('p')) return 'conflict'
  return record.tags.get(tag)?.toLowerCase() === 'none' ? 'intended' : 'no p'
}

function explainNone(reason: ReasonForNone): string {
  const explanations: Readonly<Record<ReasonForNone, string>> = {
    intended: '',
    'no p': 'The record has no p tag, so receivers act as if it said p=none. ',
    conflict:
      'The record has p more than once with different values. Receivers differ, so it counts as p=none. ',
    fault: 'A policy in the record is invalid, so receivers act as if it said p=none. ',
  }
  return explanations[reason]
}

function judgeQuarantine(facts: DmarcFacts, applied: AppliedDmarcRecord, tag: string): Finding {
  const { fix, record } = afterReports(facts, applied, {
    when: ALL_SIGNED_FOR_A_MONTH,
    changes: { ...withoutWeakerTags(applied.record, 'reject'), [tag]: 'reject' },
    policy: 'reject',
    tag,
    next: `${tag}=reject`,
  })
  // With an exception, quarantine does not apply to all mail yet, so it is not the last step.
  const isComplete = !isTesting(applied.record) && readPercentage(applied.record) === 100
  return createFinding(
    'dmarc.policy-quarantine',
    {
      title: 'Forged mail goes to spam instead of being rejected',
      detail: `When mail forges ${facts.domain}, receivers accept it and ${POLICY_EFFECTS.quarantine}, where people can still find it and believe it.`,
      fix,
      ...(isComplete && record && { record }),
    },
    dmarcRecordEvidence(applied),
  )
}

function judgeTesting(
  facts: DmarcFacts,
  applied: AppliedDmarcRecord,
  policy: DmarcPolicy,
): Finding[] {
  if (!isTesting(applied.record) || policy === 'none') return []
  const effective = nextWeakerPolicy(policy)
  return [
    createFinding(
      'dmarc.testing',
      {
        title: `Test mode: receivers apply ${effective} instead of ${policy}`,
        detail: `With t=y, receivers apply the next weaker policy. When mail is forged, they ${POLICY_EFFECTS[effective]}. Older receivers ignore the tag and apply ${policy} in full.`,
        ...afterReports(facts, applied, {
          when: ALL_SIGNED_FOR_A_MONTH,
          changes: { t: null },
          next: 'the same record without t=y',
        }),
      },
      dmarcRecordEvidence(applied),
    ),
  ]
}

function judgePercent(
  facts: DmarcFacts,
  applied: AppliedDmarcRecord,
  policy: DmarcPolicy,
): Finding[] {
  const percent = readPercentage(applied.record)
  if (percent === 100 || policy === 'none') return []
  return [
    createFinding(
      'dmarc.partial',
      {
        title: `Older receivers apply the policy to only ${percent}% of forged mail`,
        detail: `With pct=${percent}, RFC 7489 receivers apply ${policy} to that share of forged mail and ${nextWeakerPolicy(policy)} to the rest. RFC 9989 removed the tag, so newer receivers apply ${policy} to all of it.`,
        ...afterReports(facts, applied, {
          when: ALL_SIGNED_FOR_A_MONTH,
          changes: { pct: null },
          next: 'the same record without pct',
        }),
      },
      dmarcRecordEvidence(applied),
    ),
  ]
}

interface PolicyChange {
  /** What must be true first. */
  readonly when?: string
  readonly changes: TagChanges
  /** The new policy, and the tag that it is set in. */
  readonly policy?: DmarcPolicy
  readonly tag?: string
  /** The change in a few words, for domains that need reports first. */
  readonly next: string
  readonly afterwards?: string
}

/** A stricter policy can lose mail, so reports come first. */
function afterReports(
  facts: DmarcFacts,
  applied: AppliedDmarcRecord,
  change: PolicyChange,
): Pick<Finding, 'fix' | 'record'> {
  const {
    when = 'the reports show that your own mail passes',
    changes,
    next,
    afterwards = '',
  } = change
  if (applied.record.conflictingTags.includes('rua')) return { fix: SEE_BAD_TAGS }
  const arrive = mayReceiveReports(facts, applied)
  // The reports that a registry asks for go to the registry.
  if (arrive && !isPublicSuffixRecord(applied, facts.domain)) {
    return {
      fix: `When ${when}, ${recordChangeInstruction(facts, applied, changes)}${afterwards}`,
      ...(!leavesGaps(facts, applied, change) && recordChangeProposal(facts, applied, changes)),
    }
  }
  const first = reportRequestChanges(facts, applied)
  return {
    fix: `You get no reports yet, and only they show whether your own mail passes. First ${recordChangeInstruction(facts, applied, first)}. Use a mailbox that you read. When ${when}, move to ${next}.`,
  }
}

/** The change leaves names or receivers with a weaker policy, which takes another change elsewhere. */
function leavesGaps(
  { appliedToSubdomains }: DmarcFacts,
  applied: AppliedDmarcRecord,
  { policy, tag }: PolicyChange,
): boolean {
  if (!policy) return false
  // RFC 7489 receivers do not know `np`.
  if (tag === 'np') return true
  const below = appliedToSubdomains?.record === applied.record ? null : appliedToSubdomains
  return Object.values(below?.policies ?? {}).some((each) => isWeakerPolicy(each, policy))
}

/** RFC 9989 §4.10.1: the policy of a public suffix applies where the organization has none. */
export function judgePublicSuffixPolicy(facts: DmarcFacts): Finding[] {
  const { domain, applied } = facts
  if (!applied || !isPublicSuffixRecord(applied, domain)) return []
  const registry = applied.step.domain
  return [
    createFinding(
      'dmarc.public-suffix-policy',
      {
        title: `The policy comes from the registry, ${registry}`,
        detail: `${domain} has no record, so the one that the operator of ${registry} publishes for all domains below it applies. It can change without notice, and the reports go to the registry.`,
        fix: `To have your own policy and reports, ${recordChangeInstruction(facts, applied)}`,
      },
      dmarcRecordEvidence(applied),
    ),
  ]
}
