/** Everything that a plan rests on, looked up once. */
import type { Dns } from '@mailgrade/doh/dns'
import { type CheckResult, type DnsUnavailable, dnsUnavailable } from '../../checks/check-result.js'
import { buildDkimReport } from '../../checks/dkim/check-dkim.js'
import { discoverDkim } from '../../checks/dkim/discover-dkim.js'
import type { DkimFacts } from '../../checks/dkim/dkim-facts.js'
import { buildDmarcReport } from '../../checks/dmarc/check-dmarc.js'
import { type DmarcFacts, discoverDmarc } from '../../checks/dmarc/discover-dmarc.js'
import { buildMxReport } from '../../checks/mx/check-mx.js'
import { discoverMx, type MxFacts } from '../../checks/mx/discover-mx.js'
import { buildSpfReport } from '../../checks/spf/check-spf.js'
import { discoverSpf, type SpfFacts } from '../../checks/spf/discover-spf.js'
import { checkTransport } from '../../checks/transport/check-transport.js'
import type { TransportReport } from '../../checks/transport/transport-report.js'
import { readTxtRecords } from '../../checks/txt-records.js'
import type { DomainName } from '../../names/domain-name.js'
import { registrableDomain } from '../../names/registrable-domain.js'
import type { CheckReports } from '../check/check-reports.js'
import type { Random } from '../check/run-checks.js'
import type { Zone } from './planned-record.js'

export interface DomainFacts {
  readonly dns: Dns
  readonly domain: DomainName
  /** Where the domain itself is a CNAME: the way to its target. */
  readonly alias: readonly string[]
  /** As each check reports it alone. */
  readonly reports: CheckReports
  readonly mx: MxFacts
  readonly spf: SpfFacts
  readonly dmarc: DmarcFacts
  readonly dkim: DkimFacts
  readonly transport: TransportReport
  readonly zone: Zone
  /** What a name below the domain that nobody uses is answered with, if anything. */
  readonly wildcard: { readonly cnames: readonly string[]; readonly texts: readonly string[] }
  /** Names below the domain that are zones of their own. */
  readonly delegated: readonly string[]
}

/** `chance` draws the same labels each time, so that a second look asks nothing new. */
export async function discoverDomain(
  dns: Dns,
  domain: DomainName,
  chance: () => Random,
): Promise<CheckResult<DomainFacts>> {
  const [mx, spf, dmarc, dkim, transport, zone, sibling, delegated] = await Promise.all([
    discoverMx(dns, domain),
    discoverSpf(dns, domain),
    discoverDmarc(dns, domain),
    discoverDkim(dns, domain, chance()),
    checkTransport(dns, domain),
    findZone(dns, domain),
    dns.query(`${chance().randomLabel()}.${domain}`, 'TXT'),
    findDelegatedNames(dns, domain),
  ])
  if (mx.kind !== 'report') return mx
  if (spf.kind !== 'report') return spf
  if (dmarc.kind !== 'report') return dmarc
  if (dkim.kind !== 'report') return dkim
  if (transport.kind !== 'report') return transport
  if ('kind' in zone) return zone
  return {
    kind: 'report',
    report: {
      dns,
      domain,
      alias: spf.report.answers.answer(domain, 'TXT')?.cnames ?? [],
      reports: {
        mx: buildMxReport(mx.report),
        spf: buildSpfReport(spf.report),
        dmarc: buildDmarcReport(dmarc.report),
        dkim: buildDkimReport(dkim.report),
      },
      mx: mx.report,
      spf: spf.report,
      dmarc: dmarc.report,
      dkim: dkim.report,
      transport: transport.report,
      zone,
      wildcard: {
        cnames: sibling.cnames,
        texts: sibling.kind === 'failed' ? [] : readTxtRecords(sibling),
      },
      delegated,
    },
  }
}

/** A zone begins where name servers are named (RFC 2181 §6.1): at the domain or above it. */
export async function findZone(dns: Dns, domain: string): Promise<Zone | DnsUnavailable> {
  const names = upTo(registrableDomain(domain), domain)
  const answers = await Promise.all(names.map((name) => dns.query(name, 'NS')))
  for (const [index, answer] of answers.entries()) {
    const apex = names[index] ?? domain
    if (answer.kind === 'failed') return dnsUnavailable(apex, 'NS', answer)
    // Behind a CNAME the name servers are those of another zone.
    if (answer.kind === 'records' && answer.cnames.length === 0) {
      return { apex, nameServers: [...answer.records].sort() }
    }
  }
  return { apex: names.at(-1) ?? domain, nameServers: [] }
}

function upTo(top: string, domain: string): string[] {
  const labels = domain.split('.')
  const names = labels.map((_, index) => labels.slice(index).join('.'))
  return names.slice(0, names.indexOf(top) + 1)
}

/** Where records below the domain are kept by somebody else; what cannot be told is not said. */
export async function findDelegatedNames(dns: Dns, domain: string): Promise<string[]> {
  const names = [`_dmarc.${domain}`, `_domainkey.${domain}`]
  const answers = await Promise.all(names.map((name) => dns.query(name, 'NS')))
  return names.filter((_, index) => {
    const answer = answers[index]
    return answer?.kind === 'records' && answer.cnames.length === 0
  })
}
