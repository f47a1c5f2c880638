/** What is wrong inside the record that applies. */
import { type Finding, finding } from '../finding.js'
import { publication, publishedRecord } from './advice.js'
import type { DmarcFacts } from './discover-dmarc.js'
import { isPercentage, percentOf, URI_TAGS } from './dmarc-record.js'
import { recordEvidence } from './evidence.js'
import { isPolicyChosen } from './policies.js'
import { faultsOf, REMOVED_TAGS, unknownTags } from './record-faults.js'
import { contradictions } from './rewrite-record.js'
import type { Found } from './tree-walk.js'

/** As many as anybody reads. */
const MAX_LISTED = 10

export function judgeRecord(facts: DmarcFacts): Finding[] {
  const { applied } = facts
  if (!applied) return []
  return [
    ...judgeFaults(facts, applied),
    ...judgeUnknown(facts, applied),
    ...judgeObsolete(facts, applied),
  ]
}

function judgeFaults(facts: DmarcFacts, found: Found): Finding[] {
  const faults = faultsOf(found.record)
  if (faults.length === 0) return []
  return [
    finding(
      'dmarc.bad-tags',
      {
        title: faults.length === 1 ? 'A fault in the DMARC record' : 'Faults in the DMARC record',
        detail: `Receivers pass over what they cannot read and go by the default; strict ones pass over the whole record. In this one ${listed(faults)}.`,
        fix: withoutFaults(facts, found),
        ...(isPolicyChosen(found.record) && publishedRecord(facts, found)),
      },
      recordEvidence(found),
    ),
  ]
}

function withoutFaults(facts: DmarcFacts, found: Found): string {
  const open = contradictions(found.record)
  const advice = publication(facts, found)
  if (!isPolicyChosen(found.record) && !open.includes('p')) {
    return `${choice(open)}With the policy that was meant in place of none, ${advice}`
  }
  return `${choice(open)}To be rid of it, ${advice}. Put back in the right form what is left out here.`
}

function choice(open: readonly string[]): string {
  if (open.length === 0) return ''
  const stand = open.length === 1 ? 'stands' : 'stand'
  return `Of ${open.join(' and ')}, which ${stand} there more than once, keep the one that was meant. `
}

function judgeUnknown(facts: DmarcFacts, found: Found): Finding[] {
  const unknown = unknownTags(found.record)
  if (unknown.length === 0) return []
  return [
    finding(
      'dmarc.unknown-tags',
      {
        title: 'A tag that DMARC does not know',
        detail: `Receivers ignore ${listed(unknown)}. Mostly that is harmless, but a misspelt tag does not do what it was put there for.`,
        fix: `Check the spelling, or leave it out and ${publication(facts, found)}`,
      },
      recordEvidence(found),
    ),
  ]
}

/** A `pct` that changes something, or that is wrong, has a finding of its own. */
function judgeObsolete(facts: DmarcFacts, found: Found): Finding[] {
  const { record } = found
  const isEnforced = facts.policy === 'quarantine' || facts.policy === 'reject'
  const isPartial = isEnforced && percentOf(record) < 100
  const isPctJudged = isPartial || !isPercentage(record.tags.get('pct') ?? '100')
  const removed = REMOVED_TAGS.filter(
    (tag) => record.tags.has(tag) && !(tag === 'pct' && isPctJudged),
  )
  const uris = URI_TAGS.flatMap((tag) => record.urisOf(tag).read)
  const limits = uris.some(({ uri, plain }) => uri !== plain) ? ['size limits after "!"'] : []
  const obsolete = [...removed, ...limits]
  if (obsolete.length === 0) return []
  return [
    finding(
      'dmarc.obsolete-tags',
      {
        title: 'Parts of the record are no longer in use',
        detail: `RFC 9989 has removed ${listed(obsolete)}; receivers that go by it read on as if they were not there. They do no harm.`,
        fix: `At the next change ${publication(facts, found)}`,
      },
      recordEvidence(found),
    ),
  ]
}

function listed(items: readonly string[]): string {
  const more = items.length - MAX_LISTED
  const text = items.slice(0, MAX_LISTED).join('; ')
  return more > 0 ? `${text}; and ${more} more` : text
}
