/** Plans a good DKIM key for every service that signs; good keys stay unchanged. */
import type { MailService } from '../../../catalog/mail-services.js'
import { findProviderById } from '../../../catalog/mail-services.js'
import { hasPlaceholder } from '../../../catalog/record-template.js'
import type { DkimFacts, DkimKey } from '../../../checks/dkim/dkim-facts.js'
import { isMailboxHost, type SenderInUse } from '../../../streams/find-senders.js'
import { findSignsBelow } from '../../../streams/key-owners.js'
import type { DomainFacts } from '../discover-domain.js'
import { isLeaving, type PlanContext } from '../plan-context.js'
import { createPlannedRecord, type PlannedRecord } from '../planned-record.js'
import { type Condition, say, sayIf } from '../say.js'
import { hasOwnServer, planGenericKey } from './generic-key.js'
import { isDelegationDead, type KeyStep, planKeySteps } from './key-steps.js'
import { planCurrentKey, planNonSendingKey, singleRecordKeys } from './plan-current-key.js'
import { ifStillUsed, planRequiredKey, type RequiredKey, requiredKeys } from './required-keys.js'
import { planReturnPath } from './return-path.js'
import { deleteAlias, findUnregistered } from './unregistered-targets.js'

export interface DkimPlan {
  readonly records: readonly PlannedRecord[]
  /** Services whose records are right, but that do not sign yet. */
  readonly toTurnOn: readonly ServiceToTurnOn[]
  /** Services that may be leftovers, for which nothing is planned unless they are in use. */
  readonly toConfirm: readonly SenderInUse[]
  /** What to do about keys besides the records. */
  readonly keySteps: readonly KeyStep[]
  /** Records left out because another service uses the selector. */
  readonly selectorConflicts: readonly { readonly service: string; readonly name: string }[]
  /** CNAMEs that the DNS host answers with its own addresses. */
  readonly proxied: readonly string[]
}

export interface ServiceToTurnOn {
  readonly service: MailService
  /** The name below the domain that it is set up for; null for the domain itself. */
  readonly setUpAt: string | null
  readonly onlyIf: readonly Condition[] | null
  /** Names of published CNAMEs whose targets only the service can confirm. */
  readonly toCompare: readonly string[]
}

export async function planDkim(context: PlanContext): Promise<DkimPlan> {
  const { facts, services, mailUse } = context
  const { dns, dkim } = facts
  // Below a domain that does not send, names may send nevertheless.
  const senders = services.senders.filter(({ setUpAt }) => mailUse.sends || setUpAt !== null)
  const isAsked = (sender: SenderInUse) => isLeftover(sender, context)
  const all = senders
    .filter((sender) => needsKey(sender, facts))
    .filter((sender) => !isAsked(sender))
  const active = all.filter(({ entry }) => !isLeaving(entry, context))
  // No record below a name whose servers don't answer would reach anyone.
  const isDead = isDelegationDead(dkim)
  const required = isDead ? [] : active.flatMap((signer) => requiredKeys(signer, context))
  const signing = new Set(all.flatMap(({ entry, setUpAt }) => (setUpAt === null ? [entry.id] : [])))
  const current = planCurrentKeys(context, signing, required)
  const unregistered = await findUnregistered(dns, dkim)
  // The first of two services that need the same selector gets it.
  const owners = required.map(({ owner }) => owner)
  const granted = required.filter(({ owner }, index) => owners.indexOf(owner) === index)
  const freed = new Set(
    current.flatMap(({ action, isLater, name }) => (action === 'delete' && !isLater ? name : [])),
  )
  const answered = await Promise.all(
    granted.map((key) => planRequiredKey(dns, key, dkim, { freed, unregistered })),
  )
  const grantedNames = new Set(answered.flatMap((plan) => plan.records.map(({ name }) => name)))
  const conflicts = required
    .filter((key) => !granted.includes(key) || !grantedNames.has(key.owner))
    .filter(({ owner, service }) => !isKeyOf(owner, service, context))
  // A service does not sign with a set of records that lacks one.
  const planned = answered.filter(
    ({ key }) => key.isAlreadySigning || !conflicts.some((each) => isOfSameStream(each, key)),
  )
  const bounces = await Promise.all(
    active.map((signer) => planReturnPath(signer, context, planned)),
  )
  const records = [
    ...current,
    ...(mailUse.sends ? keepRevokedWildcard(dkim) : []),
    ...keepSpareAliases(dkim, signing, required),
    ...unregistered.filter(({ name }) => !grantedNames.has(name)).map(deleteAlias),
    ...planned.flatMap((plan) => plan.records),
    ...bounces.flat(),
    ...(mailUse.sends ? removeUnusedKeys(context) : []),
  ]
  const generic = mailUse.sends && !isDead ? planGenericKey(context, records) : []
  const waiting = planned.filter(({ isWaiting }) => isWaiting).map(({ key }) => key)
  const isComplete = (each: RequiredKey) =>
    !planned.some(({ key, isWaiting }) => isOfSameStream(each, key) && !isWaiting)
  return {
    records: [...records, ...generic],
    toTurnOn: waiting
      .filter((key, index) => waiting.findIndex((each) => isOfSameStream(each, key)) === index)
      .filter(isComplete)
      .map((key) => ({
        service: key.service,
        setUpAt: key.setUpAt,
        onlyIf: key.onlyIf,
        toCompare: waiting
          .filter((each) => isOfSameStream(each, key) && hasPlaceholder(each.value))
          .map(({ owner }) => owner),
      })),
    toConfirm: senders.filter(isAsked),
    keySteps: await planKeySteps(context, signing),
    selectorConflicts: conflicts.map(({ service, owner }) => ({
      service: service.name,
      name: owner,
    })),
    proxied: planned.flatMap(({ key, isProxied }) => (isProxied ? [key.owner] : [])),
  }
}

function isOfSameStream(one: RequiredKey, other: RequiredKey): boolean {
  return one.service === other.service && one.setUpAt === other.setUpAt
}

/** Whether the service signs, as far as is known, and has no key below the domain yet. */
function needsKey(sender: SenderInUse, facts: DomainFacts): boolean {
  const { entry, setUpAt } = sender
  const isSigned = setUpAt !== null && findSignsBelow(sender, facts) === 'yes'
  return entry.setup.dkim !== null && canSend(entry) && !isSigned
}

/** The published keys, without those of services that the owner no longer uses. */
function planCurrentKeys(
  context: PlanContext,
  signing: ReadonlySet<string>,
  required: readonly RequiredKey[],
): PlannedRecord[] {
  const { facts, services, mailUse, usableSpf } = context
  const keys = singleRecordKeys(facts.dkim.keys)
  if (!mailUse.sends) return keys.map(planNonSendingKey)
  const { ownerOf } = services
  const recognized = new Set([
    ...services.mailboxProviders.map(({ entry }) => entry.id),
    ...(usableSpf?.composed.remainingSenders ?? []).map(({ id }) => id),
  ])
  const common = {
    facts: facts.dkim,
    signing,
    senders: services.senders.map(({ entry }) => entry),
    recognized,
    ownerOf,
    hasServer: hasOwnServer(context),
  }
  const current: PlannedRecord[] = []
  for (const key of keys.filter((each) => !isUnused(ownerOf(each), context))) {
    // Two records at one selector are none (RFC 6376 §3.6.2.2).
    const names = [...required.map(({ owner }) => owner), ...current.map(({ name }) => name)]
    const owner = ownerOf(key)
    if (owner && isLeaving(owner, context)) {
      current.push(keepUntilMoved(key, owner))
      continue
    }
    const planned = planCurrentKey(key, { ...common, reserved: new Set(names) })
    current.push(...planned.map((record) => onlyIfUsed(record, services.senders)))
  }
  return current
}

/** Even a weak key is not worth a step for mail that is about to leave. */
function keepUntilMoved(
  { name, cnames: [target], record }: DkimKey,
  { id, name: provider }: Pick<MailService, 'id' | 'name'>,
): PlannedRecord {
  return {
    ...createPlannedRecord('dkim', name, target ?? record),
    type: target === undefined ? 'TXT' : 'CNAME',
    action: 'keep',
    service: id,
    why: [say('dkim.still-receives', { name: provider })],
  }
}

function onlyIfUsed(record: PlannedRecord, senders: readonly SenderInUse[]): PlannedRecord {
  const sender = senders.find(
    ({ entry, setUpAt }) => entry.id === record.service && setUpAt === null,
  )
  const conditions = sender && record.action !== 'keep' ? ifStillUsed(sender) : []
  if (conditions.length === 0) return record
  const others = typeof record.onlyIf === 'object' ? (record.onlyIf ?? []) : []
  return { ...record, onlyIf: [...others, ...conditions] }
}

function isUnused(owner: Pick<MailService, 'id'> | null, { answers }: PlanContext): boolean {
  return owner !== null && answers.unused.includes(owner.id)
}

/** Some forwarders also let people send as the domain. */
function canSend({ id, kind }: MailService): boolean {
  return kind !== 'forwarder' || findProviderById(id)?.sending?.can === true
}

/** Whether the key at the name belongs to the service itself. */
function isKeyOf(name: string, { id }: MailService, { facts, services }: PlanContext): boolean {
  return facts.dkim.keys.some((key) => key.name === name && services.ownerOf(key)?.id === id)
}

/**
 * What may be a leftover is asked about instead of set up: the mailboxes of another provider than
 * that of the MX records, a token, or an old CNAME.
 */
function isLeftover(
  { entry, inUse, evidence }: SenderInUse,
  { facts, services }: PlanContext,
): boolean {
  if (inUse !== 'unsure') return false
  const isIncluded = /^[+?~-]?(?:include:|redirect=)/i.test(evidence)
  const hasLiveKey = facts.dkim.keys.some(
    (key) => key.valid && services.ownerOf(key)?.id === entry.id,
  )
  return isMailboxHost(entry) || (!hasLiveKey && !isIncluded)
}

/** RFC 4592 §2.2.1: a wildcard does not apply to names that have a record of their own. */
function keepRevokedWildcard({ domain, wildcardKeys }: DkimFacts): PlannedRecord[] {
  return wildcardKeys
    .filter(({ revoked, txtRecordCount }) => revoked && txtRecordCount === 1)
    .map(({ record }) => ({
      ...createPlannedRecord('dkim', `*._domainkey.${domain}`, record),
      action: 'keep',
      why: [say('dkim.wildcard-revokes', {})],
    }))
}

/** CNAMEs that a service needs for its next key rotation. */
function keepSpareAliases(
  dkim: DkimFacts,
  signing: ReadonlySet<string>,
  required: readonly RequiredKey[],
): PlannedRecord[] {
  return dkim.danglingCnames
    .filter(({ name }) => !required.some(({ owner }) => owner === name))
    .filter(({ provider }) => provider !== null && signing.has(provider.id))
    .map(({ name, cnames: [target = ''], provider }) => ({
      ...createPlannedRecord('dkim', name, target),
      type: 'CNAME',
      action: 'keep',
      service: provider?.id ?? null,
      why: [say('dkim.spare', { name: provider?.name ?? null })],
    }))
}

/** The keys of services that the owner no longer uses. */
function removeUnusedKeys(context: PlanContext): PlannedRecord[] {
  const { dkim } = context.facts
  const { ownerOf } = context.services
  const keys = [
    ...singleRecordKeys(dkim.keys).map((key) => ({ ...key, owner: ownerOf(key) })),
    ...dkim.danglingCnames.map((alias) => ({ ...alias, owner: alias.provider, record: '' })),
  ]
  return keys
    .filter(({ owner }) => isUnused(owner, context))
    .map(({ name, cnames: [target], record, owner }) => ({
      ...createPlannedRecord('dkim', name, target ?? record),
      type: target === undefined ? 'TXT' : 'CNAME',
      action: 'delete',
      service: owner?.id ?? null,
      why: [say('dkim.no-longer-used', { name: owner?.name ?? null })],
      onlyIf: [sayIf(owner?.id ?? null, 'when.not-sent-for-a-week', { name: owner?.name ?? null })],
      isLater: true,
    }))
}
