/** Plans the published DKIM keys: keeps or repairs them, or gives a weak one a successor. */
import {
  describeScreen,
  findServiceById,
  findServiceBySelector,
  hasKeyAt,
  isSelectorOfAnyone,
  isSelectorOfService,
  type MailService,
} from '../../../catalog/mail-services.js'
import { fillTemplate, hasPlaceholder } from '../../../catalog/record-template.js'
import type { DkimFacts, DkimKey } from '../../../checks/dkim/dkim-facts.js'
import {
  allowsOnlySha1,
  isAcceptable,
  isForEmail,
  isRsaShorterThan,
  MIN_RSA_BITS,
  RECOMMENDED_RSA_BITS,
} from '../../../checks/dkim/key-record.js'
import { OWN_SERVER } from '../../../streams/stream.js'
import { createPlannedRecord, findPlaceholders, type PlannedRecord } from '../planned-record.js'
import { type Condition, type Said, type Sayable, say, sayIf } from '../say.js'
import type { ServicesInUse } from '../services-in-use.js'
import { readMiswritten, repairKeyRecord } from './repair-key.js'

/** Selectors with several records are left to their owner. */
export function singleRecordKeys(keys: readonly DkimKey[]): DkimKey[] {
  return keys.filter(({ txtRecordCount }) => txtRecordCount === 1)
}

interface KeyContext extends Pick<ServicesInUse, 'ownerOf'> {
  readonly facts: DkimFacts
  /** The services that sign, or are to sign, for the domain. */
  readonly signing: ReadonlySet<string>
  /** The services that send, or may be leftovers. */
  readonly senders: readonly MailService[]
  /** Names that the plan uses for other keys. */
  readonly reserved: ReadonlySet<string>
  /** Services that MX or SPF show with the plan, so that checks try their selectors. */
  readonly recognized: ReadonlySet<string>
  /** A server of the owner’s may sign. */
  readonly hasServer: boolean
}

interface OwnedKey extends KeyContext {
  readonly key: DkimKey
  /** Null for a server of the owner's. */
  readonly owner: MailService | null
}

export function planCurrentKey(published: DkimKey, context: KeyContext): PlannedRecord[] {
  const owner = context.ownerOf(published)
  if (published.cnames.length > 0) return [{ ...keepAlias(published), service: owner?.id ?? null }]
  if (published.forwarder) {
    return [
      keepKey(published, say('dkim.of-forwarder', { name: published.provider?.name ?? null })),
    ]
  }
  if (isInTheWay(published, context)) return [removeRevoked(published, context)]
  return planTextKey(published, owner, context)
}

function planTextKey(
  published: DkimKey,
  owner: MailService | null,
  context: KeyContext,
): PlannedRecord[] {
  const kept = { service: owner?.id ?? null }
  if (!owner && !isOfOwnServer(published, context)) return [planUnexplainedKey(published, context)]
  if (owner && context.signing.has(owner.id) && isOutdated(published, owner)) {
    // The current records of the service are planned as its successor.
    const [current] = owner.setup.dkim?.records ?? []
    return current ? [removeLater({ ...context, key: published, owner }, current.selector)] : []
  }
  const key = readKey(published, owner)
  const owned = { ...context, key, owner }
  if (isToBeReplaced(owned)) return [planUnusableKey(owned)]
  // The repaired key works at once; a longer one is a matter of the next plan.
  const successors = key === published ? planSuccessor(owned) : []
  // The key stays as it is until it is deleted.
  if (successors.some(({ action }) => action === 'delete')) return successors
  const repaired = repairKeyRecord(key)
  const now =
    repaired === published.record
      ? keepKey(key, ...describeKept(key, owner))
      : replaceRecord(published, repaired, ...describeRepair(published))
  return [{ ...now, ...kept, ...switchHash(key) }, ...successors]
}

/** The key as it was meant, unless its service publishes a different one there. */
export function readKey(published: DkimKey, owner: MailService | null): DkimKey {
  const meant = owner && usesAlias(owner, published) ? null : readMiswritten(published)
  return meant ?? published
}

function describeRepair({ faults: [fault] }: DkimKey): readonly Sayable[] {
  return fault ? [say('dkim.miswritten', {}), fault.problem] : [say('dkim.repaired', {})]
}

/** RFC 8301 §3.1: receivers refuse what a key for SHA-1 alone was used for. */
function switchHash(key: DkimKey): Pick<PlannedRecord, 'signerStep'> {
  return allowsOnlySha1(key) ? { signerStep: say('dkim.sign-with-sha256', {}) } : {}
}

/** Where no service is known to sign with the key, and none is known for its selector. */
export function isOfOwnServer(
  { selector }: Pick<DkimKey, 'selector'>,
  { hasServer }: Pick<KeyContext, 'hasServer'>,
): boolean {
  return hasServer && !isSelectorOfService(selector)
}

/** Nothing signs with a revoked key, and a CNAME cannot be added beside it (RFC 1034 §3.6.2). */
function isInTheWay(key: DkimKey, { reserved, senders }: KeyContext): boolean {
  const claimant = findClaimant(key, senders)
  return key.revoked && reserved.has(key.name) && claimant !== undefined && usesAlias(claimant, key)
}

function removeRevoked(key: DkimKey, { senders }: KeyContext): PlannedRecord {
  const service = findClaimant(key, senders)?.id ?? null
  return { ...keepKey(key, say('dkim.revoked', {})), action: 'delete', service }
}

/** Nobody but its unknown signer can change or replace the key. */
function planUnexplainedKey(key: DkimKey, { senders, reserved }: KeyContext): PlannedRecord {
  const [fault] = key.faults
  const isWanting = !key.revoked && (isWeak(key) || repairKeyRecord(key) !== key.record)
  if (!fault && !isWanting) return keepKey(key, ...describeKept(key, null))
  const reason = fault ? [say('dkim.unusable', {}), fault.problem] : [describeDefect(key)]
  if (!fault || !reserved.has(key.name)) {
    return keepKey(key, ...reason, say('dkim.unexplained', {}))
  }
  const service = findClaimant(key, senders)?.id ?? null
  return { ...keepKey(key, ...reason), action: 'delete', service }
}

function describeDefect(key: DkimKey): Said {
  if (isWeak(key) || allowsOnlySha1(key)) return describeWeakness(key)
  return isForEmail(key) ? say('dkim.testing', {}) : say('dkim.not-for-email', {})
}

/** The service that needs the name of the key for one of its own. */
function findClaimant(
  { selector }: DkimKey,
  senders: readonly MailService[],
): MailService | undefined {
  return senders.find(({ setup }) =>
    setup.dkim?.records.some((record) => record.selector === selector),
  )
}

/** No receiver can use the key, and it is broken, too short for its service, or needed again. */
function isToBeReplaced(owned: OwnedKey): boolean {
  const { key, owner, reserved } = owned
  if (isWeak(key) && allowsOnlySha1(key))
    return !owner || owner.setup.dkim?.selectorIsChosen === true
  if (key.valid && key.keySize !== null) return false
  const isInTheWay = isWeak(key) && reserved.has(key.name)
  return key.faults.length > 0 || isInTheWay || isNeededAgain(owned)
}

function planUnusableKey({ key, owner, reserved }: OwnedKey): PlannedRecord {
  const service = owner?.id ?? null
  if (owner && usesAlias(owner, key)) {
    const kept = keepKey(key, say('dkim.behind-alias', { name: owner.name }))
    return { ...kept, service, action: reserved.has(key.name) ? 'delete' : 'keep' }
  }
  // No receiver can use what is there, so nothing that works today is lost.
  const [fault] = key.faults
  const value = newKeyValue(owner)
  return {
    ...replaceRecord(key, value, say('dkim.unusable', {}), fault?.problem ?? whyUnusable(key)),
    service,
    placeholders: findPlaceholders([value], newKeySource(owner)),
    ...switchHash(key),
  }
}

/** The service never shows the key itself, only the target of a CNAME at this selector. */
function usesAlias({ setup }: MailService, { selector }: DkimKey): boolean {
  return (
    setup.dkim?.records.some((each) => each.selector === selector && each.type === 'CNAME') ?? false
  )
}

function describeKept(key: DkimKey, owner: MailService | null): readonly Said[] {
  if (key.revoked) return [say('dkim.revoked', {})]
  if (!isWeak(key)) return [say('dkim.good', {})]
  const reason = owner?.setup.dkim?.hasOnlyShortKeys
    ? say('dkim.only-short-keys', { name: owner.name })
    : say('dkim.only-service-replaces', {})
  return [describeWeakness(key), reason]
}

/** A short or unreadable key as text, of a service whose current CNAMEs are known in full. */
export function isOutdated(key: DkimKey, owner: MailService): boolean {
  const { dkim } = owner.setup
  const isFormer = key.cnames.length === 0 && dkim?.formerTextSelectors?.includes(key.selector)
  const isKnown = dkim?.records.every(
    ({ selector, value }) => !hasPlaceholder(fillTemplate(`${selector} ${value}`, '', owner.id)),
  )
  const isWanting = isWeak(key) || readKey(key, owner).faults.length > 0
  return isWanting && isFormer === true && isKnown === true
}

/** For a non-sending domain: revokes a weak key (RFC 6376 §3.6.1) and keeps the others. */
export function planNonSendingKey(key: DkimKey): PlannedRecord {
  if (key.cnames.length > 0) return keepAlias(key)
  if (!isRsaShorterThan(MIN_RSA_BITS, key)) {
    return keepKey(key, say('dkim.not-sending', {}))
  }
  const why = say('dkim.crackable-not-sending', { bits: key.keySize })
  return replaceRecord(key, 'v=DKIM1; p=', why)
}

function keepAlias(key: DkimKey): PlannedRecord {
  const [target = ''] = key.cnames
  const why = [say('dkim.managed', { owner: [key.provider?.name ?? target] })]
  return createPlannedRecord('dkim', key.name, target, { type: 'CNAME', action: 'keep', why })
}

function keepKey(key: DkimKey, ...why: readonly Sayable[]): PlannedRecord {
  return createPlannedRecord('dkim', key.name, key.record, { action: 'keep', why })
}

function replaceRecord(key: DkimKey, value: string, ...why: readonly Sayable[]): PlannedRecord {
  const replaces = [key.record]
  return createPlannedRecord('dkim', key.name, value, { action: 'replace', replaces, why })
}

/** Rotation leaves revoked keys beside valid ones; the only key of the domain has to be replaced. */
function isNeededAgain({ key, owner, facts, signing, ownerOf }: OwnedKey): boolean {
  const { keys, wildcardKeys } = facts
  const isSigner = owner !== null && signing.has(owner.id)
  // A key of another service signs nothing for this one.
  const own = keys.filter((each) => !each.forwarder && (!isSigner || ownerOf(each) === owner))
  const hasOther = [...own, ...wildcardKeys].some(({ valid }) => valid)
  return key.revoked && !hasOther && (isSigner || signing.size === 0)
}

function whyUnusable(key: DkimKey): Said {
  if (key.revoked) return say('dkim.is-revoked', {})
  return allowsOnlySha1(key) ? say('dkim.only-sha1', {}) : say('dkim.not-for-email', {})
}

export function newKeyValue(owner: Pick<MailService, 'id'> | null): string {
  return `v=DKIM1; k=rsa; p={${owner?.id ?? 'mail-server'}-public-key}`
}

export function newKeySource(owner: MailService | null): Sayable {
  return owner ? describeScreen(owner) : say('dkim.own-server-where', {})
}

/**
 * A live key is never overwritten: mail in transit is checked against it, and the service signs with
 * it until someone switches. The successor gets another selector, and the old key goes a week later.
 */
function planSuccessor(owned: OwnedKey): PlannedRecord[] {
  const { key, owner, facts, signing, senders, ownerOf } = owned
  // A key whose owner is not known may be the successor that an earlier plan asked for.
  const isSuccessor = (each: DkimKey) =>
    each.valid && each.keyType === 'rsa' && (ownerOf(each) ?? owner)?.id === owner?.id
  const isOnlyEd25519 = key.keyType === 'ed25519' && !facts.keys.some(isSuccessor)
  const hasKey = key.keySize !== null && !key.revoked
  if (!hasKey || (!isWeak(key) && !isOnlyEd25519)) return []
  // A service may be a leftover and is asked about, or one needs the name of a key of others.
  const isLeftAlone = owner ? !signing.has(owner.id) : findClaimant(key, senders) !== undefined
  if (key.valid && isLeftAlone) return []
  // Where the service fixes the selector, only the service can change the key.
  if (owner && !owner.setup.dkim?.selectorIsChosen) return []
  const longer = owner && findLongerKey(owner, facts, ownerOf)
  if (longer) return [removeLater(owned, longer.selector)]
  const selector = chooseSelector(owned)
  const successor = createSuccessor(owned, selector)
  return isWeak(key) ? [successor, removeLater(owned, selector)] : [successor]
}

function createSuccessor({ key, owner, facts }: OwnedKey, selector: string): PlannedRecord {
  const value = newKeyValue(owner)
  const hasRsa = facts.keys.some((each) => isAcceptable(each) && each.keyType === 'rsa')
  return createPlannedRecord('dkim', `${selector}._domainkey.${facts.domain}`, value, {
    service: owner?.id ?? null,
    why: isWeak(key)
      ? [describeWeakness(key), say('dkim.takes-over', { selector: [key.selector] })]
      : [say('dkim.needs-rsa', {})],
    placeholders: findPlaceholders([value], newKeySource(owner)),
    successorOf: key.selector,
    ...(!hasRsa && { isFirstKey: true }),
  })
}

/** Selectors that checks query for every domain with a key. */
const COMMON_SUCCESSORS = ['dkim', 'dkim1', 'dkim2', 'key1', 'key2', 'mail', 'email']

/** `google2` after `google`, if checks try that; otherwise another free name that they try. */
function chooseSelector(owned: OwnedKey): string {
  const { key, owner, facts, signing, reserved, recognized } = owned
  const usual = owner && recognized.has(owner.id) ? owner.selectors : []
  const published = [...facts.keys, ...facts.danglingCnames].map(({ name }) => name)
  const taken = new Set([...published, ...reserved])
  const signers = [...signing].map(findServiceById)
  const isFree = (selector: string) =>
    !taken.has(`${selector}._domainkey.${facts.domain}`) &&
    ![findServiceBySelector(selector), ...signers].some(
      (user) => user?.selectors.includes(selector) && user.id !== owner?.id,
    )
  const [, stem = '', digits = ''] = /^(.*?)(\d{0,3})$/.exec(key.selector) ?? []
  const start = digits === '' ? 2 : Number(digits) + 1
  const numbered = [start, start + 1].map((number) => `${stem}${number}`)
  const free = [...numbered, ...usual, ...COMMON_SUCCESSORS].filter(isFree)
  const tried = new Set([...facts.selectorsTried, ...usual])
  return free.find((selector) => tried.has(selector)) ?? free[0] ?? `${stem}${start + 2}`
}

/** A key that the service has already and can sign with instead of a short one. */
export function findLongerKey(
  { id, setup }: MailService,
  { keys }: DkimFacts,
  ownerOf: ServicesInUse['ownerOf'],
): DkimKey | undefined {
  return keys.find(
    (key) =>
      setup.dkim?.selectorIsChosen &&
      isAcceptable(key) &&
      key.keyType === 'rsa' &&
      !isWeak(key) &&
      ownerOf(key)?.id === id,
  )
}

function removeLater(owned: OwnedKey, successor: string): PlannedRecord {
  const { key, owner } = owned
  const [fault] = key.faults
  return {
    ...createPlannedRecord('dkim', key.name, key.record),
    service: owner?.id ?? null,
    action: 'delete',
    why: fault ? [say('dkim.unusable', {}), fault.problem] : [say('dkim.in-transit', {})],
    onlyIf: [unlessSignedWith(owned, successor)],
    isLater: true,
  }
}

/** At a selector that several signers use, the key may be that of each of them. */
function unlessSignedWith(owned: OwnedKey, successor: string): Condition {
  const { key, owner, senders, hasServer } = owned
  const stream = owner?.id ?? OWN_SERVER
  const others = senders.filter((each) => each !== owner && maySignWith(each, owned))
  const services = [...new Set([...(owner ? [owner] : []), ...others])].map(({ name }) => name)
  const isServers = owner === null || isOfOwnServer(key, { hasServer })
  if (services.length + (isServers ? 1 : 0) < 2) {
    return sayIf(stream, 'when.switched', { signer: owner?.name ?? null, selector: [successor] })
  }
  const values = { services, selector: [key.selector] }
  return sayIf(stream, isServers ? 'when.none-sign.server' : 'when.none-sign', values)
}

/** Where customers choose the selector, a service without a visible key may use any. */
function maySignWith(service: MailService, { key, facts, ownerOf }: OwnedKey): boolean {
  const isChosen = service.setup.dkim?.selectorIsChosen && isSelectorOfAnyone(key.selector)
  const hasKey = facts.keys.some((each) => each.valid && ownerOf(each) === service)
  return hasKeyAt(service, key.selector) || (isChosen === true && !hasKey)
}

function describeWeakness(key: DkimKey): Said {
  const { keySize: bits } = key
  if (allowsOnlySha1(key)) return say('dkim.only-sha1', {})
  return (bits ?? 0) < MIN_RSA_BITS ? say('dkim.crackable', { bits }) : say('dkim.short', { bits })
}

export function isWeak(key: DkimKey): boolean {
  return isRsaShorterThan(RECOMMENDED_RSA_BITS, key)
}
