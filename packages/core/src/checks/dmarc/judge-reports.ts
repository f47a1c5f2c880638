/** Findings about whether the requested reports can arrive. */
import type { Finding } from '../finding.js'
import { found, judge, type Rule } from '../rule.js'
import { type DmarcFacts, mayReceiveReports, type ResolvedReportUri } from './discover-dmarc.js'
import type { ReportDestination } from './discover-report-destination.js'
import {
  type AppliedFacts,
  dmarcRecordEvidence,
  isPolicyUnclear,
  placeOf,
  recordChange,
  recordChangeProposal,
  reportRequestChanges,
} from './dmarc-advice.js'
import { REPORT_URI_TAGS } from './dmarc-record.js'
import { MAX_REPORT_URIS } from './report-uri.js'
import { isPublicSuffixRecord } from './tree-walk.js'

interface ReportFacts extends AppliedFacts {
  /** Empty for a registry's record: where its reports go does not concern the domain. */
  readonly targets: readonly ResolvedReportUri[]
  /** Each once, even if it has several addresses. */
  readonly recipients: readonly ReportDestination[]
  readonly evidence: Finding['evidence']
}

const RULES: readonly Rule<ReportFacts>[] = [
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
  const { domain, applied, policy, rua, ruf } = facts
  if (!applied || !policy) return []
  const targets = isPublicSuffixRecord(applied, domain) ? [] : [...rua, ...ruf]
  const recipients = [...new Set(targets.flatMap(({ destination }) => destination ?? []))]
  return judge(RULES, {
    ...facts,
    applied,
    targets,
    recipients,
    evidence: dmarcRecordEvidence(applied),
  })
}
