/** Findings about errors inside the record that applies. */
import type { Finding } from '../finding.js'
import { found, judge, type Rule } from '../rule.js'
import type { DmarcFacts } from './discover-dmarc.js'
import {
  type AppliedFacts,
  dmarcRecordEvidence,
  isPolicyUnclear,
  placeOf,
  publishFirst,
  recordChange,
  recordChangeProposal,
} from './dmarc-advice.js'
import { hasValidPolicy } from './dmarc-policies.js'
import { isPercentage, REPORT_URI_TAGS, readPercentage } from './dmarc-record.js'
import { findDmarcFaults, findUnknownTags, REMOVED_TAGS } from './dmarc-record-faults.js'

const MAX_LISTED = 10

const RULES: readonly Rule<AppliedFacts>[] = [
  (facts) => {
    const { applied } = facts
    const { record, step } = applied
    const faults = findDmarcFaults(record)
    if (faults.length === 0) return null
    const more = faults.length > MAX_LISTED ? [`and ${faults.length - MAX_LISTED} more`] : []
    const details = [...faults.slice(0, MAX_LISTED), ...more].join('; ')
    // Receivers apply no policy because of the errors: one that takes effect with the correction
    // could cost mail.
    const change =
      hasValidPolicy(record) && !isPolicyUnclear(record)
        ? recordChange(facts, applied)
        : { place: placeOf(step), record: publishFirst(facts, applied).record }
    return found(
      'dmarc.bad-tags',
      { errors: faults.length, details, ...change },
      {
        evidence: dmarcRecordEvidence(applied),
        ...(hasValidPolicy(record) && recordChangeProposal(facts, applied)),
      },
    )
  },

  (facts) => {
    const { applied } = facts
    const tags = findUnknownTags(applied.record)
    if (tags.length === 0) return null
    const evidence = dmarcRecordEvidence(applied)
    return found('dmarc.unknown-tags', { tags, ...recordChange(facts, applied) }, { evidence })
  },

  // A `pct` that has an effect, or is invalid, has its own finding.
  (facts) => {
    const { applied, policy } = facts
    const { record } = applied
    const isEnforced = policy === 'quarantine' || policy === 'reject'
    const isPartial = isEnforced && readPercentage(record) < 100
    const isPctJudged = isPartial || !isPercentage(record.tags.get('pct') ?? '100')
    const removed = REMOVED_TAGS.filter(
      (tag) => record.tags.has(tag) && !(tag === 'pct' && isPctJudged),
    )
    const uris = REPORT_URI_TAGS.flatMap((tag) => record.reportUris(tag).uris)
    const hasLimits = uris.some(({ uri, withoutSizeLimit }) => uri !== withoutSizeLimit)
    const parts = [...removed, ...(hasLimits ? ['size limits after “!”'] : [])]
    if (parts.length === 0) return null
    const evidence = dmarcRecordEvidence(applied)
    const change = recordChange(facts, applied, { pct: null })
    return found('dmarc.obsolete-tags', { parts, ...change }, { evidence })
  },
]

export function judgeDmarcRecord(facts: DmarcFacts): Finding[] {
  const { applied } = facts
  return applied ? judge(RULES, { ...facts, applied }) : []
}
