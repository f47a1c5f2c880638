/** What else a domain publishes about its mail: MTA-STS, TLS-RPT, BIMI, and whether DNSSEC vouches for it. */
import type { Dns } from '@mailgrade/doh/dns'
import type { DomainName } from '../../names/domain-name.js'
import { type Checked, type Unavailable, unavailable } from '../checked.js'
import { type Finding, finding, txtEvidence } from '../finding.js'
import { shown, textsOf } from '../txt.js'
import { bimi, mtaSts, type TextStandard, tlsRpt } from './text-standards.js'
import type { Published, TransportReport } from './transport-report.js'

/** Of several records, which are all the same to senders. */
const MOST_SHOWN = 4

interface Looked {
  readonly kind: 'looked'
  readonly published: Published
  readonly issues: Finding[]
}

export async function checkTransport(
  dns: Dns,
  domain: DomainName,
): Promise<Checked<TransportReport>> {
  const [sts, rpt, logo, mx, txt] = await Promise.all([
    look(dns, mtaSts, domain),
    look(dns, tlsRpt, domain),
    look(dns, bimi, domain),
    dns.ask(domain, 'MX'),
    dns.ask(domain, 'TXT'),
  ])
  if (sts.kind === 'unavailable') return sts
  if (rpt.kind === 'unavailable') return rpt
  if (logo.kind === 'unavailable') return logo
  if (mx.kind === 'failed') return unavailable(domain, 'MX', mx)
  if (txt.kind === 'failed') return unavailable(domain, 'TXT', txt)
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
  standard: TextStandard,
  domain: DomainName,
): Promise<Looked | Unavailable> {
  const name = `${standard.label}.${domain}`
  const answer = await dns.ask(name, 'TXT')
  // A domain of 253 characters leaves no room for the label, so there cannot be a record.
  if (answer.kind === 'failed' && answer.reason !== 'bad-name') {
    return unavailable(name, 'TXT', answer)
  }
  const records = answer.kind === 'failed' ? [] : textsOf(answer).filter(standard.isMeant)
  const [record] = records
  if (record === undefined) {
    const published = { name, present: false, record: null, valid: null }
    return { kind: 'looked', published, issues: [] }
  }
  const problem = records.length > 1 ? several(records.length) : standard.problemOf(record)
  const published = {
    name,
    present: true,
    record: records.length > 1 ? null : shown(record),
    valid: problem === null,
  }
  const evidence = records.slice(0, MOST_SHOWN).map((text) => txtEvidence(name, shown(text)))
  return {
    kind: 'looked',
    published,
    issues:
      problem === null ? [] : [finding(standard.id, words(standard, domain, problem), evidence)],
  }
}

function several(count: number): string {
  return `there are ${count} records, and senders then use none`
}

function words({ title, label, example }: TextStandard, domain: DomainName, problem: string) {
  return {
    title: `The ${title} record cannot be used`,
    detail: `It is read as if it were not there: ${problem}.`,
    fix: `Publish exactly one TXT record at ${label}.${domain}, such as "${example(domain)}", or delete what is there.`,
  }
}
