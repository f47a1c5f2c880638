/** How well a domain is guarded against forged mail, in points. */
import type { Checked } from '../../checks/checked.js'
import type { Dns } from '../../dns/dns.js'
import type { DomainName } from '../../names/domain-name.js'
import { type Chance, gatherParts } from '../check/gather-parts.js'
import { scoreParts } from './score-parts.js'
import type { ScoreReport } from './score-report.js'

export async function scoreDomain(
  dns: Dns,
  domain: DomainName,
  chance: Chance,
): Promise<Checked<ScoreReport>> {
  const gathered = await gatherParts(dns, domain, chance)
  return gathered.kind === 'report'
    ? { kind: 'report', report: scoreParts(domain, gathered.report) }
    : gathered
}
