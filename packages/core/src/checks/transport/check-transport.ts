/** The transport check: MTA-STS, TLS-RPT and BIMI records, and whether DNSSEC protects the domain. */
import type { Dns, DnsAnswer, Failed } from '@mailgrade/doh/dns'
import type { DomainName } from '../../names/domain-name.js'
import { registrableDomain } from '../../names/registrable-domain.js'
import { createFinding, type Finding, txtEvidence } from '../finding.js'
import { judgeUnavailable, unavailabilityOf } from '../judge-unavailable.js'
import { MAX_TXT_OCTETS, readTxtRecords, toDisplayText } from '../txt-records.js'
import type { BimiRecord, TransportRecord, TransportReport } from './transport-report.js'
import { bimi, mtaSts, type TxtRecordFormat, tlsRpt } from './txt-record-formats.js'

/** Of several records at one name. */
const MAX_SHOWN = 4

interface CheckedRecord<Published = TransportRecord> {
  readonly published: Published
  /** Whether there is a record of the right version. */
  readonly hasVersion: boolean
  readonly issues: readonly Finding[]
  /** Why `published` is unknown. */
  readonly failure?: Failed
}

/** Always a report: what cannot be looked up is unknown, and the mail records are checked elsewhere. */
export async function checkTransport(dns: Dns, domain: DomainName): Promise<TransportReport> {
  const [sts, rpt, logo, mx, txt] = await Promise.all([
    checkRecord(dns, mtaSts, domain),
    checkRecord(dns, tlsRpt, domain),
    checkBimi(dns, domain),
    dns.query(domain, 'MX'),
    dns.query(domain, 'TXT'),
  ])
  const validated = isValidated([mx, txt])
  const unknown = [sts, rpt, logo]
    .filter(({ published }) => published.present === null)
    .map(({ published }) => published.name)
  return {
    mtaSts: sts.published,
    tlsRpt: rpt.published,
    bimi: logo.published,
    dnssec: { validated },
    issues: [
      ...[sts, rpt, logo].flatMap(({ issues }) => issues),
      ...(sts.published.valid ? [policyNotChecked(domain)] : []),
      ...judgeUnavailable(
        'transport.lookup-unavailable',
        'Records',
        validated === null ? [...unknown, domain] : unknown,
        unavailabilityOf([sts, rpt, logo].flatMap(({ failure }) => failure ?? [])),
      ),
    ],
  }
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
  // A domain of 253 characters leaves no room for the label, so there is no record.
  if (answer.kind === 'failed' && answer.reason !== 'bad-name') {
    const published = { name, present: null, record: null, valid: null }
    return { published, hasVersion: false, issues: [], failure: answer }
  }
  const texts = answer.kind === 'failed' ? [] : readTxtRecords(answer)
  const counted = texts.filter(format.hasVersion)
  const records = counted.length > 0 ? counted : texts.filter(format.isNearMiss)
  const [record] = records
  if (record === undefined) {
    const published = { name, present: false, record: null, valid: null }
    return { published, hasVersion: false, issues: [] }
  }
  const problem =
    counted.length > 1
      ? describeSeveral(counted.length)
      : record.length > MAX_TXT_OCTETS
        ? `it has more than ${MAX_TXT_OCTETS} characters, and the rest was not read`
        : format.findProblem(record)
  const published = {
    name,
    present: true,
    record: records.length > 1 ? null : toDisplayText(record),
    valid: problem === null,
  }
  const evidence = records.slice(0, MAX_SHOWN).map((text) => txtEvidence(name, toDisplayText(text)))
  return {
    published,
    hasVersion: counted.length > 0,
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
  { title, label, example, beforePublishing }: TxtRecordFormat,
  domain: string,
  problem: string,
) {
  return {
    title: `The ${title} record cannot be used`,
    detail: `It is ignored: ${problem}.`,
    fix: beforePublishing
      ? `${beforePublishing(domain)} Then publish exactly one TXT record at ${label}.${domain} with a new id, such as "${example(domain)}".`
      : `Publish exactly one TXT record at ${label}.${domain}, such as "${example(domain)}", or delete the existing records.`,
  }
}

function policyNotChecked(domain: string): Finding {
  return createFinding('transport.mta-sts-policy-not-checked', {
    title: 'The MTA-STS policy file was not checked',
    detail: `Senders also fetch https://mta-sts.${domain}/.well-known/mta-sts.txt. This report only reads DNS.`,
    fix: 'Open that URL. It must load without a certificate warning and list all your mail servers.',
  })
}
