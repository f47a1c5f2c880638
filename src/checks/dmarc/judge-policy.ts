/** Whether the policy keeps mail out that only pretends to come from the domain. */
import { type Finding, finding } from '../finding.js'
import { publication, publishedRecord } from './advice.js'
import type { Applied, DmarcFacts } from './discover-dmarc.js'
import { type DmarcRecord, isTesting, type Policy, percentOf } from './dmarc-record.js'
import { recordEvidence } from './evidence.js'
import { CONSEQUENCES, hasInvalidPolicy, oneLevelDown } from './policies.js'
import { contradictions } from './rewrite-record.js'

export function judgePolicy(facts: DmarcFacts): Finding[] {
  const { applied, policy } = facts
  if (!applied || !policy) return []
  return [
    ...judgeStrength(facts, applied, policy),
    ...judgeTesting(facts, applied, policy),
    ...judgePercent(facts, applied, policy),
  ]
}

function judgeStrength(facts: DmarcFacts, applied: Applied, policy: Policy): Finding[] {
  if (policy === 'reject') return []
  const tag = decidingTag(facts.domain, applied, policy)
  return [policy === 'none' ? judgeNone(facts, applied, tag) : judgeQuarantine(facts, applied, tag)]
}

/** The tag that the policy comes from: `np` or `sp` where it is inherited and they are given. */
function decidingTag(domain: string, { station, record, policies }: Applied, policy: Policy) {
  if (station.domain === domain) return 'p'
  if (policies?.subdomains === policy) return record.tags.has('sp') ? 'sp' : 'p'
  return 'np'
}

function judgeNone(facts: DmarcFacts, applied: Applied, tag: string): Finding {
  const { record } = applied
  const reason = reasonForNone(record, tag)
  const consequence = `Receivers that find mail in the name of ${facts.domain} to be forged ${CONSEQUENCES.none}: there may be reports, but there is no protection.`
  // What `sp` says counts for nothing without `p`, and is not to be changed for it.
  const changes = { [reason === 'no p' ? 'p' : tag]: 'quarantine' }
  const isClear = reason === 'meant' || reason === 'no p'
  return finding(
    'dmarc.policy-none',
    {
      title: 'Nothing happens to forged mail: the policy is none',
      detail: `${reasonInWords(reason, tag)}${consequence}`,
      fix: isClear
        ? `When the reports show that your own mail passes, ${publication(facts, applied, changes)}. After some weeks without trouble, put reject in place of quarantine.`
        : 'Correct the record, as dmarc.bad-tags says.',
      ...(isClear && publishedRecord(facts, applied, changes)),
    },
    recordEvidence(applied),
  )
}

type ReasonForNone = 'meant' | 'no p' | 'contradiction' | 'fault'

function reasonForNone(record: DmarcRecord, tag: string): ReasonForNone {
  if (hasInvalidPolicy(record)) return 'fault'
  if (contradictions(record).includes(tag)) return 'contradiction'
  return record.tags.get(tag)?.toLowerCase() === 'none' ? 'meant' : 'no p'
}

function reasonInWords(reason: ReasonForNone, tag: string): string {
  const words: Readonly<Record<ReasonForNone, string>> = {
    meant: '',
    'no p': 'The record has no p, so receivers act as if it said p=none. ',
    contradiction: `${tag} stands there more than once, and receivers go by the last. `,
    fault: 'A policy in the record is wrong, so receivers act as if it said p=none. ',
  }
  return words[reason]
}

function judgeQuarantine(facts: DmarcFacts, applied: Applied, tag: string): Finding {
  return finding(
    'dmarc.policy-quarantine',
    {
      title: 'Forged mail goes to the spam folder instead of being refused',
      detail: `Under quarantine receivers take mail that pretends to come from ${facts.domain} and ${CONSEQUENCES.quarantine}, where people still find it and believe it.`,
      fix: `When the reports show that your own mail passes, ${publication(facts, applied, { [tag]: 'reject' })}`,
      ...publishedRecord(facts, applied, { [tag]: 'reject' }),
    },
    recordEvidence(applied),
  )
}

function judgeTesting(facts: DmarcFacts, applied: Applied, policy: Policy): Finding[] {
  if (!isTesting(applied.record) || policy === 'none') return []
  const applies = oneLevelDown(policy)
  return [
    finding(
      'dmarc.testing',
      {
        title: `Test mode: receivers apply ${applies} instead of ${policy}`,
        detail: `With t=y receivers take the policy one level down. When mail is forged, they ${CONSEQUENCES[applies]}. Older receivers do not know the tag and apply ${policy} in full.`,
        fix: `When the test has gone well, ${publication(facts, applied, { t: null })}`,
        ...publishedRecord(facts, applied, { t: null }),
      },
      recordEvidence(applied),
    ),
  ]
}

function judgePercent(facts: DmarcFacts, applied: Applied, policy: Policy): Finding[] {
  const percent = percentOf(applied.record)
  if (percent === 100 || policy === 'none') return []
  return [
    finding(
      'dmarc.partial',
      {
        title: `Older receivers apply the policy to only ${percent} % of forged mail`,
        detail: `With pct=${percent} receivers that go by RFC 7489 apply ${policy} to that share of forged mail and ${oneLevelDown(policy)} to the rest. RFC 9989 has dropped the tag, and receivers that go by it apply ${policy} to all.`,
        fix: `When the reports show that your own mail passes, ${publication(facts, applied)}`,
        ...publishedRecord(facts, applied),
      },
      recordEvidence(applied),
    ),
  ]
}
