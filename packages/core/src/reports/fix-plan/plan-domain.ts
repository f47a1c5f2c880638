/** Plans the fix of a domain: discover, plan the records, project the score, render. */

import type { Dns } from '@mailgrade/doh/dns'
import { findPitfalls } from '../../catalog/dns-hosts.js'
import { type CheckResult, createReport } from '../../checks/check-result.js'
import { checkTransport } from '../../checks/transport/check-transport.js'
import type { TransportReport } from '../../checks/transport/transport-report.js'
import { type DomainName, toUnicodeDomain } from '../../names/domain-name.js'
import type { SenderInUse } from '../../streams/find-senders.js'
import { findSigns } from '../../streams/key-owners.js'
import { describeLoss } from '../check/own-mail.js'
import { createRepeatableRandom, type Random } from '../check/run-checks.js'
import { describeDanger, gradeReports } from '../score/build-score-report.js'
import { collectWarnings } from './collect-warnings.js'
import { writeStage } from './dmarc/plan-rollout.js'
import type { FixPlan, PlanSender } from './fix-plan-report.js'
import type { PlanOptions } from './plan-context.js'
import {
  createPlanContext,
  hasHiddenKeys,
  isLeaving,
  isStrict,
  type PlanContext,
} from './plan-context.js'
import { formatMx } from './plan-mx.js'
import { planRecords, type RecordsPlan } from './plan-records.js'
import { supportsMtaSts } from './plan-transport.js'
import { projectScore } from './project-score.js'
import { listPublishedRecords } from './published-records.js'
import { type PlanInput, renderPlan } from './render/render-plan.js'
import { primaryMailboxProvider, toPlanService } from './services-in-use.js'
import { findUrgentMail } from './urgent-mail.js'
import { estimateMinutes, writeSummary } from './write-summary.js'

export async function planDomain(
  dns: Dns,
  domain: DomainName,
  random: Random,
  options: PlanOptions,
): Promise<CheckResult<FixPlan>> {
  const { baseUrl = null, now } = options
  const repeatRandom = createRepeatableRandom(random)
  const [created, transport] = await Promise.all([
    createPlanContext(dns, domain, repeatRandom, options),
    checkTransport(dns, domain),
  ])
  if (created.kind !== 'report') return created
  const context = created.report
  const { facts, services, mailUse } = context
  const plan = await planRecords(context, { transport, now })
  if (plan.kind === 'unavailable') return plan
  const projection = await projectScore(facts, plan, repeatRandom(), options)
  if (projection.kind !== 'report') return projection

  const { score, grade, findings } = gradeReports(facts.reports)
  const { projected, assumptions, remainingFindings } = projection.report
  const open = { today: findings, remaining: remainingFindings }
  const { warnings, faults } = collectWarnings(context, plan, transport, open)
  const [host] = services.dnsHosts
  const provider = primaryMailboxProvider(services)
  const unicodeDomain = toUnicodeDomain(domain)
  const { records, steps, rollout, exports, earliestEnd } = renderPlan({
    ...planInput(context, plan, transport),
    unicodeDomain,
    crowdedSpf: warnings.find(({ id }) => CROWDED_SPF.has(id)) ?? null,
    faults,
    baseUrl,
    now,
  })
  const scores = {
    current: { score, grade },
    projected: { ...projected, assumes: [...assumptions, ...assumeLastStage(plan)] },
  }
  const changes = plan.now.filter(
    ({ action, isLater, isOptional }) => action !== 'keep' && !isLater && !isOptional,
  )
  const effort = { minutesToday: estimateMinutes(changes.length, steps), earliestEnd }
  const danger = describeDanger(facts.reports)
  return {
    kind: 'report',
    report: createReport(domain, {
      sendsMail: mailUse.sends,
      summary: writeSummary({
        domain,
        unicodeDomain: unicodeDomain ?? undefined,
        effort,
        ...scores,
        changes,
        policy: plan.rollout.length > 0 ? null : plan.dmarc.inEffect.value,
        isRejectedToday: facts.reports.dmarc.policy === 'reject',
        isTest: facts.reports.dmarc.testing ?? false,
        rollout,
        steps,
        danger,
        loss: describeLoss(context),
        warnings,
      }),
      effort,
      mailboxProvider: provider ? toPlanService(provider) : null,
      dnsHost: host ? toPlanService(host) : null,
      senders: services.senders
        .filter(({ entry }) => entry.id !== provider?.entry.id)
        .map((sender) => toPlanSender(sender, context)),
      ...scores,
      records,
      steps,
      rollout,
      safety: { tested: [...(plan.spf?.tested ?? [])] },
      warnings,
      exports,
    }),
  }
}

/** What the renderers need of the plan. */
function planInput(
  context: PlanContext,
  plan: RecordsPlan,
  transport: TransportReport,
): Omit<PlanInput, 'now'> {
  const { facts, services, mailUse } = context
  const [host] = services.dnsHosts
  const mailboxes = services.mailboxProviders.find(
    ({ entry }) => entry.kind !== 'gateway' && !isLeaving(entry, context),
  )
  return {
    domain: facts.domain,
    planned: plan.now,
    rollout: plan.rollout.map(writeStage),
    zone: facts.zone,
    host: host?.entry ?? null,
    pitfalls: host ? findPitfalls(host.entry.panel, listPublishedRecords(facts)) : [],
    toTurnOn: plan.dkim.toTurnOn,
    toConfirm: plan.dkim.toConfirm,
    keySteps: plan.dkim.keySteps,
    proxied: plan.dkim.proxied,
    hasHiddenKeys: mailUse.sends && hasHiddenKeys(facts.dkim) && plan.dkim.records.length === 0,
    newMailbox: plan.dmarc.newMailbox,
    mailboxProvider: mailboxes?.entry.name ?? null,
    urgent: findUrgentMail(context),
    isExact: isStrict(facts, 'dkim'),
    sendsMail: mailUse.sends,
    hasLogo: transport.bimi.present !== false,
    mtaStsHosts: findMtaStsHosts(context, transport, plan),
    policy: facts.reports.dmarc.policy ?? 'none',
  }
}

function assumeLastStage({ rollout }: RecordsPlan): string[] {
  return rollout.length > 0 ? ['The rollout has reached its last stage.'] : []
}

/** The mail servers of a provider that supports MTA-STS, if nothing is published or planned yet. */
function findMtaStsHosts(
  context: PlanContext,
  { mtaSts }: TransportReport,
  { now }: RecordsPlan,
): string[] {
  const { facts, mailUse } = context
  const isFree = mtaSts.present === false && !now.some(({ purpose }) => purpose === 'mta-sts')
  if (!isFree || !mailUse.receives || !supportsMtaSts(context)) return []
  const removed = now.flatMap(({ purpose, action, value }) =>
    purpose === 'mx' && action === 'delete' ? [value] : [],
  )
  return facts.mx.targets
    .filter((target) => !removed.includes(formatMx(target)))
    .map(({ exchange }) => exchange)
}

/** The warnings about an SPF record with too many senders. */
const CROWDED_SPF: ReadonlySet<string> = new Set(['plan.spf-too-full', 'plan.senders-to-move'])

function toPlanSender(sender: SenderInUse, context: PlanContext): PlanSender {
  return {
    ...toPlanService(sender),
    signs: findSigns(sender, context.facts, context.services.ownerOf),
    inUse: sender.inUse,
  }
}
