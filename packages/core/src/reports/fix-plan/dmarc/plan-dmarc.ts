/** Plans the DMARC record to publish now and the rollout after it. */
import { findServiceByDmarcTarget } from '../../../catalog/mail-services.js'
import type { DnsUnavailable } from '../../../checks/check-result.js'
import type { AppliedDmarcRecord } from '../../../checks/dmarc/discover-dmarc.js'
import { isDmarcRecord } from '../../../checks/dmarc/dmarc-record.js'
import { findDmarcFaults, isDmarcNearMiss } from '../../../checks/dmarc/rewrite-dmarc-record.js'
import { emptyWalkStep } from '../../../checks/dmarc/tree-walk.js'
import { doubledDmarcName } from '../../../checks/dmarc/unapplied-record.js'
import { toDisplayText } from '../../../checks/txt-records.js'
import { toExactText, toShownText } from '../../record-data.js'
import type { DomainFacts } from '../discover-domain.js'
import type { RolloutStage } from '../fix-plan-report.js'
import type { PlanContext } from '../plan-context.js'
import { createPlannedRecord, type PlannedRecord } from '../planned-record.js'
import {
  currentPolicy,
  type DmarcDraft,
  dmarcValueNow,
  findBaseRecord,
  findInheritedRecord,
  nonSendingDmarcValue,
  ownWalkStep,
} from './dmarc-draft.js'
import { FINAL_POLICY_LEVEL, findCurrentLevel, POLICY_LEVELS, planRollout } from './plan-rollout.js'
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
  readonly rollout: readonly RolloutStage[]
  /** The mail address at the domain that has to exist; null if no new one is needed. */
  readonly newMailbox: string | null
}

/** `mayReject`: every sender that can pass only with DKIM has a key, or gets one. */
export async function planDmarc(
  context: PlanContext,
  mayReject: boolean,
): Promise<DmarcPlan | DnsUnavailable> {
  const { facts, mailUse } = context
  const { dmarc } = facts
  const base = findBaseRecord(dmarc)
  const reportAddresses = await planReportAddresses(context, base)
  if (reportAddresses.kind === 'unavailable') return reportAddresses
  const isStaged = mailUse.sends || mailUse.sendsBelow
  const target = editableTarget(facts)
  const name = target ?? ownWalkStep(dmarc).name
  const draft: DmarcDraft = { facts: dmarc, base, reportAddresses, isStaged, name }
  const current = findCurrentLevel(dmarc)
  const level = POLICY_LEVELS[current.levelIndex] ?? FINAL_POLICY_LEVEL
  const value = isStaged
    ? dmarcValueNow(draft, level)
    : nonSendingDmarcValue(draft, FINAL_POLICY_LEVEL)
  const now =
    keepDmarcRecord(draft, facts, current.isComplete) ??
    (target
      ? editAtTarget(draft, facts, value)
      : publishDmarcRecord(draft, facts, value, current.isComplete))
  const inEffect = readInEffect(now, facts)
  const rollout = isStaged ? planRollout({ draft, current, today: inEffect, mayReject }) : []
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
  if (!mayStay(applied, draft, facts, isComplete)) return null
  const { step, record } = applied
  const [alias] = step.cnames
  const why = [
    isComplete
      ? 'It asks receivers to reject forged mail.'
      : 'It’s right for the current stage. The rollout shows what comes next.',
    ...describeUnmetWish(draft.reportAddresses),
  ].join(' ')
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
    findDmarcFaults(record).length === 0 &&
    dmarc.policy === currentPolicy(dmarc) &&
    reportAddresses.areDelivered
  )
}

/** A record that is kept with a wish open is that of another domain. */
function describeUnmetWish({ wish: { uri, refusal } }: ReportAddresses): string[] {
  const address = uri?.replace(/^mailto:/, '')
  return uri
    ? [
        `This record decides where the reports go. To get them at ${address}, add ${uri} to its rua tag.`,
      ]
    : refusal
      ? [refusal]
      : []
}

/** The record is changed where the CNAME leads; the CNAME stays. */
function editAtTarget(draft: DmarcDraft, facts: DomainFacts, value: string): PlannedRecord[] {
  const own = ownWalkStep(draft.facts)
  const [alias = ''] = own.cnames
  const texts = own.texts.map(toExactText)
  const replaces = own.texts.filter(isDmarcLike).map(toExactText)
  const cname: PlannedRecord = {
    ...createPlannedRecord('dmarc', own.name, alias),
    type: 'CNAME',
    action: 'keep',
    why: 'It points to the record that receivers use.',
  }
  const record: PlannedRecord = {
    ...createPlannedRecord('dmarc', draft.name, value),
    action: 'replace',
    replaces,
    otherValues: texts.filter((text) => !replaces.includes(text)),
    why: `${own.name} is a CNAME that points here, so this is the record to change. ${explainDmarc(draft, replaces.length, false)}`,
    placeholders: draft.reportAddresses.placeholders,
    onlyIf: lockCondition(draft, facts),
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
  const published = { ...record, onlyIf: lockCondition(draft, facts) }
  if (!alias) return [published]
  const why = `${explainAlias(alias, facts)} A name with a CNAME can’t have a TXT record (RFC 1034 §3.6.2), so create the next record right after you delete this one.`
  const removal = createPlannedRecord('dmarc', name, alias)
  return [{ ...removal, action: 'delete', type: 'CNAME', why }, published]
}

/** Why the record cannot be changed where the CNAME leads. */
function explainAlias(alias: string, facts: DomainFacts): string {
  const host = findServiceByDmarcTarget(alias)?.name
  if (host) {
    return `${host} publishes this record for all its customers, so you can’t change it there.`
  }
  const owner = isOwnInEffect(facts) ? findPolicyOwner(facts) : null
  return owner
    ? `_dmarc.${owner} is ${owner}’s own policy, so changing it would change that domain, too.`
    : `${alias} has no valid DMARC record.`
}

/** A lock also stops mail that DNS does not show. */
function lockCondition({ isStaged, facts }: DmarcDraft, { below, mx }: DomainFacts): string | null {
  if (isStaged) return null
  const servers = mx.targets.some(({ kind }) => kind === 'host')
    ? ' The domain has mail servers, so make sure that no one sends mail through them.'
    : ''
  const unseen =
    below.failed.length > 0 ? ` We couldn’t look up ${below.failed.length} of them.` : ''
  return `No subdomain of ${facts.domain} sends mail. The record covers subdomains, too.${unseen}${servers}`
}

/** Records where no receiver looks for them. */
function removeMisplaced({ dmarc, domain }: DomainFacts): PlannedRecord[] {
  const { atDomain, atDoubledName } = dmarc.misplaced
  const remove = (name: string, texts: readonly string[]) =>
    texts.map(
      (text): PlannedRecord => ({
        ...createPlannedRecord('dmarc', name, toExactText(text)),
        action: 'delete',
        why: `Receivers look for DMARC only at _dmarc.${domain}, so this record has no effect.`,
      }),
    )
  return [...remove(domain, atDomain), ...remove(doubledDmarcName(domain), atDoubledName)]
}

/** A DMARC record, valid or not. */
function isDmarcLike(text: string): boolean {
  return isDmarcRecord(text) || isDmarcNearMiss(text)
}

function explainDmarc(draft: DmarcDraft, replacedCount: number, isComplete: boolean): string {
  const { facts, base, reportAddresses } = draft
  const isIgnored = replacedCount === 1 && facts.applied?.step !== ownWalkStep(facts)
  const faults = facts.applied?.record === base ? findDmarcFaults(base) : []
  return [
    ...(replacedCount > 1
      ? [
          'If there’s more than one DMARC record, receivers ignore them all, so keep only this one (RFC 9989 §4.10).',
        ]
      : []),
    ...(isIgnored
      ? [
          'Receivers don’t recognize the published record as DMARC, because it has to start with exactly v=DMARC1 and a semicolon.',
        ]
      : []),
    ...(faults.length > 0 ? [`Fixed: ${faults.join('; ')}.`] : []),
    explainPolicy(draft, isComplete),
    ...reportAddresses.notes,
    ...(reportAddresses.wish.refusal ? [reportAddresses.wish.refusal] : []),
  ].join(' ')
}

function explainPolicy({ facts, isStaged }: DmarcDraft, isComplete: boolean): string {
  if (!isStaged) return 'The domain sends no mail, so receivers can reject forged mail right away.'
  return facts.policy
    ? `The policy stays "p=${currentPolicy(facts)}"${isComplete ? '.' : ' for now.'}`
    : 'The first stage only asks for reports, so you won’t lose any mail.'
}
