/** Plans the DMARC record to publish now and the rollout after it. */
import { findDmarcHost, type RecordHost } from '../../../catalog/dmarc-services.js'
import { findServiceByDmarcTarget } from '../../../catalog/mail-services.js'
import type { DnsUnavailable } from '../../../checks/check-result.js'
import type { AppliedDmarcRecord } from '../../../checks/dmarc/discover-dmarc.js'
import { type DmarcRecord, isDmarcRecord } from '../../../checks/dmarc/dmarc-record.js'
import { findDmarcFaults, isDmarcNearMiss } from '../../../checks/dmarc/rewrite-dmarc-record.js'
import { emptyWalkStep } from '../../../checks/dmarc/tree-walk.js'
import { doubledDmarcName } from '../../../checks/dmarc/unapplied-record.js'
import { toDisplayText } from '../../../checks/txt-records.js'
import { FINAL_POLICY_LEVEL, POLICY_LEVELS } from '../../../rollout/policy-ladder.js'
import { toExactText, toShownText } from '../../record-data.js'
import type { DomainFacts } from '../discover-domain.js'
import type { RolloutStage } from '../fix-plan-report.js'
import { findToRelax, type PlanContext } from '../plan-context.js'
import { createPlannedRecord, type PlannedRecord } from '../planned-record.js'
import { type Condition, type Said, say, sayIf } from '../say.js'
import {
  currentPolicy,
  currentSubdomainTags,
  type DmarcDraft,
  dmarcValueNow,
  endsAtSuffix,
  findBaseRecord,
  findInheritedRecord,
  governsNamesBelow,
  hasNeedlessPsd,
  isOfRegistry,
  nonSendingDmarcValue,
  ownWalkStep,
  type PolicyConditions,
  type PolicyLimits,
  psdTag,
} from './dmarc-draft.js'
import { findCurrentLevel, type PlannedStage, planRollout } from './plan-rollout.js'
import {
  planReportAddresses,
  type ReportAddresses,
  reportAuthorizationRecords,
} from './report-addresses.js'

export interface DmarcPlan {
  readonly kind: 'planned'
  /** To publish now. */
  readonly records: readonly PlannedRecord[]
  /** The record that receivers then read, which may be inherited or behind a CNAME. */
  readonly inEffect: RolloutStage['record']
  /** The records after the last rollout stage. */
  readonly final: readonly PlannedRecord[]
  readonly rollout: readonly PlannedStage[]
  /** The mail address at the domain that has to exist; null if no new one is needed. */
  readonly newMailbox: string | null
}

export async function planDmarc(
  context: PlanContext,
  limits: PolicyLimits,
  conditions: PolicyConditions,
): Promise<DmarcPlan | DnsUnavailable> {
  const { facts, mailUse } = context
  const { dmarc } = facts
  const base = findBaseRecord(dmarc)
  const reportAddresses = await planReportAddresses(context, base)
  if (reportAddresses.kind === 'unavailable') return reportAddresses
  const host = findPolicyHost(facts)
  const sends = mailUse.sends || mailUse.sendsBelow
  // In the dashboard of a host, there is no record to publish, only stages.
  const isStaged = sends || host !== null
  const target = editableTarget(facts)
  const name = target ?? ownWalkStep(dmarc).name
  const locks = sends ? [] : lockConditions(facts, base)
  const draft: DmarcDraft = {
    facts: dmarc,
    base,
    reportAddresses,
    isStaged,
    limits,
    conditions: { ...conditions, domain: [...conditions.domain, ...locks] },
    host,
    toRelax: [...new Set(findToRelax(context).map(({ entry }) => entry.name))],
    name,
  }
  const current = findCurrentLevel(draft)
  const level = POLICY_LEVELS[current.levelIndex] ?? FINAL_POLICY_LEVEL
  const value = isStaged
    ? dmarcValueNow(draft, level)
    : nonSendingDmarcValue(draft, FINAL_POLICY_LEVEL)
  const now =
    keepDmarcRecord(draft, facts, current.isComplete) ??
    (host
      ? [keepHosted(facts, host)]
      : target
        ? editAtTarget(draft, value)
        : publishDmarcRecord(draft, facts, value, current.isComplete))
  const inEffect = readInEffect(now, facts)
  const rollout = isStaged ? planRollout({ draft, current, today: inEffect }) : []
  const last = rollout.at(-1)?.record
  const { placeholders } = reportAddresses
  const final = last
    ? [{ ...createPlannedRecord('dmarc', last.name, last.value), placeholders }]
    : now
  // The report addresses of an inherited record are up to its owner.
  const isOwn = inEffect.name === name
  const authorizations = isOwn
    ? reportAuthorizationRecords(facts.domain, reportAddresses.unauthorizedHosts)
    : []
  const misplaced = removeMisplaced(facts)
  const isPublishing = now.some(({ action }) => action === 'create' || action === 'replace')
  return {
    kind: 'planned',
    records: [...authorizations, ...now, ...misplaced],
    inEffect,
    final: [...authorizations, ...final, ...misplaced],
    rollout,
    newMailbox: isPublishing ? reportAddresses.newMailbox : null,
  }
}

/** The service that hosts the record of this domain alone, at the end of a CNAME or in a zone of its own. */
function findPolicyHost(facts: DomainFacts): RecordHost | null {
  const { name, cnames } = ownWalkStep(facts.dmarc)
  if (!isOwnInEffect(facts) || isWildcardAnswer(facts)) return null
  return findDmarcHost(cnames, facts.delegations.get(name) ?? [])
}

/** Nothing is published beside it: the policy changes at the host. */
function keepHosted({ dmarc }: DomainFacts, host: RecordHost): PlannedRecord {
  const { name, cnames } = ownWalkStep(dmarc)
  const [alias] = cnames
  const value = alias ?? toDisplayText(dmarc.applied?.record.text ?? '')
  return {
    ...createPlannedRecord('dmarc', name, value),
    action: 'keep',
    type: alias ? 'CNAME' : 'TXT',
    why: [say('dmarc.hosted', { host: host.service.name })],
  }
}

/** Where a CNAME at `_dmarc` leads, if a valid record is there that belongs to this domain alone. */
function editableTarget(facts: DomainFacts): string | null {
  const target = ownWalkStep(facts.dmarc).cnames.at(-1)
  if (target === undefined || isWildcardAnswer(facts)) return null
  const isShared = findServiceByDmarcTarget(target) !== null || findPolicyOwner(facts) !== null
  return isOwnInEffect(facts) && !isShared ? target : null
}

function isOwnInEffect({ dmarc }: DomainFacts): boolean {
  return dmarc.applied?.step === ownWalkStep(dmarc) && dmarc.policy !== null
}

/** The other domain whose own policy a CNAME at `_dmarc` leads to, directly or through others. */
function findPolicyOwner(facts: DomainFacts): string | null {
  const { domain, dmarc } = facts
  const names = isWildcardAnswer(facts) ? [] : ownWalkStep(dmarc).cnames
  const owners = names.flatMap((name) => /^_dmarc\.(.+)$/.exec(name)?.[1] ?? [])
  // A DMARC service may host the record at `_dmarc.<domain>.<service>`.
  return owners.find((owner) => owner !== domain && !owner.startsWith(`${domain}.`)) ?? null
}

/** RFC 4592 §2.2: a wildcard gives the same answer for a random name. */
function isWildcardAnswer({ dmarc, wildcard }: DomainFacts): boolean {
  const { cnames, texts } = ownWalkStep(dmarc)
  const hasAnswer = cnames.length + texts.length > 0
  return hasAnswer && haveSameItems(cnames, wildcard.cnames) && haveSameItems(texts, wildcard.texts)
}

function haveSameItems(some: readonly string[], others: readonly string[]): boolean {
  return [...some].sort().join('\n') === [...others].sort().join('\n')
}

/** Behind a CNAME, receivers read the record of its target. */
function readInEffect(
  now: readonly PlannedRecord[],
  { dmarc }: DomainFacts,
): RolloutStage['record'] {
  const published = now.filter(({ action }) => action !== 'delete')
  const record = published.find(({ type }) => type === 'TXT') ?? published.at(-1)
  const text = toDisplayText(dmarc.applied?.record.text ?? '')
  const target = record?.type === 'CNAME' ? ownWalkStep(dmarc).cnames.at(-1) : undefined
  return {
    type: 'TXT',
    name: target ?? record?.name ?? '',
    value: record?.type === 'TXT' ? record.value : text,
  }
}

/** Null if a record has to be published now. */
function keepDmarcRecord(
  draft: DmarcDraft,
  facts: DomainFacts,
  isComplete: boolean,
): PlannedRecord[] | null {
  const { applied, policy } = facts.dmarc
  if (!applied || !policy || (!draft.isStaged && !isComplete)) return null
  if (draft.toRelax.length > 0 || !mayStay(applied, draft, facts, isComplete)) return null
  const { step, record } = applied
  const [alias] = step.cnames
  const why = [
    isComplete ? say('dmarc.kept-last', {}) : say('dmarc.kept-stage', {}),
    ...describeUnmetWish(draft.reportAddresses),
  ]
  const kept = createPlannedRecord('dmarc', step.name, alias ?? toDisplayText(record.text))
  return [{ ...kept, action: 'keep', type: alias ? 'CNAME' : 'TXT', why }]
}

function mayStay(
  { step, record }: AppliedDmarcRecord,
  { reportAddresses }: DmarcDraft,
  facts: DomainFacts,
  isComplete: boolean,
): boolean {
  const { dmarc } = facts
  const own = ownWalkStep(dmarc)
  const isOwn = step === own
  // An inherited record is kept only if the domain has no broken record of its own.
  const isInherited =
    findInheritedRecord(dmarc) && !own.texts.some(isDmarcLike) && own.cnames.length === 0
  if (!isOwn && !isInherited) return false
  // The record of another domain is not this domain's to fix while it protects it.
  const isOfOther = !isOwn || findPolicyOwner(facts) !== null
  if (isOfOther && isComplete) return true
  // The host's default record stays only as long as it does what is needed.
  const isEditable = own.cnames.length === 0 || editableTarget(facts) !== null
  return (
    isEditable &&
    Object.keys(psdTag(dmarc, record)).length === 0 &&
    findDmarcFaults(record).length === 0 &&
    dmarc.policy === currentPolicy(dmarc) &&
    reportAddresses.areDelivered
  )
}

/** A record that is kept with a wish open is that of another domain. */
function describeUnmetWish({ wish: { uri, refusal } }: ReportAddresses): Said[] {
  if (!uri) return refusal ? [refusal] : []
  return [say('dmarc.reports-elsewhere', { address: uri.replace(/^mailto:/, ''), uri })]
}

/** The record is changed where the CNAME leads; the CNAME stays. */
function editAtTarget(draft: DmarcDraft, value: string): PlannedRecord[] {
  const own = ownWalkStep(draft.facts)
  const [alias = ''] = own.cnames
  const texts = own.texts.map(toExactText)
  const replaces = own.texts.filter(isDmarcLike).map(toExactText)
  const cname: PlannedRecord = {
    ...createPlannedRecord('dmarc', own.name, alias),
    type: 'CNAME',
    action: 'keep',
    why: [say('dmarc.alias-kept', {})],
  }
  const record: PlannedRecord = {
    ...createPlannedRecord('dmarc', draft.name, value),
    action: 'replace',
    replaces,
    otherValues: texts.filter((text) => !replaces.includes(text)),
    why: [
      say('dmarc.alias-target', { name: own.name }),
      ...explainDmarc(draft, replaces.length, false),
    ],
    placeholders: draft.reportAddresses.placeholders,
    onlyIf: conditionsOf(draft),
  }
  const [old, ...others] = replaces.map(toShownText)
  return old === value && others.length === 0 ? [cname] : [record, cname]
}

function publishDmarcRecord(
  draft: DmarcDraft,
  facts: DomainFacts,
  value: string,
  isComplete: boolean,
): PlannedRecord[] {
  const own = ownWalkStep(draft.facts)
  const { name, cnames, texts } = isWildcardAnswer(facts) ? emptyWalkStep(own.domain) : own
  const [alias] = cnames
  const replaces = alias ? [] : texts.filter(isDmarcLike).map(toExactText)
  const record: PlannedRecord = {
    ...createPlannedRecord('dmarc', name, value),
    action: replaces.length > 0 ? 'replace' : 'create',
    replaces,
    otherValues: alias ? [] : texts.filter((text) => !isDmarcLike(text)).map(toExactText),
    why: explainDmarc(draft, replaces.length, isComplete),
    placeholders: draft.reportAddresses.placeholders,
  }
  const [old, ...others] = replaces.map(toShownText)
  if (old === value && others.length === 0) return [{ ...record, action: 'keep', replaces: [] }]
  const published = { ...record, onlyIf: conditionsOf(draft) }
  if (!alias) return [published]
  const why = [explainAlias(alias, facts), say('dmarc.alias-first', {})]
  const removal = createPlannedRecord('dmarc', name, alias)
  return [{ ...removal, action: 'delete', type: 'CNAME', why }, published]
}

/** Why the record cannot be changed where the CNAME leads. */
function explainAlias(alias: string, facts: DomainFacts): Said {
  const host = findServiceByDmarcTarget(alias)?.name
  if (host) return say('dmarc.alias-shared', { host })
  const owner = isOwnInEffect(facts) ? findPolicyOwner(facts) : null
  return owner ? say('dmarc.alias-of-other', { owner }) : say('dmarc.alias-empty', { alias })
}

/** The stages have conditions of their own. */
function conditionsOf({ isStaged, conditions }: DmarcDraft): readonly Condition[] | null {
  return isStaged ? null : conditions.domain
}

/** A lock also stops mail that DNS does not show. */
function lockConditions(facts: DomainFacts, base: DmarcRecord): Condition[] {
  const { domain, below, mx, dmarc } = facts
  const count = below.failed.length
  // RFC 9989 §4.10.1: other names than the organization's govern nothing below them.
  const covers = governsNamesBelow(dmarc) && currentSubdomainTags(base, dmarc).sp === null
  return [
    ...(covers ? [sayIf(null, 'when.no-sender-below', { domain })] : []),
    ...(covers && count > 0 ? [sayIf(null, 'when.names-not-looked-up', { count })] : []),
    ...(mx.targets.some(({ kind }) => kind === 'host')
      ? [sayIf(null, 'when.servers-do-not-send', {})]
      : []),
  ]
}

/** Records where no receiver looks for them. */
function removeMisplaced({ dmarc, domain }: DomainFacts): PlannedRecord[] {
  const { atDomain, atDoubledName } = dmarc.misplaced
  const remove = (name: string, texts: readonly string[]) =>
    texts.map(
      (text): PlannedRecord => ({
        ...createPlannedRecord('dmarc', name, toExactText(text)),
        action: 'delete',
        why: [say('dmarc.misplaced', { domain })],
      }),
    )
  return [...remove(domain, atDomain), ...remove(doubledDmarcName(domain), atDoubledName)]
}

/** A DMARC record, valid or not. */
function isDmarcLike(text: string): boolean {
  return isDmarcRecord(text) || isDmarcNearMiss(text)
}

function explainDmarc(draft: DmarcDraft, replacedCount: number, isComplete: boolean): Said[] {
  const { facts, base, reportAddresses } = draft
  const isIgnored = replacedCount === 1 && facts.applied?.step !== ownWalkStep(facts)
  const faults = facts.applied?.record === base ? findDmarcFaults(base) : []
  return [
    ...(replacedCount > 1 ? [say('dmarc.several', {})] : []),
    ...(isIgnored ? [say('dmarc.near-miss', {})] : []),
    ...(faults.length > 0 ? [say('dmarc.fixed', { faults: faults.join('; ') })] : []),
    ...(draft.toRelax.length > 0 ? [say('dmarc.relaxed', { services: draft.toRelax })] : []),
    ...explainPsd(draft),
    explainPolicy(draft, isComplete),
    ...reportAddresses.notes,
    ...(reportAddresses.wish.refusal ? [reportAddresses.wish.refusal] : []),
  ]
}

function explainPsd({ facts, base }: DmarcDraft): Said[] {
  const { domain, organizationalDomain: suffix } = facts
  if (endsAtSuffix(facts)) return [say('dmarc.ends-at-suffix', { suffix })]
  return hasNeedlessPsd(base, facts) ? [say('dmarc.needless-psd', { domain })] : []
}

function explainPolicy({ facts, isStaged }: DmarcDraft, isComplete: boolean): Said {
  if (!isStaged) return say('dmarc.no-mail', {})
  if (!facts.policy) return say('dmarc.first-stage', {})
  const policy = currentPolicy(facts)
  if (facts.applied && isOfRegistry(facts)) {
    const registry = facts.applied.step.domain
    return policy === 'none'
      ? say('dmarc.after-registry', { registry })
      : say('dmarc.after-strict-registry', { registry, policy })
  }
  return isComplete
    ? say('dmarc.policy-stays', { policy })
    : say('dmarc.policy-stays-for-now', { policy })
}
