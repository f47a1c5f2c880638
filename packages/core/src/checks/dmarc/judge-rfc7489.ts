/** Findings about receivers that still follow RFC 7489 and reach another result. */
import { createFinding, type Finding } from '../finding.js'
import type { AppliedDmarcRecord, DmarcFacts } from './discover-dmarc.js'
import {
  capitalize,
  cnameNote,
  dmarcRecordEvidence,
  findWalkStep,
  publishInstruction,
  recordChangeInstruction,
} from './dmarc-advice.js'
import type { Rfc7489Policy } from './dmarc-policies.js'
import { DMARC_POLICIES, type DmarcPolicy, readTagChoice } from './dmarc-record.js'
import { proposeDmarcRecord } from './rewrite-dmarc-record.js'
import { isPublicSuffixRecord } from './tree-walk.js'

export function judgeRfc7489(facts: DmarcFacts): Finding[] {
  const { applied, rfc7489 } = facts
  if (!applied || !rfc7489 || !differs(facts, rfc7489)) return []
  return [judgeDifference(facts, applied, rfc7489)]
}

function differs({ applied, policy }: DmarcFacts, older: Rfc7489Policy): boolean {
  if (policy !== older.policy) return true
  return policy !== null && applied?.step.name !== older.recordName
}

function judgeDifference(
  facts: DmarcFacts,
  applied: AppliedDmarcRecord,
  older: Rfc7489Policy,
): Finding {
  const { domain, policy } = facts
  const theirs = older.recordName
    ? `use the record at ${older.recordName} and apply ${formatPolicy(older.policy)}`
    : 'find no usable record'
  return createFinding(
    'dmarc.old-receivers-differ',
    {
      title:
        policy === older.policy
          ? `Older receivers use the record at ${older.recordName}`
          : `Older receivers apply ${formatPolicy(older.policy)} instead of ${formatPolicy(policy)}`,
      detail: `RFC 9989 receivers walk up the DNS, find ${applied.step.name} and apply ${formatPolicy(policy)} to ${domain}. RFC 7489 receivers take ${older.organizationalDomain} as the organizational domain, from the public suffix list; they ${theirs}.`,
      fix: alignReceivers(facts, applied, older),
    },
    dmarcRecordEvidence(applied),
  )
}

/** The change that makes both kinds of receivers apply the stronger policy, usually a separate record. */
function alignReceivers(
  facts: DmarcFacts,
  applied: AppliedDmarcRecord,
  older: Rfc7489Policy,
): string {
  const { domain, policy, walk } = facts
  const { step, record, policies } = applied
  const own = walk.steps[0]
  if (own && own.records.length > 1) {
    return `Keep a single record at ${own.name}.${cnameNote(own)}`
  }
  if (readTagChoice(record, 'np', DMARC_POLICIES) === 'invalid') {
    return `Correct np in the record at ${step.name}, which older receivers do not read.${cnameNote(step)}`
  }
  if (isPublicSuffixRecord(applied, domain))
    return capitalize(recordChangeInstruction(facts, applied))
  const agreed = strongest(policy, older.policy)
  if (policy !== policies?.subdomains) {
    return capitalize(recordChangeInstruction(facts, applied, { sp: agreed, np: null }))
  }
  const changes = { p: agreed, sp: null, np: null, psd: null }
  const advice = publishInstruction(
    findWalkStep(facts, domain),
    proposeDmarcRecord(record, changes),
    'publish a separate record',
  )
  return capitalize(advice)
}

function strongest(...policies: (DmarcPolicy | null)[]): DmarcPolicy | null {
  return DMARC_POLICIES.findLast((policy) => policies.includes(policy)) ?? null
}

function formatPolicy(policy: DmarcPolicy | null): string {
  return policy === null ? 'no policy' : `the policy ${policy}`
}
