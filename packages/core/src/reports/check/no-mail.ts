/** A domain without any mail record, and the records that say it neither sends nor receives mail. */
import { NO_MAIL_DMARC_RECORD } from '../../checks/dmarc/rewrite-dmarc-record.js'
import type { ProposedRecord } from '../../checks/finding.js'
import { registrableDomain } from '../../names/registrable-domain.js'
import { type CheckReports, isActionable } from './check-reports.js'
import type { DomainReport } from './domain-report.js'

const NOTHING_PUBLISHED: ReadonlySet<string> = new Set([
  'spf.missing',
  'dmarc.missing',
  'dkim.missing',
  'mx.missing',
  'mx.implicit',
])

/** No mail record of any kind: only the owner knows whether the domain sends or receives mail. */
export function hasNoMailRecords({ mx, spf, dmarc, dkim }: CheckReports): boolean {
  const found = [mx, spf, dmarc, dkim].flatMap(({ issues }) => issues).filter(isActionable)
  return (
    mx.records.length + spf.records.length + dkim.keys.length === 0 &&
    dkim.presence === 'absent' &&
    dmarc.policy === null &&
    spf.aliasOf === null &&
    found.every(({ id }) => NOTHING_PUBLISHED.has(id))
  )
}

/**
 * Only the owner knows whether to fix the records or to refuse all mail. Below a registrable
 * domain, a parent's records may cover the name already.
 */
export function isUndecided(report: DomainReport): boolean {
  return hasNoMailRecords(report) && registrableDomain(report.domain) === report.domain
}

export const NO_MAIL_SPF_RECORD = 'v=spf1 -all'

/** RFC 7505 §3. */
export const NULL_MX_VALUE = '0 .'

/** Safe only if the domain and every name below it send no mail, and no one writes to it. */
export function noMailRecords(domain: string): ProposedRecord[] {
  return [
    { type: 'TXT', name: domain, value: NO_MAIL_SPF_RECORD },
    { type: 'TXT', name: `_dmarc.${domain}`, value: NO_MAIL_DMARC_RECORD },
    { type: 'MX', name: domain, value: NULL_MX_VALUE },
  ]
}
