/** The transport check: MTA-STS, TLS-RPT, BIMI and DANE records, and whether DNSSEC protects the domain. */
import type { Dns, DnsAnswer } from '@mailgrade/doh/dns'
import type { DomainName } from '../../names/domain-name.js'
import { registrableDomain } from '../../names/registrable-domain.js'
import { txtEvidence } from '../finding.js'
import { MAX_TXT_OCTETS, readTxtRecords, toDisplayText } from '../txt-records.js'
import { checkDane } from './check-dane.js'
import { type CheckedRecord, judgeTransport } from './judge-transport.js'
import type { BimiRecord, TransportRecord, TransportReport } from './transport-report.js'
import { bimi, mtaSts, type TxtRecordFormat, tlsRpt } from './txt-record-formats.js'

/** Of several records at one name. */
const MAX_SHOWN = 4

/** Always a report: what cannot be looked up is unknown, and the mail records are checked elsewhere. */
export async function checkTransport(dns: Dns, domain: DomainName): Promise<TransportReport> {
  const [sts, rpt, logo, dane, mx, txt] = await Promise.all([
    checkRecord(dns, mtaSts, domain),
    checkRecord(dns, tlsRpt, domain),
    checkBimi(dns, domain),
    checkDane(dns, domain),
    dns.query(domain, 'MX'),
    dns.query(domain, 'TXT'),
  ])
  const validated = isValidated([mx, txt])
  return {
    mtaSts: sts.published,
    tlsRpt: { ...rpt.published, rua: reportUris(rpt.published) },
    bimi: logo.published,
    dane: dane.published,
    dnssec: { validated },
    issues: judgeTransport({ domain, mtaSts: sts, tlsRpt: rpt, bimi: logo, dane, validated }),
  }
}

function reportUris({ record, valid }: TransportRecord): string[] {
  return valid && record !== null ? tlsRpt.reportUris(record) : []
}

/** One answer without validation is enough to know; a failed query is not. */
function isValidated(answers: readonly DnsAnswer[]): boolean | null {
  const answered = answers.filter(({ kind }) => kind !== 'failed')
  if (answered.some((answer) => answer.kind !== 'failed' && !answer.authenticated)) return false
  return answered.length === answers.length ? true : null
}

/** §7.2 of the draft: without a record of its own, a name has that of its organizational domain. */
async function checkBimi(dns: Dns, domain: DomainName): Promise<CheckedRecord<BimiRecord>> {
  const organization = registrableDomain(domain)
  const [own, parent] = await Promise.all([
    checkRecord(dns, bimi, domain),
    organization === domain ? null : checkRecord(dns, bimi, organization),
  ])
  const applicable = parent ? selectBimi(own, parent) : own
  const { name, present, record, valid } = applicable.published
  const published = { name, present, record, valid, inherited: applicable === parent }
  return { ...applicable, published }
}

function selectBimi(own: CheckedRecord, parent: CheckedRecord): CheckedRecord {
  if (own.hasVersion || own.published.present === null) return own
  if (parent.hasVersion || parent.published.present === null) return parent
  return parent.published.present && !own.published.present ? parent : own
}

async function checkRecord(
  dns: Dns,
  format: TxtRecordFormat,
  domain: string,
): Promise<CheckedRecord> {
  const name = `${format.label}.${domain}`
  const answer = await dns.query(name, 'TXT')
  const checked = { id: format.id, domain, hasVersion: false, problem: null, evidence: [] }
  // A domain of 253 characters leaves no room for the label, so there is no record.
  if (answer.kind === 'failed' && answer.reason !== 'bad-name') {
    const published = { name, present: null, record: null, valid: null }
    return { published, failure: answer, ...checked }
  }
  const texts = answer.kind === 'failed' ? [] : readTxtRecords(answer)
  const counted = texts.filter(format.hasVersion)
  const records = counted.length > 0 ? counted : texts.filter(format.isNearMiss)
  const [record] = records
  if (record === undefined) {
    const published = { name, present: false, record: null, valid: null }
    return { published, failure: null, ...checked }
  }
  const problem =
    counted.length > 1
      ? `there are ${counted.length} records, so senders ignore them all`
      : record.length > MAX_TXT_OCTETS
        ? `it has more than ${MAX_TXT_OCTETS} characters, and we didn’t read the rest`
        : format.findProblem(record)
  return {
    id: format.id,
    domain,
    published: {
      name,
      present: true,
      record: records.length > 1 ? null : toDisplayText(record),
      valid: problem === null,
    },
    hasVersion: counted.length > 0,
    problem,
    evidence: records.slice(0, MAX_SHOWN).map((text) => txtEvidence(name, toDisplayText(text))),
    failure: null,
  }
}
