/** Whether names below a protected domain are protected as well; forgers choose those that are not. */
import { createFinding, type Finding } from '../finding.js'
import type { AppliedDmarcRecord, DmarcFacts } from './discover-dmarc.js'
import {
  capitalize,
  cnameNote,
  dmarcRecordEvidence,
  recordChangeInstruction,
  recordChangeProposal,
} from './dmarc-advice.js'
import { isWeakerPolicy, POLICY_EFFECTS } from './dmarc-policies.js'
import type { DmarcPolicy } from './dmarc-record.js'

export function judgeSubdomains(facts: DmarcFacts): Finding[] {
  const { domain, applied, policy, appliedToSubdomains } = facts
  if (!applied || !policy || !appliedToSubdomains) return []
  // An inherited policy is itself that of subdomains, or of names that do not exist.
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
  // In the domain's own record, what `sp` does not say `p` does.
  const isOwn = below.step.domain === facts.domain
  const changes = { sp: isOwn ? null : policy }
  const advice = recordChangeInstruction(facts, below, changes)
  return [
    createFinding(
      weak === 'none' ? 'dmarc.subdomains-open' : 'dmarc.subdomains-weaker',
      {
        title: `The subdomains of ${facts.domain} have only the policy ${weak}`,
        detail: `The domain itself has ${policy}. But when mail in the name of any of its subdomains is forged, receivers ${POLICY_EFFECTS[weak]}, and a forger only has to make up a subdomain.`,
        fix: `Make sure that your own mail from subdomains passes, then ${isOwn ? advice : `${advice}, which holds for every subdomain of ${below.step.domain}`}`,
        ...recordChangeProposal(facts, below, changes),
      },
      dmarcRecordEvidence(below),
    ),
  ]
}

/** Only what `np` itself says: without it such names share the fate of those that exist. */
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
        title: `Subdomains that do not exist have only the policy ${weak}`,
        detail: `np=${weak} is weaker than the policy ${policy} of ${facts.domain}. No honest mail comes from a name that does not exist, so there is nothing to spare.`,
        fix: capitalize(recordChangeInstruction(facts, below, { np: 'reject' })),
        ...recordChangeProposal(facts, below, { np: 'reject' }),
      },
      dmarcRecordEvidence(below),
    ),
  ]
}

/** RFC 9989 §4.7: `sp` and `np` count in the record of the organisational domain alone. */
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
        title: `Without effect in this record: ${given.join(' and ')}`,
        detail: `Names below ${facts.domain} get their policy from ${below.step.name}, the record of the organisational domain, and not from this one.`,
        fix: `Set the policy of subdomains at ${below.step.name}, or give them records of their own.${cnameNote(below.step)} To clear this one, ${recordChangeInstruction(facts, applied, { sp: null, np: null })}`,
      },
      dmarcRecordEvidence(applied),
    ),
  ]
}
