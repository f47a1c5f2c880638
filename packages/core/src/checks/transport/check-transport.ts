/** The transport check: MTA-STS, TLS-RPT and BIMI records, and whether DNSSEC protects the domain. */
import type { Dns } from '@mailgrade/doh/dns'
import type { DomainName } from '../../names/domain-name.js'
import {
  type CheckResult,
  type DnsUnavailable,
  dnsUnavailable,
  isUnavailable,
} from '../check-result.js'
import { createFinding, type Finding, txtEvidence } from '../finding.js'
import { readTxtRecords, toDisplayText } from '../txt-records.js'
import type { TransportRecord, TransportReport } from './transport-report.js'
import { bimi, mtaSts, type TxtRecordFormat, tlsRpt } from './txt-record-formats.js'

/** Of several records at one name. */
const MAX_SHOWN = 4

interface CheckedRecord {
  readonly published: TransportRecord
  readonly issues: Finding[]
}

export async function checkTransport(
  dns: Dns,
  domain: DomainName,
): Promise<CheckResult<TransportReport>> {
  const [sts, rpt, logo, mx, txt] = await Promise.all([
    checkRecord(dns, mtaSts, domain),
    checkRecord(dns, tlsRpt, domain),
    checkRecord(dns, bimi, domain),
    dns.query(domain, 'MX'),
    dns.query(domain, 'TXT'),
  ])
  if (isUnavailable(sts)) return sts
  if (isUnavailable(rpt)) return rpt
  if (isUnavailable(logo)) return logo
  if (mx.kind === 'failed') return dnsUnavailable(domain, 'MX', mx)
  if (txt.kind === 'failed') return dnsUnavailable(domain, 'TXT', txt)
  return {
    kind: 'report',
    report: {
      mtaSts: sts.published,
      tlsRpt: rpt.published,
      bimi: logo.published,
      dnssec: { validated: mx.authenticated && txt.authenticated },
      issues: [sts, rpt, logo].flatMap(({ issues }) => issues),
    },
  }
}

async function checkRecord(
  dns: Dns,
  format: TxtRecordFormat,
  domain: DomainName,
): Promise<CheckedRecord | DnsUnavailable> {
  const name = `${format.label}.${domain}`
  const answer = await dns.query(name, 'TXT')
  // A domain of 253 characters leaves no room for the label, so there is no record.
  if (answer.kind === 'failed' && answer.reason !== 'bad-name') {
    return dnsUnavailable(name, 'TXT', answer)
  }
  const records = answer.kind === 'failed' ? [] : readTxtRecords(answer).filter(format.isCandidate)
  const [record] = records
  if (record === undefined) {
    const published = { name, present: false, record: null, valid: null }
    return { published, issues: [] }
  }
  const problem = records.length > 1 ? describeSeveral(records.length) : format.findProblem(record)
  const published = {
    name,
    present: true,
    record: records.length > 1 ? null : toDisplayText(record),
    valid: problem === null,
  }
  const evidence = records.slice(0, MAX_SHOWN).map((text) => txtEvidence(name, toDisplayText(text)))
  return {
    published,
    issues:
      problem === null
        ? []
        : [createFinding(format.id, describeProblem(format, domain, problem), evidence)],
  }
}

function describeSeveral(count: number): string {
  return `there are ${count} records, so senders use none`
}

function describeProblem(
  { title, label, example }: TxtRecordFormat,
  domain: DomainName,
  problem: string,
) {
  return {
    title: `The ${title} record cannot be used`,
    detail: `It is ignored: ${problem}.`,
    fix: `Publish exactly one TXT record at ${label}.${domain}, such as "${example(domain)}", or delete the existing records.`,
  }
}
