/** Whether receivers of an older kind, or a registry, decide otherwise than the owner thinks. */
import { createFinding, type Finding } from '../finding.js'
import type { AppliedDmarcRecord, DmarcFacts } from './discover-dmarc.js'
import {
  capitalize,
  cnameNote,
  dmarcRecordEvidence,
  findWalkStep,
  isPublicSuffixRecord,
  publishInstruction,
  recordChangeInstruction,
} from './dmarc-advice.js'
import type { Rfc7489Policy } from './dmarc-policies.js'
import { DMARC_POLICIES, type DmarcPolicy, readTagChoice } from './dmarc-record.js'
import { proposeDmarcRecord } from './rewrite-dmarc-record.js'

export function judgeRfc7489(facts: DmarcFacts): Finding[] {
  const { domain, applied, rfc7489 } = facts
  if (!applied) return []
  return [
    ...(rfc7489 && differs(facts, rfc7489) ? [judgeDifference(facts, applied, rfc7489)] : []),
    ...(isPublicSuffixRecord(applied, domain) ? [judgeRegistry(facts, applied)] : []),
  ]
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
    ? `use the record at ${older.recordName} and apply ${inWords(older.policy)}`
    : 'find no usable record'
  return createFinding(
    'dmarc.old-receivers-differ',
    {
      title:
        policy === older.policy
          ? `Older receivers go by the record at ${older.recordName}`
          : `Older receivers apply ${inWords(older.policy)} instead of ${inWords(policy)}`,
      detail: `Receivers that go by RFC 9989 walk up the DNS, come to ${applied.step.name} and apply ${inWords(policy)} to ${domain}. Those that still go by RFC 7489 take ${older.organizationalDomain} for the organisational domain, from the public suffix list; they ${theirs}.`,
      fix: agreement(facts, applied, older),
    },
    dmarcRecordEvidence(applied),
  )
}

/** What makes both kinds of receivers agree, on the stronger policy: mostly a record of its own. */
function agreement(facts: DmarcFacts, applied: AppliedDmarcRecord, older: Rfc7489Policy): string {
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
    'publish a record of its own',
  )
  return capitalize(advice)
}

/** RFC 9989 §4.10.1: a public suffix's policy holds where the organisation has none. */
function judgeRegistry(facts: DmarcFacts, applied: AppliedDmarcRecord): Finding {
  const registry = applied.step.domain
  return createFinding(
    'dmarc.public-suffix-policy',
    {
      title: `The policy is that of the registry, ${registry}`,
      detail: `There is no record for ${facts.domain}, so the one holds that the operator of ${registry} publishes for everybody below. It can change without notice, and the reports go there.`,
      fix: `To have a policy and reports of your own, ${recordChangeInstruction(facts, applied)}`,
    },
    dmarcRecordEvidence(applied),
  )
}

function strongest(...policies: (DmarcPolicy | null)[]): DmarcPolicy | null {
  return DMARC_POLICIES.findLast((policy) => policies.includes(policy)) ?? null
}

function inWords(policy: DmarcPolicy | null): string {
  return policy === null ? 'no policy' : `the policy ${policy}`
}
