/** Findings about errors inside the record that applies. */
import { createFinding, type Finding } from '../finding.js'
import type { AppliedDmarcRecord, DmarcFacts } from './discover-dmarc.js'
import {
  dmarcRecordEvidence,
  isPolicyUnclear,
  NEXT_STEPS,
  publishFirst,
  publishInstruction,
  recordChangeInstruction,
  recordChangeProposal,
} from './dmarc-advice.js'
import { hasValidPolicy } from './dmarc-policies.js'
import { isPercentage, REPORT_URI_TAGS, readPercentage } from './dmarc-record.js'
import { findDmarcFaults, findUnknownTags, REMOVED_TAGS } from './dmarc-record-faults.js'
import { findConflictingTags } from './rewrite-dmarc-record.js'

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

function judgeFaults(facts: DmarcFacts, found: AppliedDmarcRecord): Finding[] {
  const faults = findDmarcFaults(found.record)
  if (faults.length === 0) return []
  return [
    createFinding(
      'dmarc.bad-tags',
      {
        title: faults.length === 1 ? 'Error in the DMARC record' : 'Errors in the DMARC record',
        detail: `Receivers ignore what they cannot read and use the default; strict ones ignore the whole record. In this one, ${formatClauses(faults)}.`,
        fix: correctFaults(facts, found),
        ...(hasValidPolicy(found.record) && recordChangeProposal(facts, found)),
      },
      dmarcRecordEvidence(found),
    ),
  ]
}

/** Receivers apply no policy because of the errors: one that takes effect with the correction could cost mail. */
function correctFaults(facts: DmarcFacts, found: AppliedDmarcRecord): string {
  const { record, step } = found
  const isDecided = hasValidPolicy(record) && !isPolicyUnclear(record)
  const instruction = isDecided
    ? recordChangeInstruction(facts, found)
    : publishInstruction(step, publishFirst(facts, found).value)
  const conflicting = findConflictingTags(record).filter((tag) => isDecided || tag !== 'p')
  const start = isDecided ? 'To remove the errors' : 'To start safely'
  const end = isDecided ? '' : ` ${NEXT_STEPS}`
  return `${resolveConflicts(conflicting)}${start}, ${instruction}. If a report address is left out here, correct it and add it back. ${ADD_BACK_LATER}${end}`
}

/** A tag that receivers could not read was never in effect, so its correction can cost mail. */
const ADD_BACK_LATER =
  'Add adkim, aspf, sp or np back only after you have checked in the reports that your mail passes with it.'

function resolveConflicts(tags: readonly string[]): string {
  if (tags.length === 0) return ''
  const occur = tags.length === 1 ? 'occurs' : 'occur'
  return `${tags.join(' and ')} ${occur} more than once: keep the value you want. `
}

function judgeUnknown(facts: DmarcFacts, found: AppliedDmarcRecord): Finding[] {
  const unknown = findUnknownTags(found.record)
  if (unknown.length === 0) return []
  return [
    createFinding(
      'dmarc.unknown-tags',
      {
        title: 'Unknown DMARC tag',
        detail: `Receivers ignore ${formatClauses(unknown)}. That is usually harmless, but a misspelled tag has no effect.`,
        fix: `To remove it, ${recordChangeInstruction(facts, found)}. If it was meant as rua, correct its spelling instead. ${ADD_BACK_LATER}`,
      },
      dmarcRecordEvidence(found),
    ),
  ]
}

/** A `pct` that has an effect, or is invalid, has its own finding. */
function judgeObsolete(facts: DmarcFacts, found: AppliedDmarcRecord): Finding[] {
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
        title: 'Obsolete parts in the DMARC record',
        detail: `RFC 9989 removed ${formatClauses(obsolete)}; current receivers ignore them. They do no harm.`,
        fix: `At the next change, ${recordChangeInstruction(facts, found, { pct: null })}`,
      },
      dmarcRecordEvidence(found),
    ),
  ]
}

function formatClauses(items: readonly string[]): string {
  const more = items.length - MAX_LISTED
  const text = items.slice(0, MAX_LISTED).join('; ')
  return more > 0 ? `${text}; and ${more} more` : text
}
