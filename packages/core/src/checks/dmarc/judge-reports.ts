/** Findings about whether the requested reports can arrive. */
import { registrableDomain } from '../../names/registrable-domain.js'
import { createFinding, type Finding } from '../finding.js'
import { formatList } from '../format-list.js'
import {
  type AppliedDmarcRecord,
  type DmarcFacts,
  mayReceiveReports,
  type ResolvedReportUri,
} from './discover-dmarc.js'
import {
  capitalize,
  cnameNote,
  dmarcRecordEvidence,
  isPolicyUnclear,
  recordChangeInstruction,
  recordChangeProposal,
  reportRequestChanges,
  SEE_BAD_TAGS,
} from './dmarc-advice.js'
import { REPORT_URI_TAGS } from './dmarc-record.js'
import { MAX_REPORT_URIS } from './report-uri.js'
import { type FoundDmarcRecord, isPublicSuffixRecord } from './tree-walk.js'

export function judgeReports(facts: DmarcFacts): Finding[] {
  const { applied, policy, rua, ruf } = facts
  if (!applied || !policy) return []
  // Where a registry sends its own reports does not concern the domain.
  const targets = isPublicSuffixRecord(applied, facts.domain) ? [] : [...rua, ...ruf]
  return [
    ...judgeNoReports(facts, applied),
    ...judgeUnauthorized(applied, targets),
    ...judgeUnreachable(facts, applied, targets),
    ...judgeNotLookedUp(applied, targets),
    ...(isPublicSuffixRecord(applied, facts.domain) ? [] : judgeTooMany(applied, targets)),
  ]
}

function judgeNoReports(facts: DmarcFacts, applied: AppliedDmarcRecord): Finding[] {
  if (mayReceiveReports(facts, applied)) return []
  const { rua } = facts
  return [
    createFinding(
      'dmarc.no-reports',
      {
        title: rua.length === 0 ? 'No DMARC reports are requested' : 'No DMARC reports can arrive',
        detail: `${explainNoReports(facts, applied)} Without aggregate reports you cannot see who sends as the domain, or which of your own mail fails.`,
        ...requestReports(facts, applied),
      },
      dmarcRecordEvidence(applied),
    ),
  ]
}

function explainNoReports({ rua }: DmarcFacts, { record }: AppliedDmarcRecord): string {
  if (record.conflictingTags.includes('rua')) {
    return 'The record has rua more than once with different values, so receivers ignore it.'
  }
  return rua.length === 0
    ? 'The record has no address in rua.'
    : 'No address in rua can receive them.'
}

function requestReports(
  facts: DmarcFacts,
  applied: AppliedDmarcRecord,
): Pick<Finding, 'fix' | 'record'> {
  const { record } = applied
  if (isPolicyUnclear(record) || record.conflictingTags.includes('rua')) {
    return { fix: SEE_BAD_TAGS }
  }
  const changes = reportRequestChanges(facts, applied)
  return {
    fix: `${capitalize(recordChangeInstruction(facts, applied, changes))}. Use a mailbox that you read.`,
    ...recordChangeProposal(facts, applied, changes),
  }
}

function judgeUnauthorized(
  applied: FoundDmarcRecord,
  targets: readonly ResolvedReportUri[],
): Finding[] {
  const unauthorized = uniqueDestinations(targets).filter(({ authorized }) => authorized === false)
  return unauthorized.map(({ host, authorizationName }) =>
    createFinding(
      'dmarc.report-not-authorized',
      {
        title: `${host} has not agreed to receive reports`,
        detail: `${host} belongs to another organization, so receivers send reports there only if it agrees in DNS. It does not, so they send none.`,
        fix: `Ask the operator of ${host} to publish a TXT record at ${authorizationName}: "v=DMARC1", or send the reports elsewhere.`,
      },
      dmarcRecordEvidence(applied),
    ),
  )
}

function judgeUnreachable(
  { domain }: DmarcFacts,
  applied: FoundDmarcRecord,
  targets: readonly ResolvedReportUri[],
): Finding[] {
  const unreachable = uniqueDestinations(targets).filter(({ acceptsMail }) => acceptsMail === false)
  const organization = registrableDomain(domain)
  return unreachable.map(({ host }) =>
    createFinding(
      'dmarc.report-target-without-mx',
      {
        title: `Reports go to ${host}, which receives no mail`,
        detail: `${host} has no mail server and no address, or declares that it accepts no mail. Reports sent there are lost.${registrableDomain(host) === organization ? '' : ' If the name can be registered, its new owner can read them.'}`,
        fix: `In the record at ${applied.step.name}, use an address that receives mail, or publish MX records for ${host}.${cnameNote(applied.step)}`,
      },
      dmarcRecordEvidence(applied),
    ),
  )
}

function judgeNotLookedUp(
  applied: FoundDmarcRecord,
  targets: readonly ResolvedReportUri[],
): Finding[] {
  const failing = uniqueDestinations(targets).filter(({ failures }) => failures.length > 0)
  if (failing.length === 0) return []
  const queries = failing
    .flatMap(({ failures }) => failures)
    .map(({ query: { name, type } }) => `${name} ${type}`)
  return [
    createFinding(
      'dmarc.report-destination-unavailable',
      {
        title: `Report destination not checked: ${formatList(failing.map(({ host }) => host))}`,
        detail: `DNS did not answer for ${formatList(queries)}. Whether reports arrive there is unknown and does not affect the result.`,
        fix: 'Try again in a few minutes. If it still fails, contact the operator of that name.',
      },
      dmarcRecordEvidence(applied),
    ),
  ]
}

function judgeTooMany(applied: FoundDmarcRecord, targets: readonly ResolvedReportUri[]): Finding[] {
  const hasUnqueriedHosts = targets.some(({ host, destination }) => host !== null && !destination)
  const unread = REPORT_URI_TAGS.reduce(
    (sum, tag) => sum + applied.record.reportUris(tag).unreadCount,
    0,
  )
  const limits = [
    hasUnqueriedHosts ? ' Only the first ten domains were looked up for this report.' : '',
    unread > 0
      ? ` Only the first ${MAX_REPORT_URIS} addresses each of rua and ruf were read. The other ${unread} are missing from the records proposed here.`
      : '',
  ].join('')
  if (limits === '') return []
  return [
    createFinding(
      'dmarc.too-many-destinations',
      {
        title: 'More report destinations than receivers support',
        detail: `Receivers need not support more than two.${limits}`,
        fix: `Keep one or two addresses in rua at ${applied.step.name}, and forward the reports from there.${cnameNote(applied.step)}`,
      },
      dmarcRecordEvidence(applied),
    ),
  ]
}

/** Each destination once, even if it has several addresses. */
function uniqueDestinations(targets: readonly ResolvedReportUri[]) {
  return [...new Set(targets.flatMap(({ destination }) => destination ?? []))]
}
