/** How well a domain is guarded against forged mail, in points. */

import type { Dns } from '@mailgrade/doh/dns'
import type { CheckResult } from '../../checks/check-result.js'
import { checkDmarc } from '../../checks/dmarc/check-dmarc.js'
import type { DomainName } from '../../names/domain-name.js'
import { createRepeatableRandom, type Random, runChecks } from '../check/run-checks.js'
import { createOverlayDns } from '../overlay-dns.js'
import { buildScoreReport } from './build-score-report.js'
import { findTopFixes, type RunChecksWith } from './find-top-fixes.js'
import type { ScoreReport } from './score-report.js'

export async function scoreDomain(
  dns: Dns,
  domain: DomainName,
  chance: Random,
): Promise<CheckResult<ScoreReport>> {
  const again = createRepeatableRandom(chance)
  const gathered = await runChecks(dns, domain, again())
  if (gathered.kind !== 'report') return gathered
  const gatherWith: RunChecksWith = async (records) => {
    const published = records.reduce((before, record) => createOverlayDns(before, [record]), dns)
    // DMARC records are no other check's business, and an SPF tree may be large.
    if (records.every(({ name }) => name.startsWith('_dmarc.'))) {
      const dmarc = await checkDmarc(published, domain)
      return dmarc.kind === 'report' ? { ...gathered.report, dmarc: dmarc.report } : null
    }
    const checked = await runChecks(published, domain, again())
    return checked.kind === 'report' ? checked.report : null
  }
  const fixes = await findTopFixes(gathered.report, gatherWith)
  return { kind: 'report', report: buildScoreReport(domain, gathered.report, fixes) }
}
