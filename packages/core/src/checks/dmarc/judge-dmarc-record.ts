/** Findings about errors inside the record that applies, and about where its reports go. */
import type { Finding } from '../finding.js'
import { found, judge, type Rule } from '../rule.js'
import { type DmarcFacts, mayReceiveReports, type ResolvedReportUri } from './discover-dmarc.js'
import type { ReportDestination } from './discover-report-destination.js'
import {
  type AppliedFacts,
  dmarcRecordEvidence,
  hasAppliedRecord,
  hasPolicy,
  isPolicyUnclear,
  placeOf,
  publishFirst,
  recordChange,
  recordChangeProposal,
  reportRequestChanges,
} from './dmarc-advice.js'
import { hasValidPolicy } from './dmarc-policies.js'
import { isPercentage, REPORT_URI_TAGS, readPercentage } from './dmarc-record.js'
import { MAX_REPORT_URIS } from './report-uri.js'
import { findDmarcFaults, findUnknownTags, REMOVED_TAGS } from './rewrite-dmarc-record.js'
import { isPublicSuffixRecord } from './tree-walk.js'

const MAX_LISTED = 10

const RULES: readonly Rule<AppliedFacts>[] = [
  (facts) => {
    const { applied } = facts
    const { record, step } = applied
    const faults = findDmarcFaults(record)
    if (faults.length === 0) return null
    const more = faults.length > MAX_LISTED ? [`and ${faults.length - MAX_LISTED} more`] : []
    const details = `Here’s what’s wrong: ${[...faults.slice(0, MAX_LISTED), ...more].join('; ')}.`
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
  return hasAppliedRecord(facts) ? judge(RULES, facts) : []
}

interface ReportFacts extends AppliedFacts {
  /** Empty for a registry's record: where its reports go does not concern the domain. */
  readonly targets: readonly ResolvedReportUri[]
  /** Each once, even if it has several addresses. */
  readonly recipients: readonly ReportDestination[]
  readonly evidence: Finding['evidence']
}

const DESTINATION_RULES: readonly Rule<ReportFacts>[] = [
  (facts) => {
    const { applied, evidence } = facts
    const { record } = applied
    if (mayReceiveReports(facts, applied)) return null
    if (isPolicyUnclear(record) || record.conflictingTags.includes('rua')) {
      return found('dmarc.no-reports (faulty)', {}, { evidence })
    }
    const changes = reportRequestChanges(facts, applied)
    const proposal = recordChangeProposal(facts, applied, changes)
    return found('dmarc.no-reports', recordChange(facts, applied, changes), {
      evidence,
      ...proposal,
    })
  },

  ({ recipients, evidence }) =>
    recipients
      .filter(({ authorized }) => authorized === false)
      .map(({ host, authorizationName }) => {
        const values = { host: [host], authorizationName: [authorizationName] }
        return found('dmarc.report-not-authorized', values, { evidence })
      }),

  ({ applied, recipients, evidence }) =>
    recipients
      .filter(({ acceptsMail }) => acceptsMail === false)
      .map(({ host }) => {
        const values = { host: [host], place: placeOf(applied.step) }
        return found('dmarc.report-target-without-mx', values, { evidence })
      }),

  ({ recipients, evidence }) => {
    const failing = recipients.filter(({ failures }) => failures.length > 0)
    if (failing.length === 0) return null
    const hosts = failing.map(({ host }) => host)
    const queries = failing.flatMap(({ failures }) =>
      failures.map(({ query: { name, type } }) => `${name} ${type}`),
    )
    return found('dmarc.report-destination-unavailable', { hosts, queries }, { evidence })
  },

  ({ domain, applied, targets, evidence }) => {
    if (isPublicSuffixRecord(applied, domain)) return null
    const place = placeOf(applied.step)
    const unread = REPORT_URI_TAGS.reduce(
      (sum, tag) => sum + applied.record.reportUris(tag).unreadCount,
      0,
    )
    if (unread > 0) {
      const values = { place, limit: MAX_REPORT_URIS, unread }
      return found('dmarc.too-many-destinations (unread)', values, { evidence })
    }
    const hasUnqueriedHosts = targets.some(({ host, destination }) => host !== null && !destination)
    return hasUnqueriedHosts ? found('dmarc.too-many-destinations', { place }, { evidence }) : null
  },
]

export function judgeReports(facts: DmarcFacts): Finding[] {
  if (!hasPolicy(facts)) return []
  const { domain, applied, rua, ruf } = facts
  const targets = isPublicSuffixRecord(applied, domain) ? [] : [...rua, ...ruf]
  const recipients = [...new Set(targets.flatMap(({ destination }) => destination ?? []))]
  return judge(DESTINATION_RULES, {
    targets,
    recipients,
    evidence: dmarcRecordEvidence(applied),
    ...facts,
  })
}
