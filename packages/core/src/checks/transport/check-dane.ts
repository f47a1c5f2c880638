/** DANE: which mail servers have TLSA records (RFC 7672). */
import { type Dns, type Failed, type Mx, queryAll } from '@mailgrade/doh/dns'
import type { DomainName } from '../../names/domain-name.js'
import { isIpAddress } from '../../names/host-problem.js'
import { byPreference } from '../mx/discover-mx.js'
import type { DaneReport } from './transport-report.js'

/** Senders rarely try more, and each one costs a query. */
const MAX_HOSTS = 5

export interface CheckedDane {
  readonly published: DaneReport
  /** The names whose lookup failed, and why. */
  readonly failures: readonly { readonly name: string; readonly failure: Failed }[]
}

/** The MX answer is known to the other checks, so only the TLSA records are new queries. */
export async function checkDane(dns: Dns, domain: DomainName): Promise<CheckedDane> {
  const mx = await dns.query(domain, 'MX')
  // Without the MX records the whole check ends as unavailable, so this needs no finding.
  if (mx.kind === 'failed') return { published: { present: null, hosts: [] }, failures: [] }
  const hosts = mx.kind === 'records' ? preferredHosts(mx.records) : []
  const names = hosts.map((host) => `_25._tcp.${host}`)
  const answers = await queryAll(
    dns,
    names.map((name) => ({ name, type: 'TLSA' as const })),
  )
  const checked = answers.map((answer, index) => {
    const host = hosts[index] ?? ''
    if (answer.kind !== 'failed') {
      const tlsa = answer.kind === 'records' ? answer.records.length : 0
      return { host, tlsa, secure: answer.authenticated }
    }
    // A host of 253 characters leaves no room for the labels, so there is no record.
    return answer.reason === 'bad-name'
      ? { host, tlsa: 0, secure: false }
      : { host, tlsa: null, secure: null }
  })
  return {
    published: { present: isPresent(checked), hosts: checked },
    failures: answers.flatMap((failure, index) =>
      failure.kind === 'failed' && failure.reason !== 'bad-name'
        ? [{ name: names[index] ?? '', failure }]
        : [],
    ),
  }
}

/** Names only: the root is a null MX, and an address has no TLSA record. */
function preferredHosts(records: readonly Mx[]): string[] {
  const exchanges = [...records].sort(byPreference).map(({ exchange }) => exchange)
  const hosts = exchanges.filter((exchange) => exchange !== '.' && !isIpAddress(exchange))
  return [...new Set(hosts)].slice(0, MAX_HOSTS)
}

function isPresent(hosts: DaneReport['hosts']): boolean | null {
  if (hosts.some(({ tlsa }) => tlsa !== null && tlsa > 0)) return true
  return hosts.some(({ tlsa }) => tlsa === null) ? null : false
}
