/** Plans all records, in the order to publish them. */
import type { DnsUnavailable } from '../../checks/check-result.js'
import type { DkimKey } from '../../checks/dkim/dkim-facts.js'
import { parseDmarcRecord, REPORT_URI_TAGS } from '../../checks/dmarc/dmarc-record.js'
import { MAX_DOMAIN_LENGTH } from '../../names/host-problem.js'
import type { SenderInUse } from '../../streams/find-senders.js'
import { findSignsBelow } from '../../streams/key-owners.js'
import { effectiveTreatment } from '../check/check-reports.js'
import { type DkimPlan, planDkim } from './dkim/plan-dkim.js'
import { type DmarcPlan, planDmarc } from './dmarc/plan-dmarc.js'
import type { RolloutStage } from './fix-plan-report.js'
import { findStrictlyAligned, hasHiddenKeys, maySign, type PlanContext } from './plan-context.js'
import { type MxPlan, planMx } from './plan-mx.js'
import { type PublishedTransport, planTransport } from './plan-transport.js'
import type { PlannedRecord } from './planned-record.js'
import { planSpf, type SpfPlan } from './spf/plan-spf.js'

export interface RecordsPlan {
  readonly kind: 'planned'
  /** To publish now. */
  readonly now: readonly PlannedRecord[]
  /** As published after the last rollout stage. */
  readonly final: readonly PlannedRecord[]
  readonly rollout: readonly RolloutStage[]
  /** Null if the domain is an alias. */
  readonly mx: MxPlan | null
  /** Null if the domain is an alias. */
  readonly spf: SpfPlan | null
  readonly dkim: DkimPlan
  readonly dmarc: Pick<DmarcPlan, 'inEffect' | 'newMailbox'>
  /** Why the policy must not become reject; null if it may. */
  readonly rejectObstacle: RejectObstacle | null
  /** Names over the length limit of DNS. */
  readonly namesTooLong: readonly string[]
}

/** `published` is null when only the records that count for the score are wanted. */
export async function planRecords(
  context: PlanContext,
  published: PublishedTransport | null,
): Promise<RecordsPlan | DnsUnavailable> {
  const { facts, services, mailUse, usableSpf } = context
  const [spf, dkim] = await Promise.all([
    usableSpf && planSpf(context, usableSpf),
    planDkim(context),
  ])
  const rejectObstacle = findRejectObstacle(context, dkim)
  const dmarc = await planDmarc(context, rejectObstacle === null)
  if (dmarc.kind === 'unavailable') return dmarc
  const transport = published ? await planTransport(context, published, dmarc.inEffect.value) : []
  const takesReports = namesMailboxAt(facts.domain, dmarc.inEffect.value)
  const mx = usableSpf && planMx(facts, services, { ...mailUse, takesReports })
  const servers = mx?.records ?? []
  // A null MX alone would call the domain non-sending before SPF and DMARC do.
  const isLocked = servers.some(({ action, value }) => action === 'create' && value === '0 .')
  const senders = spf ? [spf.record] : []
  const isSpfLast = mayFailUnsigned(context, spf)
  const inOrder = (policy: readonly PlannedRecord[]) =>
    orderRecords([
      ...(isLocked ? [] : servers),
      ...(isSpfLast ? [] : senders),
      ...dkim.records,
      ...policy,
      ...(isSpfLast ? senders : []),
      ...(isLocked ? servers : []),
      ...transport,
    ])
  const now = inOrder(dmarc.records)
  return {
    kind: 'planned',
    now: now.filter(hasValidLength),
    final: inOrder(dmarc.final).filter(hasValidLength),
    rollout: dmarc.rollout.every(({ record }) => hasValidLength(record)) ? dmarc.rollout : [],
    mx,
    spf,
    dkim,
    dmarc: now.some(({ name }) => name === dmarc.inEffect.name && name.length <= MAX_DOMAIN_LENGTH)
      ? dmarc
      : { ...dmarc, newMailbox: null },
    rejectObstacle,
    namesTooLong: now.filter((record) => !hasValidLength(record)).map(({ name }) => name),
  }
}

/**
 * Under an enforced policy, mail that passes only because SPF lets every server in is lost once SPF
 * no longer does: signatures and reports come first.
 */
function mayFailUnsigned({ facts, mailUse }: PlanContext, spf: SpfPlan | null): boolean {
  const isEnforced = effectiveTreatment(facts.reports.dmarc) !== 'none'
  return mailUse.sends && isEnforced && spf !== null && spf.record.onlyIf !== null
}

/**
 * `no-key`: nothing signs; `unsigned`: services that can pass only with DKIM and have no key;
 * `strict`: services whose signature strict alignment does not accept.
 */
type RejectObstacle =
  | { readonly kind: 'no-key' }
  | { readonly kind: 'unsigned' | 'strict'; readonly services: readonly string[] }

/** RFC 9989 §7.4: under reject, mail that only SPF authenticates is lost when it is forwarded. */
function findRejectObstacle(context: PlanContext, dkim: DkimPlan): RejectObstacle | null {
  if (context.mailUse.sends && !hasAnyKey(context, dkim)) return { kind: 'no-key' }
  const unsigned = findUnsigned(context, dkim)
  if (unsigned.length > 0) return { kind: 'unsigned', services: unsigned }
  const strict = findStrictlyAligned(context).map(({ entry }) => entry.name)
  return strict.length > 0 ? { kind: 'strict', services: strict } : null
}

/** Whether a key signs, or will sign with the plan. */
function hasAnyKey(context: PlanContext, dkim: DkimPlan): boolean {
  const { facts } = context
  const isSignedBelow = facts.below.names.some(({ signs }) => signs)
  return (
    isSignedBelow ||
    hasHiddenKeys(facts.dkim) ||
    signingKeys(context).length + plannedKeys(context, dkim).length + dkim.toTurnOn.length > 0
  )
}

function signingKeys(context: PlanContext): DkimKey[] {
  const { keys, wildcardKeys } = context.facts.dkim
  return [...keys, ...wildcardKeys].filter((key) => maySign(key, context))
}

function plannedKeys({ services }: PlanContext, dkim: DkimPlan): PlannedRecord[] {
  const named = new Set(services.senders.map(({ entry }) => entry.id))
  return dkim.records.filter(
    ({ purpose, action, service, isOptional }) =>
      purpose === 'dkim' &&
      !isOptional &&
      (action === 'create' || action === 'replace') &&
      // Whether a forwarder is also used to send is not known.
      (service === null || named.has(service)),
  )
}

/** The names of services that pass only with DKIM and get no key where they are set up. */
function findUnsigned(context: PlanContext, dkim: DkimPlan): string[] {
  const { facts, services, mailUse } = context
  const keys = plannedKeys(context, dkim)
  const crowded = new Set(dkim.selectorConflicts.map(({ service }) => service))
  const signing = new Set([
    ...signingKeys(context).flatMap((key) => services.ownerOf(key)?.id ?? []),
    ...keys.map(({ service }) => service),
    ...dkim.toTurnOn.map(({ service }) => service.id),
  ])
  const isSigned = (sender: SenderInUse) =>
    sender.setUpAt === null
      ? signing.has(sender.entry.id)
      : findSignsBelow(sender, facts) === 'yes' ||
        keys.some(
          ({ service, name }) => service === sender.entry.id && name.endsWith(`.${sender.setUpAt}`),
        )
  return (
    services.senders
      .filter(({ setUpAt }) => mailUse.sends || setUpAt !== null)
      .filter(({ entry, inUse }) => inUse !== 'unsure' || crowded.has(entry.name))
      // The owner says that a forwarder sends.
      .filter(({ entry }) => entry.returnPathAtRoot === 'never' || entry.kind === 'forwarder')
      .filter((sender) => !isSigned(sender))
      .map(({ entry }) => entry.name)
  )
}

/** RFC 1035 §2.3.4. */
function hasValidLength({ name }: Pick<PlannedRecord, 'name'>): boolean {
  return name.length <= MAX_DOMAIN_LENGTH
}

function namesMailboxAt(domain: string, policy: string): boolean {
  const record = parseDmarcRecord(policy)
  return REPORT_URI_TAGS.some((tag) =>
    record.reportUris(tag).uris.some(({ host }) => host === domain),
  )
}

/**
 * The order that loses no mail: MX, SPF, DKIM, and then the DMARC policy, which depends on both.
 * What has to wait comes after that, and kept records come last.
 */
function orderRecords(all: readonly PlannedRecord[]): PlannedRecord[] {
  const rank = ({ action, isLater, isOptional }: PlannedRecord) =>
    action === 'keep' ? 3 : isLater ? 2 : isOptional ? 1 : 0
  return [0, 1, 2, 3].flatMap((each) => all.filter((record) => rank(record) === each))
}

/** What a warning may look at. */
export interface PlanFacts extends PlanContext {
  readonly plan: RecordsPlan
}
