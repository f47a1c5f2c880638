/** Plans all records, in the order to publish them. */
import type { DnsUnavailable } from '../../checks/check-result.js'
import type { DkimKey } from '../../checks/dkim/dkim-facts.js'
import {
  type DmarcPolicy,
  parseDmarcRecord,
  REPORT_URI_TAGS,
} from '../../checks/dmarc/dmarc-record.js'
import { MAX_DOMAIN_LENGTH } from '../../names/host-problem.js'
import { hasOwnDmarc } from '../../streams/discover-below.js'
import { findReturnPathService, isBounceName } from '../../streams/find-senders.js'
import { isCounted } from '../../streams/stream.js'
import { effectiveTreatment } from '../check/check-reports.js'
import { nameSender } from '../check/own-mail.js'
import { type DkimPlan, planDkim } from './dkim/plan-dkim.js'
import { governsNamesBelow, type PolicyConditions } from './dmarc/dmarc-draft.js'
import { type DmarcPlan, planDmarc } from './dmarc/plan-dmarc.js'
import type { PlannedStage } from './dmarc/plan-rollout.js'
import {
  findGatewaysInDoubt,
  findStrictlyAligned,
  findToRelax,
  hasHiddenKeys,
  maySign,
  type PlanContext,
  type PlanStream,
} from './plan-context.js'
import { type MxPlan, planMx } from './plan-mx.js'
import { type PublishedTransport, planTransport } from './plan-transport.js'
import type { PlannedRecord } from './planned-record.js'
import { type Condition, sayIf } from './say.js'
import { planSpf, type SpfPlan } from './spf/plan-spf.js'
import { findUrgentMail, inOrderOfNeed, isUrgentRecord } from './urgent-mail.js'

export interface RecordsPlan {
  readonly kind: 'planned'
  /** To publish now. */
  readonly now: readonly PlannedRecord[]
  /** As published after the last rollout stage. */
  readonly final: readonly PlannedRecord[]
  readonly rollout: readonly PlannedStage[]
  /** Null if the domain is an alias. */
  readonly mx: MxPlan | null
  /** Null if the domain is an alias. */
  readonly spf: SpfPlan | null
  readonly dkim: DkimPlan
  readonly dmarc: Pick<DmarcPlan, 'inEffect' | 'newMailbox'>
  /** Why the policy must not become reject; null if it may. */
  readonly rejectObstacle: RejectObstacle | null
  /** Names below the domain that send and whose mail may not be signed. */
  readonly unsignedBelow: readonly string[]
  /** Names over the length limit of DNS. */
  readonly namesTooLong: readonly string[]
}

/** `published` is null when only the records that count for the score are wanted. */
export async function planRecords(
  context: PlanContext,
  published: PublishedTransport | null,
): Promise<RecordsPlan | DnsUnavailable> {
  const { facts, usableSpf } = context
  const [spf, dkim] = await Promise.all([
    usableSpf && planSpf(context, usableSpf),
    planDkim(context),
  ])
  const rejectObstacle = findRejectObstacle(context, dkim)
  const unsignedBelow = findUnsignedBelow(context, dkim)
  const limits = {
    domain: findLimit(rejectObstacle),
    below: findLimitBelow(unsignedBelow, rejectObstacle),
  }
  const conditions = findPolicyConditions(context, spf, rejectObstacle)
  const dmarc = await planDmarc(context, limits, conditions)
  if (dmarc.kind === 'unavailable') return dmarc
  const transport = published ? await planTransport(context, published, dmarc.inEffect.value) : []
  const takesReports = namesMailboxAt(facts.domain, dmarc.inEffect.value)
  const mx = usableSpf && planMx(context, takesReports)
  const servers = mx?.records ?? []
  // A null MX alone would call the domain non-sending before SPF and DMARC do.
  const isLocked = servers.some(({ action, value }) => action === 'create' && value === '0 .')
  const senders = spf ? [spf.record] : []
  const isSpfLast = mayFailUnsigned(context, spf)
  const urgent = findUrgentMail(context)
  const keys = inOrderOfNeed(dkim.records, (key) => isUrgentRecord(key, urgent))
  const inOrder = (policy: readonly PlannedRecord[]) =>
    orderRecords([
      ...(isLocked ? [] : servers),
      ...(isSpfLast ? [] : senders),
      ...keys,
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
    unsignedBelow: unsignedBelow.map(({ at }) => at),
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
  | { readonly kind: 'no-key'; readonly isUnseen: boolean }
  | { readonly kind: 'unsigned' | 'strict'; readonly services: readonly string[] }

/** RFC 9989 §7.4: under reject, mail that only SPF authenticates is lost when it is forwarded. */
function findRejectObstacle(context: PlanContext, dkim: DkimPlan): RejectObstacle | null {
  if (context.mailUse.sends && !hasAnyKey(context, dkim))
    return { kind: 'no-key', isUnseen: isSenderUnseen(context) }
  const unsigned = findUnsigned(context, dkim)
  if (unsigned.length > 0) return { kind: 'unsigned', services: unsigned }
  const isRelaxed = findToRelax(context).length > 0
  const strict = isRelaxed ? [] : findStrictlyAligned(context).map(({ entry }) => entry.name)
  return strict.length > 0 ? { kind: 'strict', services: strict } : null
}

/** DNS shows no one who sends, only servers that pass on what arrives or take bounces. */
function isSenderUnseen({ facts, services, streams }: PlanContext): boolean {
  const isSeen = streams.some((stream) => stream.at === facts.domain && isCounted(stream))
  const forwards = services.mailboxProviders.some(({ entry }) => entry.kind === 'forwarder')
  return !isSeen && (forwards || findReturnPathService(facts) !== null)
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

/** The names of services that send from the domain without a key, and get none. */
function findUnsigned(context: PlanContext, dkim: DkimPlan): string[] {
  const { facts, services, streams, mailUse } = context
  if (!mailUse.sends) return []
  const crowded = new Set(dkim.selectorConflicts.map(({ service }) => service))
  const signing = findSigners(context, dkim)
  const passOnlySigned = services.senders
    .filter(({ setUpAt }) => setUpAt === null)
    .filter(({ entry, inUse }) => inUse !== 'unsure' || crowded.has(entry.name))
    // The owner says that a forwarder sends.
    .filter(({ entry }) => entry.returnPathAtRoot === 'never' || entry.kind === 'forwarder')
    .map(({ entry }) => entry)
  const unsigned = streams
    .filter((stream) => stream.at === facts.domain && isCounted(stream) && stream.dkim === 'none')
    // Of another service that is not in the catalog, only reports prove that it sends.
    .filter(
      ({ service, kind, certainty }) => service || kind !== 'service' || certainty === 'certain',
    )
    .filter(({ service, kind }) => service || kind === 'service' || !signing.has(null))
    .map((stream) => stream.service ?? { id: stream.id, name: nameSender(stream) })
  const all = new Set([...passOnlySigned, ...unsigned])
  return [...all].filter(({ id }) => !signing.has(id)).map(({ name }) => name)
}

/** The ids of services that sign for the domain, or will with the plan. */
function findSigners(context: PlanContext, dkim: DkimPlan): ReadonlySet<string | null> {
  return new Set([
    ...signingKeys(context).flatMap((key) => context.services.ownerOf(key)?.id ?? []),
    ...plannedKeys(context, dkim).map(({ service }) => service),
    ...dkim.toTurnOn.map(({ service }) => service.id),
  ])
}

/** A signature of the domain counts for names below it unless alignment is strict. */
function findUnsignedBelow(context: PlanContext, dkim: DkimPlan): PlanStream[] {
  const { facts, streams } = context
  const isStrict = facts.reports.dmarc.alignment?.dkim === 'strict'
  const signing = isStrict ? new Set() : findSigners(context, dkim)
  const keys = plannedKeys(context, dkim)
  return streams
    .filter((stream) => stream.at !== facts.domain && isCounted(stream) && !isBounceName(stream.at))
    .filter(({ at, service, dkim: found }) => {
      // What takes bounces below the domain may sign elsewhere, with a key that no one can guess.
      const mayBeSigned = service !== null && service.returnPathAtRoot !== 'never'
      const isPlanned = keys.some(
        (key) => key.service === service?.id && key.name.endsWith(`.${at}`),
      )
      const isSigned = found === 'aligned' || (found === 'unknown' && mayBeSigned)
      return !isSigned && !isPlanned && !(service && signing.has(service.id))
    })
}

/** Strict alignment that excludes a sender has to go first: no stage may bring it back. */
function findLimit(obstacle: RejectObstacle | null): DmarcPolicy {
  if (obstacle?.kind === 'strict') return 'none'
  if (obstacle?.kind === 'no-key' && obstacle.isUnseen) return 'reject'
  return obstacle ? 'quarantine' : 'reject'
}

/** SPF alone breaks when mail is forwarded, so it is not enough for reject. */
function findLimitBelow(
  unsigned: readonly PlanStream[],
  obstacle: RejectObstacle | null,
): DmarcPolicy {
  if (unsigned.some(({ spf }) => spf !== 'aligned')) return 'none'
  return unsigned.length > 0 || findLimit(obstacle) !== 'reject' ? 'quarantine' : 'reject'
}

/**
 * A policy affects the streams that SPF affects, so whoever skips one of them skips both. It also
 * affects what may send from a name whose mail servers are all that is seen.
 */
function findPolicyConditions(
  context: PlanContext,
  spf: SpfPlan | null,
  obstacle: RejectObstacle | null,
): PolicyConditions {
  const conditions = spf?.record.onlyIf ?? []
  const ofSpf = typeof conditions === 'string' ? [] : conditions
  const isUnseen = obstacle?.kind === 'no-key' && obstacle.isUnseen
  return {
    domain: [
      ...ofSpf.filter(({ stream }) => stream !== null),
      ...findGatewaysInDoubt(context).map(({ id, name }) =>
        sayIf(id, 'when.gateway-passes', { name }),
      ),
      ...askWhoSends(isUnseen ? [context.facts.domain] : []),
    ],
    below: askWhoSends(findUnseenBelow(context)),
  }
}

function askWhoSends(names: readonly string[]): Condition[] {
  const [first] = names
  return first === undefined ? [] : [sayIf(first, 'when.names-do-not-send', { names })]
}

/** Names below the domain that its policy covers and that may send, for all that is known. */
function findUnseenBelow({ facts, streams }: PlanContext): string[] {
  if (!governsNamesBelow(facts.dmarc)) return []
  return facts.below.names
    .filter((each) => each.sends && each.mayOnlyReceive && !hasOwnDmarc(each))
    .filter(({ name }) => !streams.some((stream) => stream.at === name && isCounted(stream)))
    .map(({ name }) => name)
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
