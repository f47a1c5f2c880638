/** Whether the reports that a record asks for can arrive. */
import { createFinding, type Finding } from '../finding.js'
import type { DmarcFacts, ResolvedReportUri } from './discover-dmarc.js'
import {
  capitalize,
  cnameNote,
  dmarcRecordEvidence,
  isPublicSuffixRecord,
  mayReceiveReports,
  recordChangeInstruction,
  recordChangeProposal,
  reportRequestChanges,
} from './dmarc-advice.js'
import { REPORT_URI_TAGS } from './dmarc-record.js'
import { MAX_REPORT_URIS } from './report-uri.js'
import type { FoundDmarcRecord } from './tree-walk.js'

export function judgeReports(facts: DmarcFacts): Finding[] {
  const { applied, policy, rua, ruf } = facts
  if (!applied || !policy) return []
  // Where a registry sends its reports is none of the domain's business.
  const targets = isPublicSuffixRecord(applied, facts.domain) ? [] : [...rua, ...ruf]
  return [
    ...judgeNoReports(facts, applied),
    ...judgeUnauthorized(applied, targets),
    ...judgeDeaf(applied, targets),
    ...(isPublicSuffixRecord(applied, facts.domain) ? [] : judgeTooMany(applied, targets)),
  ]
}

function judgeNoReports(facts: DmarcFacts, applied: FoundDmarcRecord): Finding[] {
  if (mayReceiveReports(facts, applied)) return []
  const { rua } = facts
  const changes = reportRequestChanges(facts, applied)
  return [
    createFinding(
      'dmarc.no-reports',
      {
        title: rua.length === 0 ? 'Nobody asks for reports' : 'Nobody gets the reports',
        detail: `${rua.length === 0 ? 'The record names no address in rua.' : 'No address in rua can get any.'} Without aggregate reports nobody sees who sends in the name of the domain, nor which of its own mail fails.`,
        fix: `${capitalize(recordChangeInstruction(facts, applied, changes))}, with this or another mailbox that somebody reads.`,
        ...recordChangeProposal(facts, applied, changes),
      },
      dmarcRecordEvidence(applied),
    ),
  ]
}

function judgeUnauthorized(
  applied: FoundDmarcRecord,
  targets: readonly ResolvedReportUri[],
): Finding[] {
  const refused = destinationsOf(targets).filter(({ authorized }) => authorized === false)
  return refused.map(({ host, authorizationName }) =>
    createFinding(
      'dmarc.report-not-authorized',
      {
        title: `${host} has not agreed to take reports`,
        detail: `${host} belongs to another organisation, so receivers send reports there only if it says in the DNS that it takes them. It does not, and they send none.`,
        fix: `Have the operator of ${host} publish a TXT record at ${authorizationName}: "v=DMARC1", or send the reports elsewhere.`,
      },
      dmarcRecordEvidence(applied),
    ),
  )
}

function judgeDeaf(applied: FoundDmarcRecord, targets: readonly ResolvedReportUri[]): Finding[] {
  const deaf = destinationsOf(targets).filter(({ acceptsMail }) => !acceptsMail)
  return deaf.map(({ host }) =>
    createFinding(
      'dmarc.report-target-without-mx',
      {
        title: `Reports are sent to ${host}, which receives no mail`,
        detail: `${host} has neither a mail server nor an address, or declares that it accepts no mail. Reports sent there are lost. If the name can be registered, whoever does so can read them.`,
        fix: `Name an address in the record at ${applied.step.name} that receives mail, or publish MX records for ${host}.${cnameNote(applied.step)}`,
      },
      dmarcRecordEvidence(applied),
    ),
  )
}

function judgeTooMany(applied: FoundDmarcRecord, targets: readonly ResolvedReportUri[]): Finding[] {
  const isUnasked = targets.some(({ host, destination }) => host !== null && !destination)
  const unread = REPORT_URI_TAGS.reduce(
    (sum, tag) => sum + applied.record.reportUris(tag).unreadCount,
    0,
  )
  const limits = [
    isUnasked ? ' Only the first ten domains were looked up for this report.' : '',
    unread > 0
      ? ` Of rua and ruf only the first ${MAX_REPORT_URIS} addresses each were read, ${unread} were not; nor are those in the records proposed here.`
      : '',
  ].join('')
  if (limits === '') return []
  return [
    createFinding(
      'dmarc.too-many-destinations',
      {
        title: 'More report destinations than receivers serve',
        detail: `Receivers need not serve more than two.${limits}`,
        fix: `Name one or two addresses in rua at ${applied.step.name}, and have them pass the reports on.${cnameNote(applied.step)}`,
      },
      dmarcRecordEvidence(applied),
    ),
  ]
}

/** Each once, however many addresses there are at it. */
function destinationsOf(targets: readonly ResolvedReportUri[]) {
  return [...new Set(targets.flatMap(({ destination }) => destination ?? []))]
}
