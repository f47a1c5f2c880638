/** Scores how well a domain is protected against forged mail. */

import type { Dns } from '@mailgrade/doh/dns'
import type { CheckResult } from '../../checks/check-result.js'
import { checkDmarc } from '../../checks/dmarc/check-dmarc.js'
import type { DomainName } from '../../names/domain-name.js'
import {
  type CheckOptions,
  createRepeatableRandom,
  type Random,
  runChecks,
} from '../check/run-checks.js'
import { createOverlayDns } from '../overlay-dns.js'
import { buildScoreReport } from './build-score-report.js'
import { findTopFixes, type RunChecksWith } from './find-top-fixes.js'
import type { ScoreReport } from './score-report.js'

export async function scoreDomain(
  dns: Dns,
  domain: DomainName,
  random: Random,
  options: CheckOptions = {},
): Promise<CheckResult<ScoreReport>> {
  const repeatRandom = createRepeatableRandom(random)
  const checked = await runChecks(dns, domain, repeatRandom(), options)
  if (checked.kind !== 'report') return checked
  const runChecksWith: RunChecksWith = async (records) => {
    const overlay = records.reduce((below, record) => createOverlayDns(below, [record]), dns)
    // DMARC records affect no other check, and an SPF tree may be large.
    if (records.every(({ name }) => name.startsWith('_dmarc.'))) {
      const dmarc = await checkDmarc(overlay, domain)
      return dmarc.kind === 'report' ? { ...checked.report, dmarc: dmarc.report } : null
    }
    const rechecked = await runChecks(overlay, domain, repeatRandom(), options)
    return rechecked.kind === 'report' ? rechecked.report : null
  }
  const topFixes = await findTopFixes(checked.report, runChecksWith)
  return { kind: 'report', report: buildScoreReport(domain, checked.report, topFixes) }
}
