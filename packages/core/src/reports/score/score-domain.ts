/** Scores how well a domain is protected against forged mail. */

import type { Dns } from '@mailgrade/doh/dns'
import type { CheckResult } from '../../checks/check-result.js'
import type { DomainName } from '../../names/domain-name.js'
import {
  type CheckOptions,
  createRepeatableRandom,
  type Random,
  runChecks,
} from '../check/run-checks.js'
import { createPlanContext } from '../fix-plan/plan-context.js'
import { planRecords } from '../fix-plan/plan-records.js'
import { buildScoreReport } from './build-score-report.js'
import { findTopFixes } from './find-top-fixes.js'
import type { ScoreReport } from './score-report.js'

export async function scoreDomain(
  dns: Dns,
  domain: DomainName,
  random: Random,
  options: CheckOptions = {},
): Promise<CheckResult<ScoreReport>> {
  const repeatRandom = createRepeatableRandom(random)
  const created = await createPlanContext(dns, domain, repeatRandom, options)
  if (created.kind !== 'report') {
    // A plan needs more lookups than a score. Where one of them failed, the score comes without fixes.
    const checked = await runChecks(dns, domain, repeatRandom(), options)
    if (checked.kind !== 'report') return checked
    return { kind: 'report', report: buildScoreReport(domain, checked.report, []) }
  }
  const context = created.report
  const plan = await planRecords(context, null)
  const topFixes =
    plan.kind === 'planned' ? await findTopFixes(context, plan, repeatRandom, options) : []
  return { kind: 'report', report: buildScoreReport(domain, context.facts.reports, topFixes) }
}
