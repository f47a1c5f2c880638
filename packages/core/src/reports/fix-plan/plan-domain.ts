/** Plans the fix of a domain: discover, plan the records, project the score, render. */

import type { Dns } from '@mailgrade/doh/dns'
import { findPitfalls } from '../../catalog/dns-host.js'
import { type CheckResult, createReport } from '../../checks/check-result.js'
import type { Finding } from '../../checks/finding.js'
import { checkTransport } from '../../checks/transport/check-transport.js'
import type { DomainName } from '../../names/domain-name.js'
import { type CheckOptions, createRepeatableRandom, type Random } from '../check/run-checks.js'
import { gradeReports } from '../score/build-score-report.js'
import type { FixPlan } from './fix-plan-report.js'
import { createPlanContext, type PlanContext } from './plan-context.js'
import { planRecords } from './plan-records.js'
import { planWarnings } from './plan-warnings.js'
import { projectScore } from './project-score.js'
import { listPublishedRecords } from './published-records.js'
import { renderPlan } from './render/render-plan.js'
import { primaryMailboxProvider, toPlanService } from './services-in-use.js'

export async function planDomain(
  dns: Dns,
  domain: DomainName,
  random: Random,
  options: CheckOptions = {},
): Promise<CheckResult<FixPlan>> {
  const repeatRandom = createRepeatableRandom(random)
  const [created, transport] = await Promise.all([
    createPlanContext(dns, domain, repeatRandom, options),
    checkTransport(dns, domain),
  ])
  if (created.kind !== 'report') return created
  const context = created.report
  const { facts, services, mailUse } = context
  const plan = await planRecords(context, transport)
  if (plan.kind === 'unavailable') return plan
  const projection = await projectScore(facts, plan.final, repeatRandom(), options)
  if (projection.kind !== 'report') return projection

  const { score, grade } = gradeReports(facts.reports)
  const { projected, assumptions } = projection.report
  const remainingFindings = plan.mx?.nullMxRefusedBy
    ? projection.report.remainingFindings.filter(({ id }) => !FIXED_BY_NULL_MX.has(id))
    : projection.report.remainingFindings
  const rolloutAssumption =
    plan.rollout.length > 0 ? ['The rollout has reached its last stage.'] : []
  const [host] = services.dnsHosts
  const { records, steps, exports } = renderPlan({
    planned: plan.now,
    rollout: plan.rollout,
    zone: facts.zone,
    host: host?.entry ?? null,
    domain,
    pitfalls: host ? findPitfalls(host.entry.panel, listPublishedRecords(facts)) : [],
    isFinished: remainingFindings.length === 0,
  })
  return {
    kind: 'report',
    report: createReport(domain, {
      sendsMail: mailUse.sends,
      mailboxProvider: primaryMailboxProvider(services),
      dnsHost: host ? toPlanService(host) : null,
      senders: services.senders.map(toPlanService),
      current: { score, grade },
      projected: { ...projected, assumes: [...assumptions, ...rolloutAssumption] },
      records,
      rollout: [...plan.rollout],
      steps,
      warnings: [
        ...planWarnings(context, plan, transport),
        ...withoutUnfixable(remainingFindings, context),
      ],
      exports,
    }),
  }
}

/** Their fix is a null MX, which not every DNS host accepts. */
const FIXED_BY_NULL_MX: ReadonlySet<string> = new Set(['mx.missing', 'mx.implicit'])

/** No record can be published beside an alias, so its SPF and MX findings cannot be fixed. */
function withoutUnfixable(
  findings: readonly Finding[],
  { facts, mailUse }: PlanContext,
): Finding[] {
  if (facts.alias.length === 0) return [...findings]
  const unfixable = mailUse.sends
    ? /^(?:spf|mx)\./
    : /^(?:spf|mx|dkim)\.|^dmarc\.reject-without-dkim$/
  return findings.filter(({ id }) => !unfixable.test(id))
}
