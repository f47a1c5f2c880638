/** The fix plan: what to publish, in which order, and what it brings. */

import type { Dns } from '@mailgrade/doh/dns'
import type { CheckResult } from '../../checks/check-result.js'
import type { Finding } from '../../checks/finding.js'
import { toReportSubject } from '../../checks/report-subject.js'
import type { DomainName } from '../../names/domain-name.js'
import { createRepeatableRandom, type Random } from '../check/run-checks.js'
import { buildScoreReport } from '../score/build-score-report.js'
import type { FixPlan } from './fix-plan-report.js'
import { createPlanContext, type PlanContext } from './plan-context.js'
import { planRecords } from './plan-records.js'
import { planWarnings } from './plan-warnings.js'
import { projectScore } from './project-score.js'
import { renderPlan } from './render/render-plan.js'
import { primaryMailboxProvider, toPlanService } from './services-in-use.js'

export async function planDomain(
  dns: Dns,
  domain: DomainName,
  chance: Random,
): Promise<CheckResult<FixPlan>> {
  const again = createRepeatableRandom(chance)
  const surveyed = await createPlanContext(dns, domain, again)
  if (surveyed.kind !== 'report') return surveyed
  const situation = surveyed.report
  const { facts, services, mailUse } = situation
  const plan = await planRecords(situation)
  if (plan.kind === 'unavailable') return plan
  const projection = await projectScore(facts, plan.final, again())
  if (projection.kind !== 'report') return projection

  const { score, grade } = buildScoreReport(domain, facts.reports, [])
  const { projected, assumptions, remainingFindings } = projection.report
  const end = plan.rollout.length > 0 ? ['The rollout has reached its last stage.'] : []
  const [host] = services.dnsHosts
  const { records, steps, exports } = renderPlan({
    planned: plan.now,
    rollout: plan.rollout,
    zone: facts.zone,
    host: host?.entry ?? null,
    domain,
    isFinished: remainingFindings.length === 0,
  })
  return {
    kind: 'report',
    report: {
      ...toReportSubject(domain),
      sendsMail: mailUse.sends,
      mailboxProvider: primaryMailboxProvider(services),
      dnsHost: host ? toPlanService(host) : null,
      senders: services.senders.map(toPlanService),
      current: { score, grade },
      projected: { ...projected, assumes: [...assumptions, ...end] },
      records,
      rollout: [...plan.rollout],
      steps,
      warnings: [...planWarnings(situation, plan), ...mendable(remainingFindings, situation)],
      exports,
    },
  }
}

/** Beside an alias no record can stand that would mend SPF or MX, or say that nothing is sent. */
function mendable(remaining: readonly Finding[], { facts, mailUse }: PlanContext): Finding[] {
  if (facts.alias.length === 0) return [...remaining]
  const beyond = mailUse.sends ? /^(?:spf|mx)\./ : /^(?:spf|mx|dkim)\.|^dmarc\.reject-without-dkim$/
  return remaining.filter(({ id }) => !beyond.test(id))
}
