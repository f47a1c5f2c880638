/** What is wrong inside the record that applies. */
import { createFinding, type Finding } from '../finding.js'
import type { DmarcFacts } from './discover-dmarc.js'
import {
  dmarcRecordEvidence,
  recordChangeInstruction,
  recordChangeProposal,
} from './dmarc-advice.js'
import { hasValidPolicy } from './dmarc-policies.js'
import { isPercentage, REPORT_URI_TAGS, readPercentage } from './dmarc-record.js'
import { findDmarcFaults, findUnknownTags, REMOVED_TAGS } from './dmarc-record-faults.js'
import { findConflictingTags } from './rewrite-dmarc-record.js'
import type { FoundDmarcRecord } from './tree-walk.js'

/** As many as anybody reads. */
const MAX_LISTED = 10

export function judgeDmarcRecord(facts: DmarcFacts): Finding[] {
  const { applied } = facts
  if (!applied) return []
  return [
    ...judgeFaults(facts, applied),
    ...judgeUnknown(facts, applied),
    ...judgeObsolete(facts, applied),
  ]
}

function judgeFaults(facts: DmarcFacts, found: FoundDmarcRecord): Finding[] {
  const faults = findDmarcFaults(found.record)
  if (faults.length === 0) return []
  return [
    createFinding(
      'dmarc.bad-tags',
      {
        title: faults.length === 1 ? 'A fault in the DMARC record' : 'Faults in the DMARC record',
        detail: `Receivers pass over what they cannot read and go by the default; strict ones pass over the whole record. In this one ${listed(faults)}.`,
        fix: withoutFaults(facts, found),
        ...(hasValidPolicy(found.record) && recordChangeProposal(facts, found)),
      },
      dmarcRecordEvidence(found),
    ),
  ]
}

function withoutFaults(facts: DmarcFacts, found: FoundDmarcRecord): string {
  const open = findConflictingTags(found.record)
  const advice = recordChangeInstruction(facts, found)
  if (!hasValidPolicy(found.record) && !open.includes('p')) {
    return `${choice(open)}With the policy that was meant in place of none, ${advice}`
  }
  return `${choice(open)}To be rid of it, ${advice}. Put back in the right form what is left out here.`
}

function choice(open: readonly string[]): string {
  if (open.length === 0) return ''
  const stand = open.length === 1 ? 'stands' : 'stand'
  return `Of ${open.join(' and ')}, which ${stand} there more than once, keep the one that was meant. `
}

function judgeUnknown(facts: DmarcFacts, found: FoundDmarcRecord): Finding[] {
  const unknown = findUnknownTags(found.record)
  if (unknown.length === 0) return []
  return [
    createFinding(
      'dmarc.unknown-tags',
      {
        title: 'A tag that DMARC does not know',
        detail: `Receivers ignore ${listed(unknown)}. Mostly that is harmless, but a misspelt tag does not do what it was put there for.`,
        fix: `Check the spelling, or leave it out and ${recordChangeInstruction(facts, found)}`,
      },
      dmarcRecordEvidence(found),
    ),
  ]
}

/** A `pct` that changes something, or that is wrong, has a finding of its own. */
function judgeObsolete(facts: DmarcFacts, found: FoundDmarcRecord): Finding[] {
  const { record } = found
  const isEnforced = facts.policy === 'quarantine' || facts.policy === 'reject'
  const isPartial = isEnforced && readPercentage(record) < 100
  const isPctJudged = isPartial || !isPercentage(record.tags.get('pct') ?? '100')
  const removed = REMOVED_TAGS.filter(
    (tag) => record.tags.has(tag) && !(tag === 'pct' && isPctJudged),
  )
  const uris = REPORT_URI_TAGS.flatMap((tag) => record.reportUris(tag).uris)
  const limits = uris.some(({ uri, withoutSizeLimit }) => uri !== withoutSizeLimit)
    ? ['size limits after "!"']
    : []
  const obsolete = [...removed, ...limits]
  if (obsolete.length === 0) return []
  return [
    createFinding(
      'dmarc.obsolete-tags',
      {
        title: 'Parts of the record are no longer in use',
        detail: `RFC 9989 has removed ${listed(obsolete)}; receivers that go by it read on as if they were not there. They do no harm.`,
        fix: `At the next change ${recordChangeInstruction(facts, found)}`,
      },
      dmarcRecordEvidence(found),
    ),
  ]
}

function listed(items: readonly string[]): string {
  const more = items.length - MAX_LISTED
  const text = items.slice(0, MAX_LISTED).join('; ')
  return more > 0 ? `${text}; and ${more} more` : text
}
