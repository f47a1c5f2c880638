/** Whether the policy keeps mail out that only pretends to come from the domain. */
import { createFinding, type Finding } from '../finding.js'
import type { AppliedDmarcRecord, DmarcFacts } from './discover-dmarc.js'
import {
  dmarcRecordEvidence,
  mayReceiveReports,
  recordChangeInstruction,
  recordChangeProposal,
  reportRequestChanges,
} from './dmarc-advice.js'
import { hasInvalidPolicy, nextWeakerPolicy, POLICY_EFFECTS } from './dmarc-policies.js'
import { type DmarcPolicy, type DmarcRecord, isTesting, readPercentage } from './dmarc-record.js'
import { findConflictingTags, type TagChanges } from './rewrite-dmarc-record.js'

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

/** The tag that the policy comes from: `np` or `sp` where it is inherited and they are given. */
function decidingTag(
  domain: string,
  { step: station, record, policies }: AppliedDmarcRecord,
  policy: DmarcPolicy,
) {
  if (station.domain === domain) return 'p'
  if (policies?.subdomains === policy) return record.tags.has('sp') ? 'sp' : 'p'
  return 'np'
}

function judgeNone(facts: DmarcFacts, applied: AppliedDmarcRecord, tag: string): Finding {
  const { record } = applied
  const reason = reasonForNone(record, tag)
  const consequence = `Receivers that find mail in the name of ${facts.domain} to be forged ${POLICY_EFFECTS.none}: there may be reports, but there is no protection.`
  // What `sp` says counts for nothing without `p`, and is not to be changed for it.
  // Nor is test mode, which would make none of quarantine again.
  const changes = { [reason === 'no p' ? 'p' : tag]: 'quarantine', t: null }
  const isClear = reason === 'meant' || reason === 'no p'
  return createFinding(
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
    dmarcRecordEvidence(applied),
  )
}

type ReasonForNone = 'meant' | 'no p' | 'contradiction' | 'fault'

function reasonForNone(record: DmarcRecord, tag: string): ReasonForNone {
  if (hasInvalidPolicy(record)) return 'fault'
  if (findConflictingTags(record).includes(tag)) return 'contradiction'
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

function judgeQuarantine(facts: DmarcFacts, applied: AppliedDmarcRecord, tag: string): Finding {
  return createFinding(
    'dmarc.policy-quarantine',
    {
      title: 'Forged mail goes to the spam folder instead of being refused',
      detail: `Under quarantine receivers take mail that pretends to come from ${facts.domain} and ${POLICY_EFFECTS.quarantine}, where people still find it and believe it.`,
      ...afterReports(facts, applied, { changes: { [tag]: 'reject' }, next: `${tag}=reject` }),
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
  const applies = nextWeakerPolicy(policy)
  return [
    createFinding(
      'dmarc.testing',
      {
        title: `Test mode: receivers apply ${applies} instead of ${policy}`,
        detail: `With t=y receivers take the policy one level down. When mail is forged, they ${POLICY_EFFECTS[applies]}. Older receivers do not know the tag and apply ${policy} in full.`,
        ...afterReports(facts, applied, {
          when: 'the test has gone well',
          changes: { t: null },
          next: 'the same without t=y',
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
        title: `Older receivers apply the policy to only ${percent} % of forged mail`,
        detail: `With pct=${percent} receivers that go by RFC 7489 apply ${policy} to that share of forged mail and ${nextWeakerPolicy(policy)} to the rest. RFC 9989 has dropped the tag, and receivers that go by it apply ${policy} to all.`,
        ...afterReports(facts, applied, { changes: {}, next: 'the same without pct' }),
      },
      dmarcRecordEvidence(applied),
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
function afterReports(facts: DmarcFacts, applied: AppliedDmarcRecord, step: Step) {
  const {
    when = 'the reports show that your own mail passes',
    changes,
    next,
    afterwards = '',
  } = step
  if (mayReceiveReports(facts, applied)) {
    return {
      fix: `When ${when}, ${recordChangeInstruction(facts, applied, changes)}${afterwards}`,
      ...recordChangeProposal(facts, applied, changes),
    }
  }
  const first = reportRequestChanges(facts, applied)
  return {
    fix: `Nobody gets reports yet, and without them nobody can tell whether your own mail passes: first ${recordChangeInstruction(facts, applied, first)}, with this or another mailbox that somebody reads. When the reports show that it does, go on to ${next}.`,
    ...recordChangeProposal(facts, applied, first),
  }
}
