/** Whether the policy keeps mail out that only pretends to come from the domain. */
import { type Finding, finding } from '../finding.js'
import { publication, publishedRecord } from './advice.js'
import { askingForReports, mayHaveReports } from './asking-for-reports.js'
import type { Applied, DmarcFacts } from './discover-dmarc.js'
import { type DmarcRecord, isTesting, type Policy, percentOf } from './dmarc-record.js'
import { recordEvidence } from './evidence.js'
import { CONSEQUENCES, hasInvalidPolicy, oneLevelDown } from './policies.js'
import { contradictions, type TagChanges } from './rewrite-record.js'

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
  // Nor is test mode, which would make none of quarantine again.
  const changes = { [reason === 'no p' ? 'p' : tag]: 'quarantine', t: null }
  const isClear = reason === 'meant' || reason === 'no p'
  return finding(
    'dmarc.policy-none',
    {
      title: 'Nothing happens to forged mail: the policy is none',
      detail: `${reasonInWords(reason, tag)}${consequence}`,
      ...(isClear
        ? afterReports(facts, applied, {
            changes,
            next: `${tag}=quarantine, and some weeks later to ${tag}=reject`,
            afterwards: '. After some weeks without trouble, put reject in place of quarantine.',
          })
        : { fix: 'Correct the record, as dmarc.bad-tags says.' }),
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
      ...afterReports(facts, applied, { changes: { [tag]: 'reject' }, next: `${tag}=reject` }),
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
        ...afterReports(facts, applied, {
          when: 'the test has gone well',
          changes: { t: null },
          next: 'the same without t=y',
        }),
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
        ...afterReports(facts, applied, { changes: {}, next: 'the same without pct' }),
      },
      recordEvidence(applied),
    ),
  ]
}

interface Step {
  /** What the reports have to show before. */
  readonly when?: string
  readonly changes: TagChanges
  /** The same in a few words, for whoever has to get reports first. */
  readonly next: string
  readonly afterwards?: string
}

/** A stricter policy loses mail unless somebody has seen that all of it passes: reports come first. */
function afterReports(facts: DmarcFacts, applied: Applied, step: Step) {
  const {
    when = 'the reports show that your own mail passes',
    changes,
    next,
    afterwards = '',
  } = step
  if (mayHaveReports(facts, applied)) {
    return {
      fix: `When ${when}, ${publication(facts, applied, changes)}${afterwards}`,
      ...publishedRecord(facts, applied, changes),
    }
  }
  const first = askingForReports(facts, applied)
  return {
    fix: `Nobody gets reports yet, and without them nobody can tell whether your own mail passes: first ${publication(facts, applied, first)}, with this or another mailbox that somebody reads. When the reports show that it does, go on to ${next}.`,
    ...publishedRecord(facts, applied, first),
  }
}
