/** How well a domain is guarded against forged mail, in points. */

import type { Dns } from '@mailgrade/doh/dns'
import type { Checked } from '../../checks/checked.js'
import { checkDmarc } from '../../checks/dmarc/check-dmarc.js'
import type { DomainName } from '../../names/domain-name.js'
import { type Chance, remembered } from '../check/chance.js'
import { gatherParts } from '../check/gather-parts.js'
import { overlay } from '../overlay.js'
import { scoreParts } from './score-parts.js'
import type { ScoreReport } from './score-report.js'
import { type GatherWith, topFixes } from './top-fixes.js'

export async function scoreDomain(
  dns: Dns,
  domain: DomainName,
  chance: Chance,
): Promise<Checked<ScoreReport>> {
  const again = remembered(chance)
  const gathered = await gatherParts(dns, domain, again())
  if (gathered.kind !== 'report') return gathered
  const gatherWith: GatherWith = async (records) => {
    const published = records.reduce((before, record) => overlay(before, [record]), dns)
    // DMARC records are no other check's business, and an SPF tree may be large.
    if (records.every(({ name }) => name.startsWith('_dmarc.'))) {
      const dmarc = await checkDmarc(published, domain)
      return dmarc.kind === 'report' ? { ...gathered.report, dmarc: dmarc.report } : null
    }
    const checked = await gatherParts(published, domain, again())
    return checked.kind === 'report' ? checked.report : null
  }
  const fixes = await topFixes(gathered.report, gatherWith)
  return { kind: 'report', report: scoreParts(domain, gathered.report, fixes) }
}
