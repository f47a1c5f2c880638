/** Looks up everything that a plan is based on. */
import type { Dns } from '@mailgrade/doh/dns'
import type { CheckResult } from '../../checks/check-result.js'
import { findZone } from '../../checks/delegation.js'
import { buildDkimReport } from '../../checks/dkim/check-dkim.js'
import { discoverDkim } from '../../checks/dkim/discover-dkim.js'
import type { DkimFacts } from '../../checks/dkim/dkim-facts.js'
import { buildDmarcReport } from '../../checks/dmarc/check-dmarc.js'
import { type DmarcFacts, discoverDmarc } from '../../checks/dmarc/discover-dmarc.js'
import { parseWithWeakestPolicies } from '../../checks/dmarc/dmarc-record.js'
import { buildMxReport } from '../../checks/mx/check-mx.js'
import { discoverMx, type MxFacts } from '../../checks/mx/discover-mx.js'
import { buildSpfReport } from '../../checks/spf/check-spf.js'
import { discoverSpf, type SpfFacts } from '../../checks/spf/discover-spf.js'
import { readTxtRecords } from '../../checks/txt-records.js'
import type { DomainName } from '../../names/domain-name.js'
import { type BelowFacts, discoverBelow } from '../../streams/discover-below.js'
import type { WildcardAnswers } from '../../streams/wildcard-answers.js'
import type { CheckReports } from '../check/check-reports.js'
import { type CheckOptions, type Random, withStreams } from '../check/run-checks.js'
import type { Zone } from './planned-record.js'

export interface DomainFacts {
  readonly dns: Dns
  readonly domain: DomainName
  /** The CNAME chain, if the domain itself is a CNAME. */
  readonly alias: readonly string[]
  /** Each check judged alone. */
  readonly reports: CheckReports
  readonly mx: MxFacts
  readonly spf: SpfFacts
  /** With the weakest of repeated policies, so no plan enforces one that some receivers do not apply. */
  readonly dmarc: DmarcFacts
  readonly dkim: DkimFacts
  readonly zone: Zone
  /** The name servers of the names below the domain that are zones of their own. */
  readonly delegations: ReadonlyMap<string, readonly string[]>
  /** The answer for a random name below the domain; empty without a wildcard. */
  readonly wildcard: { readonly cnames: readonly string[]; readonly texts: readonly string[] }
  readonly below: BelowFacts
}

export async function discoverDomain(
  dns: Dns,
  domain: DomainName,
  repeatRandom: () => Random,
  { selectors }: CheckOptions,
): Promise<CheckResult<DomainFacts>> {
  const probe = queryWildcard(dns, `${repeatRandom().randomLabel()}.${domain}`)
  const [mx, spf, dmarc, lenientDmarc, dkim, zone, wildcard, delegated, below] = await Promise.all([
    discoverMx(dns, domain),
    discoverSpf(dns, domain),
    discoverDmarc(dns, domain),
    discoverDmarc(dns, domain, parseWithWeakestPolicies),
    discoverDkim(dns, domain, { ...repeatRandom(), alsoSelectors: selectors }),
    findZone(dns, domain),
    probe,
    findDelegatedNames(dns, domain),
    probe.then((answers) => discoverBelow(dns, domain, answers)),
  ])
  if (mx.kind !== 'facts') return mx
  if (spf.kind !== 'facts') return spf
  if (dmarc.kind !== 'facts') return dmarc
  if (lenientDmarc.kind !== 'facts') return lenientDmarc
  if (dkim.kind !== 'facts') return dkim
  if (zone.kind === 'unavailable') return zone
  return {
    kind: 'report',
    report: {
      dns,
      domain,
      alias: spf.facts.answers.answer(domain, 'TXT')?.cnames ?? [],
      reports: withStreams(
        {
          mx: buildMxReport(mx.facts),
          spf: buildSpfReport(spf.facts),
          dmarc: buildDmarcReport(dmarc.facts),
          dkim: buildDkimReport(dkim.facts),
        },
        { domain, mx: mx.facts, spf: spf.facts, dmarc: dmarc.facts, dkim: dkim.facts },
      ),
      mx: mx.facts,
      spf: spf.facts,
      dmarc: lenientDmarc.facts,
      dkim: dkim.facts,
      zone: { ...zone.zone, delegated: [...delegated.keys()] },
      delegations: delegated,
      wildcard: {
        cnames: wildcard.txt.cnames,
        // A failed query counts as no wildcard: only the wording of the plan depends on it.
        texts: wildcard.txt.kind === 'failed' ? [] : readTxtRecords(wildcard.txt),
      },
      below,
    },
  }
}

async function queryWildcard(dns: Dns, name: string): Promise<WildcardAnswers> {
  const [txt, mx] = await Promise.all([dns.query(name, 'TXT'), dns.query(name, 'MX')])
  return { txt, mx }
}

/** A failed query counts as not delegated: it only costs a warning. */
async function findDelegatedNames(
  dns: Dns,
  domain: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = [`_dmarc.${domain}`, `_domainkey.${domain}`]
  const delegated = await Promise.all(
    names.map(async (name) => {
      const answer = await dns.query(name, 'NS')
      const isZone = answer.kind === 'records' && answer.cnames.length === 0
      return isZone ? [[name, answer.records] as const] : []
    }),
  )
  return new Map(delegated.flat())
}
