/** Findings about names below a protected domain: forgers use those that are not protected. */
import { createFinding, type Finding } from '../finding.js'
import type { AppliedDmarcRecord, DmarcFacts } from './discover-dmarc.js'
import {
  cnameNote,
  dmarcRecordEvidence,
  recordChangeInstruction,
  recordChangeProposal,
} from './dmarc-advice.js'
import { isWeakerPolicy, POLICY_EFFECTS } from './dmarc-policies.js'
import type { DmarcPolicy } from './dmarc-record.js'
import { isPublicSuffixRecord } from './tree-walk.js'

export function judgeSubdomains(facts: DmarcFacts): Finding[] {
  const { domain, applied, policy, appliedToSubdomains } = facts
  if (!applied || !policy || !appliedToSubdomains) return []
  // An inherited policy is already the one for subdomains or nonexistent names.
  const isOwn = applied.step.domain === domain
  return [
    ...(isOwn ? judgeExisting(facts, appliedToSubdomains, policy) : []),
    ...judgeNonexistent(facts, appliedToSubdomains, policy),
    ...(isOwn && appliedToSubdomains.step !== applied.step
      ? judgeIgnored(facts, applied, appliedToSubdomains)
      : []),
  ]
}

function judgeExisting(
  facts: DmarcFacts,
  below: AppliedDmarcRecord,
  policy: DmarcPolicy,
): Finding[] {
  const weak = below.policies?.subdomains
  if (!weak || !isWeakerPolicy(weak, policy)) return []
  // In the domain's own record, `p` applies where `sp` is missing.
  const isOwn = below.step.domain === facts.domain
  const changes = { sp: isOwn ? null : policy }
  const instruction = recordChangeInstruction(facts, below, changes)
  return [
    createFinding(
      weak === 'none' ? 'dmarc.subdomains-open' : 'dmarc.subdomains-weaker',
      {
        title: `Subdomains of ${facts.domain} have only the policy ${weak}`,
        detail: `The domain itself has ${policy}. But when mail forges one of its subdomains, receivers ${POLICY_EFFECTS[weak]}, and a forger only has to invent a subdomain.`,
        fix: `Make sure that your own mail from subdomains passes, then ${isOwn ? instruction : `${instruction}, which applies to ${describeReach(facts, below)}`}`,
        // From none, quarantine comes first. A record instead of a registry's, or in the record of a
        // parent, would enforce more than this.
        ...(weak !== 'none' && isOwn && recordChangeProposal(facts, below, changes)),
      },
      dmarcRecordEvidence(below),
    ),
  ]
}

function describeReach(
  { domain, organizationalDomain }: DmarcFacts,
  below: AppliedDmarcRecord,
): string {
  return isPublicSuffixRecord(below, domain)
    ? `${organizationalDomain ?? domain} and every name below it without its own record`
    : `every subdomain of ${below.step.domain}`
}

/** Only where `np` is given: otherwise nonexistent names have the policy of existing ones. */
function judgeNonexistent(
  facts: DmarcFacts,
  below: AppliedDmarcRecord,
  policy: DmarcPolicy,
): Finding[] {
  const weak = below.policies?.nonexistent
  if (!weak || !below.record.tags.has('np') || !isWeakerPolicy(weak, policy)) return []
  return [
    createFinding(
      'dmarc.nonexistent-weaker',
      {
        title: `Nonexistent subdomains have only the policy ${weak}`,
        detail: `np=${weak} is weaker than the policy ${policy} of ${facts.domain}. Mail from a name that does not exist is hardly ever legitimate.`,
        fix: `When the reports show none of your mail from such names, ${recordChangeInstruction(facts, below, { np: 'reject' })}`,
        ...recordChangeProposal(facts, below, { np: 'reject' }),
      },
      dmarcRecordEvidence(below),
    ),
  ]
}

/** RFC 9989 §4.7: `sp` and `np` count only in the record of the organizational domain. */
function judgeIgnored(
  facts: DmarcFacts,
  applied: AppliedDmarcRecord,
  below: AppliedDmarcRecord,
): Finding[] {
  const given = ['sp', 'np'].filter((tag) => applied.record.tags.has(tag))
  if (given.length === 0) return []
  return [
    createFinding(
      'dmarc.subdomain-tags-ignored',
      {
        title: `No effect in this record: ${given.join(' and ')}`,
        detail: `Names below ${facts.domain} get their policy from ${below.step.name}, the record of the organizational domain, not from this one.`,
        fix: `Set the policy for subdomains at ${below.step.name}, or publish separate records for them.${cnameNote(below.step)} To clean up this record, ${recordChangeInstruction(facts, applied, { sp: null, np: null })}`,
      },
      dmarcRecordEvidence(applied),
    ),
  ]
}
