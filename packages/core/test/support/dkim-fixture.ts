import type { Dns, FailureReason, RecordType } from '@mailgrade/doh/dns'
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { checkDkim } from '../../src/checks/dkim/check-dkim.js'
import { dkimReportSchema } from '../../src/checks/dkim/dkim-report.js'
import type { DomainName } from '../../src/names/domain-name.js'

/** A valid key. */
export const GOOD_KEY_RECORD = `v=DKIM1; k=rsa; p=${SPKI[2048]}`

/** One TXT record, its texts split into strings of at most 200 characters. */
export function txtZoneLine(owner: string, ...texts: readonly string[]): string {
  const strings = texts.flatMap((text) => text.match(/.{1,200}/gs) ?? [''])
  const quoted = strings.map((part) => `"${part.replace(/["\\]/g, '\\$&')}"`)
  return `${owner}. TXT ${quoted.join(' ')}\n`
}

/** The record of a selector of acme.test. */
export function keyZoneLine(selector: string, text = GOOD_KEY_RECORD): string {
  return txtZoneLine(`${selector}._domainkey.acme.test`, text)
}

/** A domain that sends mail, with unknown mail servers. */
export const SENDING_ZONE = `
  acme.test. MX 10 mx.acme.test.
  acme.test. TXT "v=spf1 mx -all"
`

interface DkimZoneOptions {
  readonly selector?: string
  readonly alsoSelectors?: readonly string[]
  readonly domain?: string
  readonly failing?: Record<string, FailureReason>
  /** What a server does to the answers of the zone. */
  readonly through?: (dns: Dns) => Dns
}

/** Checks a domain in a small world where made-up labels are `made-up-1` and `made-up-2`. */
export async function checkDkimZone(zone: string, story: DkimZoneOptions = {}) {
  const { selector, alsoSelectors, domain = 'acme.test', failing = {} } = story
  const { through = (dns: Dns) => dns } = story
  const dns = zoneDns(zone, failing)
  let count = 0
  const checked = await checkDkim(through(dns), domain as DomainName, {
    selector,
    alsoSelectors,
    randomLabel: () => `made-up-${++count}`,
  })
  return { checked, queries: dns.queries }
}

export async function requireDkimReport(zone: string, story: DkimZoneOptions = {}) {
  const { checked, queries } = await checkDkimZone(zone, story)
  if (checked.kind !== 'report') throw new Error(`no report but ${checked.kind}`)
  dkimReportSchema.strict().parse(checked.report)
  const { issues, ...report } = checked.report
  return { report, issues, ids: issues.map((issue) => issue.id), queries }
}

/** A server that says NODATA of every name that it does not have (RFC 9824). */
export function withNodataForNxdomain(dns: Dns): Dns {
  const ask = async (name: string, type: RecordType) => {
    const answer = await dns.query(name, type)
    return answer.kind === 'nxdomain' ? { ...answer, kind: 'nodata' as const } : answer
  }
  return { query: ask as Dns['query'] }
}

/** A server that says NXDOMAIN of a name which has only names below it, against RFC 8020. */
export function withNxdomainForDomainKey(dns: Dns): Dns {
  const ask = async (name: string, type: RecordType) => {
    const answer = await dns.query(name, type)
    const isDenied = answer.kind === 'nodata' && name.startsWith('_domainkey.')
    return isDenied ? { ...answer, kind: 'nxdomain' as const } : answer
  }
  return { query: ask as Dns['query'] }
}

/** A server that has a DNAME at _domainkey.acme.test, to a domain where there is nothing. */
export function withDomainKeyDname(dns: Dns): Dns {
  const ask = async (name: string, type: RecordType) => {
    const answer = await dns.query(name, type)
    if (name === '_domainkey.acme.test') return { ...answer, kind: 'nodata' as const }
    const target = name.replace('_domainkey.acme.test', 'keys.test')
    return target === name ? answer : { ...answer, cnames: [target] }
  }
  return { query: ask as Dns['query'] }
}
