/** Plans the fix of a domain: discover, plan the records, project the score, render. */

import type { Dns } from '@mailgrade/doh/dns'
import { findPitfalls } from '../../catalog/dns-hosts.js'
import { findFacts } from '../../catalog/findings.js'
import { type CheckResult, createReport } from '../../checks/check-result.js'
import type { Finding } from '../../checks/finding.js'
import { checkTransport } from '../../checks/transport/check-transport.js'
import type { TransportReport } from '../../checks/transport/transport-report.js'
import { type DomainName, toUnicodeDomain } from '../../names/domain-name.js'
import type { SenderInUse } from '../../streams/find-senders.js'
import { findSigns } from '../../streams/key-owners.js'
import { lostStreams } from '../check/check-reports.js'
import { describeLoss } from '../check/own-mail.js'
import { createRepeatableRandom, type Random } from '../check/run-checks.js'
import { describeDanger, gradeReports } from '../score/build-score-report.js'
import { writeStage } from './dmarc/plan-rollout.js'
import type { FixPlan, PlanSender } from './fix-plan-report.js'
import type { PlanOptions } from './plan-context.js'
import {
  createPlanContext,
  findUnusedReceivers,
  hasHiddenKeys,
  isStrict,
  type PlanContext,
  passesByDkimAlone,
} from './plan-context.js'
import { planRecords, type RecordsPlan } from './plan-records.js'
import { supportsMtaSts } from './plan-transport.js'
import { projectScore } from './project-score.js'
import { listPublishedRecords } from './published-records.js'
import { renderPlan } from './render/render-plan.js'
import { primaryMailboxProvider, toPlanService } from './services-in-use.js'
import { findUrgentMail } from './urgent-mail.js'
import { planWarnings } from './warnings/plan-warnings.js'
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
  const today = new Set(findings.map(({ id }) => id))
  const { projected, assumptions, remainingFindings } = projection.report
  const rolloutAssumption =
    plan.rollout.length > 0 ? ['The rollout has reached its last stage.'] : []
  const open = remainingFindings
    .filter((finding) => !isAnswered(finding, context) && !isBehindFaultyInclude(finding, plan))
    .filter((finding) => !isUnavoidable(finding, context) && !hasKeyStep(finding, plan))
    .filter((finding) => isOpen(finding, context, plan))
  const current = [
    ...planWarnings(context, plan, transport),
    ...open.filter(({ id }) => today.has(id)),
  ]
  const results = open
    .filter(({ id }) => !today.has(id) && isResultOfPlan(id, plan))
    .map((finding) => ({ ...finding, title: `With this plan: ${finding.title}` }))
  const warnings = [...current, ...results]
  const [host] = services.dnsHosts
  const provider = primaryMailboxProvider(services)
  const unicodeDomain = toUnicodeDomain(domain)
  const { records, steps, rollout, exports, earliestEnd } = renderPlan({
    domain,
    unicodeDomain,
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
    crowdedSpf: warnings.find(({ id }) => CROWDED_SPF.has(id)) ?? null,
    newMailbox: plan.dmarc.newMailbox,
    mailboxProvider:
      services.mailboxProviders.find(({ entry }) => entry.kind !== 'gateway')?.entry.name ?? null,
    urgent: findUrgentMail(context),
    isExact: isStrict(facts, 'dkim'),
    sendsMail: mailUse.sends,
    faults: current.filter((warning) => needsStep(warning, plan)),
    hasLogo: transport.bimi.present !== false,
    mtaStsHosts: findMtaStsHosts(context, transport, plan),
    policy: facts.reports.dmarc.policy ?? 'none',
    baseUrl,
    now,
  })
  const scores = {
    current: { score, grade },
    projected: { ...projected, assumes: [...assumptions, ...rolloutAssumption] },
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

/** The mail servers of a provider that supports MTA-STS, if nothing is published or planned yet. */
function findMtaStsHosts(
  { facts, services, mailUse }: PlanContext,
  { mtaSts }: TransportReport,
  { now }: RecordsPlan,
): string[] {
  const isFree = mtaSts.present === false && !now.some(({ purpose }) => purpose === 'mta-sts')
  if (!isFree || !mailUse.receives || !supportsMtaSts(services)) return []
  return facts.mx.targets.map(({ exchange }) => exchange)
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

/**
 * What the planned records cause or make visible. Other findings of the end are not about today, such
 * as the policy of the parent domain once this domain has a stricter one.
 */
function isResultOfPlan(id: string, { final }: RecordsPlan): boolean {
  const hasSubdomainPolicy = final.some(
    ({ purpose, value }) => purpose === 'dmarc' && /;\s*[sn]p=/.test(value),
  )
  return (
    id === 'spf.at-lookup-limit' ||
    id.startsWith('dmarc.report-') ||
    (hasSubdomainPolicy && /^dmarc\.(?:subdomains|nonexistent)-/.test(id))
  )
}

/** A fault that the plan cannot fix by a record still has to be fixed. */
function needsStep({ id, severity }: Finding, { rejectObstacle }: RecordsPlan): boolean {
  const isMinor = severity === 'low' || severity === 'info'
  if (id === 'plan.strict-alignment') return rejectObstacle?.kind === 'strict'
  return findFacts(id)?.needsStep ?? !(isMinor || id.startsWith('plan.'))
}

/** The findings that a null MX would fix. */
const FIXED_BY_NULL_MX: ReadonlySet<string> = new Set(['mx.missing', 'mx.implicit'])

const ABOUT_MISSING_KEY: ReadonlySet<string> = new Set([
  'dkim.missing',
  'dkim.unknown',
  'dmarc.reject-without-dkim',
])

/** What the owner's answers or a warning of the plan settle. */
function isAnswered({ id }: Finding, context: PlanContext): boolean {
  return (
    (id === 'dkim.sender-unsigned' && lostStreams(context).length > 0) ||
    (id === 'spf.mailbox-provider-missing' && findUnusedReceivers(context).length > 0) ||
    (id === 'spf.names-nobody' && passesByDkimAlone(context))
  )
}

/** The owner must not remove an include through which senders pass; a warning asks its operator. */
function isBehindFaultyInclude({ id, evidence }: Finding, { spf }: RecordsPlan): boolean {
  const domains = (spf?.faulty ?? []).flatMap((include) => [...include.domains])
  return id.startsWith('spf.') && evidence.some(({ name }) => domains.includes(name))
}

/** Short keys of services that create no longer ones. */
function isUnavoidable({ id, evidence }: Finding, { facts, services }: PlanContext): boolean {
  const isShortOnly = (name: string) =>
    facts.dkim.keys.some(
      (key) => key.name === name && services.ownerOf(key)?.setup.dkim?.hasOnlyShortKeys,
    )
  return id === 'dkim.short-key' && evidence.every(({ name }) => isShortOnly(name))
}

/** Several records at a selector have a step of their own, and a deleted CNAME has its record. */
function hasKeyStep({ id, evidence }: Finding, { dkim }: RecordsPlan): boolean {
  const keys = dkim.keySteps.flatMap((step) => (step.kind === 'tell-apart' ? step.keys : []))
  const deleted = dkim.records.filter(({ action }) => action === 'delete')
  const names = new Set((id === 'dkim.several-records' ? keys : deleted).map(({ name }) => name))
  const isAboutRecords = id === 'dkim.several-records' || id.startsWith('dkim.dangling-cname')
  return isAboutRecords && evidence.every(({ name }) => names.has(name))
}

/** Whether a finding is neither impossible to fix nor the subject of a step. */
function isOpen(
  { id, evidence }: Finding,
  { facts, services, mailUse }: PlanContext,
  { mx, dkim, rejectObstacle }: RecordsPlan,
): boolean {
  if (mx?.nullMxRefusedBy && FIXED_BY_NULL_MX.has(id)) return false
  // No record can be published beside an alias, so its SPF and MX findings cannot be fixed.
  const unfixable = mailUse.sends
    ? /^(?:spf|mx)\./
    : /^(?:spf|mx|dkim)\.|^dmarc\.reject-without-dkim$/
  if (facts.alias.length > 0 && unfixable.test(id)) return false
  if (id === 'spf.ptr') return false
  const ids = new Set([
    ...dkim.toTurnOn.map(({ service }) => service.id),
    ...dkim.toConfirm.map(({ entry }) => entry.id),
  ])
  const waiting = new Set(
    facts.dkim.danglingCnames
      .filter(({ provider }) => provider !== null && ids.has(provider.id))
      .map(({ name }) => name),
  )
  // The warning about the stages says what can work.
  const isAboutMissingKey = ABOUT_MISSING_KEY.has(id)
  if (rejectObstacle?.kind === 'no-key' && isAboutMissingKey) return false
  // Relaxed alignment accepts the signature of a subdomain (RFC 9989 §4.4).
  const isSignedBelow =
    facts.below.names.some(({ signs }) => signs) && facts.reports.dmarc.alignment?.dkim !== 'strict'
  // The checks do not know that the owner sends through a forwarder.
  const isSignedByForwarder = services.senders.some(({ entry }) => entry.kind === 'forwarder')
  if (isAboutMissingKey && (isSignedBelow || isSignedByForwarder)) return false
  const isAboutWaiting = evidence.length > 0 && evidence.every(({ name }) => waiting.has(name))
  return !(id.startsWith('dkim.') && isAboutWaiting)
}
