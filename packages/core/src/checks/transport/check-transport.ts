/** What else a domain publishes about its mail: MTA-STS, TLS-RPT, BIMI, and whether DNSSEC vouches for it. */
import type { Dns } from '@mailgrade/doh/dns'
import type { DomainName } from '../../names/domain-name.js'
import { type CheckResult, type DnsUnavailable, dnsUnavailable } from '../check-result.js'
import { createFinding, type Finding, txtEvidence } from '../finding.js'
import { readTxtRecords, toDisplayText } from '../txt-records.js'
import type { TransportRecord, TransportReport } from './transport-report.js'
import { bimi, mtaSts, type TxtRecordFormat, tlsRpt } from './txt-record-formats.js'

/** Of several records, which are all the same to senders. */
const MOST_SHOWN = 4

interface Looked {
  readonly kind: 'looked'
  readonly published: TransportRecord
  readonly issues: Finding[]
}

export async function checkTransport(
  dns: Dns,
  domain: DomainName,
): Promise<CheckResult<TransportReport>> {
  const [sts, rpt, logo, mx, txt] = await Promise.all([
    look(dns, mtaSts, domain),
    look(dns, tlsRpt, domain),
    look(dns, bimi, domain),
    dns.query(domain, 'MX'),
    dns.query(domain, 'TXT'),
  ])
  if (sts.kind === 'unavailable') return sts
  if (rpt.kind === 'unavailable') return rpt
  if (logo.kind === 'unavailable') return logo
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

async function look(
  dns: Dns,
  standard: TxtRecordFormat,
  domain: DomainName,
): Promise<Looked | DnsUnavailable> {
  const name = `${standard.label}.${domain}`
  const answer = await dns.query(name, 'TXT')
  // A domain of 253 characters leaves no room for the label, so there cannot be a record.
  if (answer.kind === 'failed' && answer.reason !== 'bad-name') {
    return dnsUnavailable(name, 'TXT', answer)
  }
  const records =
    answer.kind === 'failed' ? [] : readTxtRecords(answer).filter(standard.isCandidate)
  const [record] = records
  if (record === undefined) {
    const published = { name, present: false, record: null, valid: null }
    return { kind: 'looked', published, issues: [] }
  }
  const problem = records.length > 1 ? several(records.length) : standard.findProblem(record)
  const published = {
    name,
    present: true,
    record: records.length > 1 ? null : toDisplayText(record),
    valid: problem === null,
  }
  const evidence = records
    .slice(0, MOST_SHOWN)
    .map((text) => txtEvidence(name, toDisplayText(text)))
  return {
    kind: 'looked',
    published,
    issues:
      problem === null
        ? []
        : [createFinding(standard.id, words(standard, domain, problem), evidence)],
  }
}

function several(count: number): string {
  return `there are ${count} records, and senders then use none`
}

function words({ title, label, example }: TxtRecordFormat, domain: DomainName, problem: string) {
  return {
    title: `The ${title} record cannot be used`,
    detail: `It is read as if it were not there: ${problem}.`,
    fix: `Publish exactly one TXT record at ${label}.${domain}, such as "${example(domain)}", or delete what is there.`,
  }
}
