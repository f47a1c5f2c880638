/** Everything that a plan rests on, looked up once. */

import type { Dns } from '@mailgrade/doh/dns'
import type { CheckResult } from '../../checks/check-result.js'
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
import type { CheckReports } from '../check/check-reports.js'
import type { Random } from '../check/repeatable-random.js'
import { findDelegatedNames, findZone } from './find-zone.js'
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
  if (mx.kind !== 'facts') return mx
  if (spf.kind !== 'facts') return spf
  if (dmarc.kind !== 'facts') return dmarc
  if (dkim.kind !== 'facts') return dkim
  if (transport.kind !== 'report') return transport
  if ('kind' in zone) return zone
  return {
    kind: 'report',
    report: {
      dns,
      domain,
      alias: spf.facts.answers.answer(domain, 'TXT')?.cnames ?? [],
      reports: {
        mx: buildMxReport(mx.facts),
        spf: buildSpfReport(spf.facts),
        dmarc: buildDmarcReport(dmarc.facts),
        dkim: buildDkimReport(dkim.facts),
      },
      mx: mx.facts,
      spf: spf.facts,
      dmarc: dmarc.facts,
      dkim: dkim.facts,
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
