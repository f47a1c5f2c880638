/** What the owner has to know besides the steps: risks, and what no step of the plan fixes. */
import { findFacts } from '../../catalog/findings.js'
import type { Finding } from '../../checks/finding.js'
import type { TransportReport } from '../../checks/transport/transport-report.js'
import { lostStreams } from '../check/check-reports.js'
import { type PlanContext, passesByDkimAlone } from './plan-context.js'
import type { RecordsPlan } from './plan-records.js'
import { planWarnings } from './warnings/plan-warnings.js'

interface Findings {
  readonly today: readonly Finding[]
  /** Once the plan is carried out. */
  readonly remaining: readonly Finding[]
}

export function collectWarnings(
  context: PlanContext,
  plan: RecordsPlan,
  transport: TransportReport,
  { today, remaining }: Findings,
): { readonly warnings: Finding[]; readonly faults: readonly Finding[] } {
  const known = new Set(today.map(({ id }) => id))
  const open = remaining
    .filter((finding) => !isAnswered(finding, context) && !isBehindFaultyInclude(finding, plan))
    .filter((finding) => !isUnavoidable(finding, context) && !hasKeyStep(finding, plan))
    .filter((finding) => isOpen(finding, context, plan))
  const current = [
    ...planWarnings(context, plan, transport),
    ...open.filter(({ id }) => known.has(id)),
  ]
  const results = open
    .filter(({ id }) => !known.has(id) && isResultOfPlan(id, plan))
    .map((finding) => ({ ...finding, title: `With this plan: ${finding.title}` }))
  return {
    warnings: [...current, ...results],
    faults: current.filter((warning) => needsStep(warning, plan)),
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
  if (id.startsWith('plan.strict-alignment')) return rejectObstacle?.kind === 'strict'
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
    // The plan asks about the service, or changes the record.
    id === 'dmarc.strict-alignment' ||
    (id === 'spf.mailbox-provider-missing' && context.leaving.length > 0) ||
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
