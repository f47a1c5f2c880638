/** Plans the published DKIM keys: keeps or repairs them, or gives a weak one a successor. */
import {
  describeScreen,
  findServiceById,
  findServiceBySelector,
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
import { type Said, type Sayable, say, sayIf } from '../say.js'
import type { ServicesInUse } from '../services-in-use.js'
import { readMiswritten, repairKeyRecord } from './repair-key.js'

/** Selectors with several records are left to their owner. */
export function singleRecordKeys(keys: readonly DkimKey[]): DkimKey[] {
  return keys.filter(({ txtRecordCount }) => txtRecordCount === 1)
}

interface KeyContext extends Pick<ServicesInUse, 'ownerOf'> {
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

export function planCurrentKey(
  published: DkimKey,
  facts: DkimFacts,
  context: KeyContext,
): PlannedRecord[] {
  const owner = context.ownerOf(published)
  const kept = { service: owner?.id ?? null }
  if (published.cnames.length > 0) return [{ ...keepAlias(published), ...kept }]
  if (published.forwarder) {
    return [
      keepKey(published, say('dkim.of-forwarder', { name: published.provider?.name ?? null })),
    ]
  }
  if (!owner && !isOfOwnServer(published, context)) return [planUnexplainedKey(published, context)]
  if (owner && context.signing.has(owner.id) && isOutdated(published, owner)) {
    return removeOutdated(published, owner)
  }
  const key = readKey(published, owner)
  if (isToBeReplaced(key, facts, owner, context)) {
    return [planUnusableKey(key, owner, context.reserved)]
  }
  // The repaired key works at once; a longer one is a matter of the next plan.
  const successors = key === published ? planSuccessor(key, facts, owner, context) : []
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
function isToBeReplaced(
  key: DkimKey,
  facts: DkimFacts,
  owner: MailService | null,
  context: KeyContext,
): boolean {
  if (isWeak(key) && allowsOnlySha1(key))
    return !owner || owner.setup.dkim?.selectorIsChosen === true
  if (key.valid && key.keySize !== null) return false
  const isInTheWay = isWeak(key) && context.reserved.has(key.name)
  return key.faults.length > 0 || isInTheWay || isNeededAgain(key, facts, owner, context)
}

function planUnusableKey(
  key: DkimKey,
  owner: MailService | null,
  reserved: ReadonlySet<string>,
): PlannedRecord {
  if (!owner || !usesAlias(owner, key)) return replaceUnusableKey(key, owner)
  const why = say('dkim.behind-alias', { name: owner.name })
  const kept = { ...keepKey(key, why), service: owner.id }
  return reserved.has(key.name) ? { ...kept, action: 'delete' } : kept
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
  return { ...createPlannedRecord('dkim', key.name, target), type: 'CNAME', action: 'keep', why }
}

function keepKey(key: DkimKey, ...why: readonly Sayable[]): PlannedRecord {
  return { ...createPlannedRecord('dkim', key.name, key.record), action: 'keep', why }
}

function replaceRecord(key: DkimKey, value: string, ...why: readonly Sayable[]): PlannedRecord {
  const planned = createPlannedRecord('dkim', key.name, value)
  return { ...planned, action: 'replace', replaces: [key.record], why }
}

/** Rotation leaves revoked keys beside valid ones; the only key of the domain has to be replaced. */
function isNeededAgain(
  key: DkimKey,
  { keys, wildcardKeys }: DkimFacts,
  owner: MailService | null,
  { signing, ownerOf }: Pick<KeyContext, 'signing' | 'ownerOf'>,
): boolean {
  const isSigner = owner !== null && signing.has(owner.id)
  // A key of another service signs nothing for this one.
  const own = keys.filter((each) => !each.forwarder && (!isSigner || ownerOf(each) === owner))
  const hasOther = [...own, ...wildcardKeys].some(({ valid }) => valid)
  return key.revoked && !hasOther && (isSigner || signing.size === 0)
}

/** No receiver can use what is there, so nothing that works today is lost. */
function replaceUnusableKey(key: DkimKey, owner: MailService | null): PlannedRecord {
  const [fault] = key.faults
  const value = newKeyValue(owner)
  return {
    ...replaceRecord(key, value, say('dkim.unusable', {}), fault?.problem ?? whyUnusable(key)),
    service: owner?.id ?? null,
    placeholders: findPlaceholders([value], newKeySource(owner)),
    ...switchHash(key),
  }
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
function planSuccessor(
  key: DkimKey,
  facts: DkimFacts,
  owner: MailService | null,
  context: KeyContext,
): PlannedRecord[] {
  const { ownerOf } = context
  const isOnlyEd25519 =
    key.keyType === 'ed25519' && !facts.keys.some((each) => isRsaOf(each, owner, ownerOf))
  const hasKey = key.keySize !== null && !key.revoked
  if (!hasKey || (!isWeak(key) && !isOnlyEd25519)) return []
  if (key.valid && isLeftAlone(key, owner, context)) return []
  // Where the service fixes the selector, only the service can change the key.
  if (owner && !owner.setup.dkim?.selectorIsChosen) return []
  const longer = owner && findLongerKey(owner, facts, ownerOf)
  if (longer) return [removeLater(key, owner, longer.selector)]
  const selector = chooseSelector(key, facts, owner, context)
  const successor = createSuccessor(key, selector, facts, owner)
  return isWeak(key) ? [successor, removeLater(key, owner, selector)] : [successor]
}

function chooseSelector(
  key: DkimKey,
  facts: DkimFacts,
  owner: MailService | null,
  { signing, reserved, recognized }: KeyContext,
): string {
  const usual = owner && recognized.has(owner.id) ? owner.selectors : []
  return nextSelector(key.selector, facts, usual, (name) => {
    const isReserved = reserved.has(`${name}._domainkey.${facts.domain}`)
    return isReserved || isUsedByOther(name, owner, signing)
  })
}

function createSuccessor(
  key: DkimKey,
  selector: string,
  facts: DkimFacts,
  owner: MailService | null,
): PlannedRecord {
  const name = `${selector}._domainkey.${facts.domain}`
  const value = newKeyValue(owner)
  const hasRsa = facts.keys.some((each) => isAcceptable(each) && each.keyType === 'rsa')
  return {
    ...createPlannedRecord('dkim', name, value),
    service: owner?.id ?? null,
    why: isWeak(key)
      ? [describeWeakness(key), say('dkim.takes-over', { selector: [key.selector] })]
      : [say('dkim.needs-rsa', {})],
    placeholders: findPlaceholders([value], newKeySource(owner)),
    successorOf: key.selector,
    ...(!hasRsa && { isFirstKey: true as const }),
  }
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

/** A service may be a leftover and is asked about, or one needs the name of a key of others. */
function isLeftAlone(
  key: DkimKey,
  owner: MailService | null,
  { signing, senders }: KeyContext,
): boolean {
  return owner ? !signing.has(owner.id) : findClaimant(key, senders) !== undefined
}

/** The current records of the service are planned as its successor. */
function removeOutdated(key: DkimKey, owner: MailService): PlannedRecord[] {
  const [current] = owner.setup.dkim?.records ?? []
  return current ? [removeLater(key, owner, current.selector)] : []
}

function removeLater(key: DkimKey, owner: MailService | null, successor: string): PlannedRecord {
  const signer = owner?.name ?? null
  const [fault] = key.faults
  return {
    ...createPlannedRecord('dkim', key.name, key.record),
    service: owner?.id ?? null,
    action: 'delete',
    why: fault ? [say('dkim.unusable', {}), fault.problem] : [say('dkim.in-transit', {})],
    onlyIf: [sayIf(owner?.id ?? OWN_SERVER, 'when.switched', { signer, selector: [successor] })],
    isLater: true,
  }
}

function isUsedByOther(
  selector: string,
  owner: MailService | null,
  signing: ReadonlySet<string>,
): boolean {
  const users = [findServiceBySelector(selector), ...[...signing].map(findServiceById)]
  return users.some((user) => user?.selectors.includes(selector) && user.id !== owner?.id)
}

function describeWeakness(key: DkimKey): Said {
  const { keySize: bits } = key
  if (allowsOnlySha1(key)) return say('dkim.only-sha1', {})
  return (bits ?? 0) < MIN_RSA_BITS ? say('dkim.crackable', { bits }) : say('dkim.short', { bits })
}

/** A key whose owner is not known may be the successor that an earlier plan asked for. */
function isRsaOf(
  key: DkimKey,
  owner: MailService | null,
  ownerOf: ServicesInUse['ownerOf'],
): boolean {
  const other = ownerOf(key)
  return key.valid && key.keyType === 'rsa' && (other === null || other.id === owner?.id)
}

/** Selectors that checks query for every domain with a key. */
const COMMON_SUCCESSORS = ['dkim', 'dkim1', 'dkim2', 'key1', 'key2', 'mail', 'email']

/** `google2` after `google`, if checks try that; otherwise another free name that they try. */
function nextSelector(
  selector: string,
  facts: DkimFacts,
  usual: readonly string[],
  isTaken: (selector: string) => boolean,
): string {
  const { keys, danglingCnames, domain, selectorsTried } = facts
  const taken = new Set([...keys, ...danglingCnames].map(({ name }) => name))
  const [, stem = '', digits = ''] = /^(.*?)(\d{0,3})$/.exec(selector) ?? []
  const start = digits === '' ? 2 : Number(digits) + 1
  const numbered = [start, start + 1].map((number) => `${stem}${number}`)
  const isFree = (name: string) => !taken.has(`${name}._domainkey.${domain}`) && !isTaken(name)
  const free = [...numbered, ...usual, ...COMMON_SUCCESSORS].filter(isFree)
  const tried = new Set([...selectorsTried, ...usual])
  const found = free.find((name) => tried.has(name)) ?? free[0]
  return found ?? `${stem}${start + 2}`
}

function isWeak(key: DkimKey): boolean {
  return isRsaShorterThan(RECOMMENDED_RSA_BITS, key)
}
