/** Findings about receivers that still follow RFC 7489 and reach another result. */
import type { Finding } from '../finding.js'
import { found, judge, type Rule } from '../rule.js'
import type { DmarcFacts } from './discover-dmarc.js'
import {
  type AppliedFacts,
  dmarcRecordEvidence,
  findWalkStep,
  placeOf,
  recordChange,
} from './dmarc-advice.js'
import type { Rfc7489Policy } from './dmarc-policies.js'
import { DMARC_POLICIES, type DmarcPolicy, readTagChoice } from './dmarc-record.js'
import { proposeDmarcRecord } from './rewrite-dmarc-record.js'
import { isPublicSuffixRecord } from './tree-walk.js'

interface OlderFacts extends AppliedFacts {
  readonly older: Rfc7489Policy
}

const RULES: readonly Rule<OlderFacts>[] = [
  (facts) => {
    const { domain, walk, applied, policy, older } = facts
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

export function judgeRfc7489(facts: DmarcFacts): Finding[] {
  const { applied, rfc7489: older } = facts
  return applied && older ? judge(RULES, { ...facts, applied, older }) : []
}

/** The change that makes both kinds of receivers apply the stronger policy, usually a separate record. */
function alignReceivers(facts: OlderFacts) {
  const { domain, applied, policy, older } = facts
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
