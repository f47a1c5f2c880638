/** The DKIM records that a service requires, and what to do at their names. */
import type { Dns, DnsAnswer } from '@mailgrade/doh/dns'
import {
  describeScreen,
  findServiceByDkimTarget,
  findSigningLabel,
  type MailService,
  readIncludedToken,
} from '../../../catalog/mail-services.js'
import { hasPlaceholder } from '../../../catalog/record-template.js'
import type { DkimRecordTemplate } from '../../../catalog/service-schema.js'
import {
  type DanglingCname,
  type DkimFacts,
  type DkimKey,
  determinePresence,
} from '../../../checks/dkim/dkim-facts.js'
import { MAX_DOMAIN_LENGTH } from '../../../names/host-problem.js'
import type { SenderInUse } from '../../../streams/find-senders.js'
import { findPossibleKeys, findSignsBelow, hasPossibleKey } from '../../../streams/key-owners.js'
import { hasOwnMailServers } from '../../../streams/own-servers.js'
import { streamIdOf } from '../../../streams/stream.js'
import type { DomainFacts } from '../discover-domain.js'
import { isStrict, type PlanContext } from '../plan-context.js'
import {
  createPlannedRecord,
  findPlaceholders,
  idsOf,
  type PlannedRecord,
} from '../planned-record.js'
import { type Condition, type Said, say, sayIf } from '../say.js'
import { moveDoubledKey } from './doubled-name.js'
import { isOutdated, isWeak, readKey } from './plan-current-key.js'
import { chooseLabel, createFill, readReturnPathTokens } from './return-path.js'

/** A DKIM record that a service requires. */
export interface RequiredKey {
  readonly service: MailService
  readonly template: DkimRecordTemplate
  /** The name below the domain that it signs for; null for the domain itself. */
  readonly setUpAt: string | null
  /** The name to publish the record at. */
  readonly owner: string
  readonly value: string
  readonly onlyIf: readonly Condition[] | null
  /** The service already signs with another of its selectors. */
  readonly isAlreadySigning: boolean
}

/** All keys of a service, or only those missing beside one that exists. */
export function requiredKeys(signer: SenderInUse, context: PlanContext): RequiredKey[] {
  const { facts, services } = context
  const { dkim } = facts
  const { entry: service, setUpAt } = signer
  const isAlreadySigning = dkim.keys.some(
    (key) =>
      setUpAt === null &&
      readKey(key, service).valid &&
      services.ownerOf(key)?.id === service.id &&
      !isOutdated(key, service),
  )
  // A web host signs before it relays.
  const isSignedBefore = hasPossibleKey(service, dkim, services.ownerOf) || hasOwnMailServers(facts)
  if (service.setup.dkim?.relaysSignatures && isSignedBefore) return []
  const known = { ...readReturnPathTokens(signer, facts), ...knownTokens(service, facts) }
  const fill = createFill(signer, facts, known)
  const all = (service.setup.dkim?.records ?? []).map((template): RequiredKey => {
    const below =
      template.below === undefined ? '' : `.${fill(chooseLabel(template.below, service, context))}`
    const owner = `${fill(template.selector)}._domainkey${below}.${setUpAt ?? facts.domain}`
    const value = fill(template.value)
    return { service, template, setUpAt, owner, value, onlyIf: null, isAlreadySigning }
  })
  const onlyIf = isAlreadySigning ? null : conditionFor(signer, all, context)
  const conditional = all.map((key) => ({ ...key, onlyIf }))
  if (!isAlreadySigning) return conditional
  // Behind a CNAME, the service revokes keys itself; a revoked key as text gives way to its CNAME.
  const published = dkim.keys.filter(({ revoked, cnames }) => !revoked || cnames.length > 0)
  const existing = new Set([...published, ...dkim.danglingCnames].map(({ name }) => name))
  const isPaired = all.some(
    ({ owner, template }) => template.type === 'CNAME' && existing.has(owner),
  )
  return isPaired
    ? conditional
        .filter(({ owner }) => !existing.has(owner) && !hasPlaceholder(owner))
        .map((key) => ({ ...key, onlyIf: ifShown(key) }))
    : []
}

/** A set-up of former times may have fewer records; only the service knows. */
function ifShown({ value, service: { id, name } }: RequiredKey): readonly Condition[] | null {
  return hasPlaceholder(value) ? [sayIf(id, 'when.record-shown', { name })] : null
}

/** Values that the SPF record shows, such as the account number of HubSpot. */
function knownTokens(service: MailService, { spf }: DomainFacts): Record<string, string> {
  for (const { domain } of spf.nodes) {
    const shown = readIncludedToken(service, domain)
    if (shown) return { [shown.token]: shown.value }
  }
  return {}
}

/** What may be left over of a service is changed only if the service is still used. */
export function ifStillUsed(sender: SenderInUse): Condition[] {
  const { name } = sender.entry
  return sender.inUse === 'unsure' ? [sayIf(streamIdOf(sender), 'when.still-used', { name })] : []
}

/** Null where DNS proves that the service does not sign yet and other records show that it sends. */
function conditionFor(
  sender: SenderInUse,
  required: readonly RequiredKey[],
  context: PlanContext,
): readonly Condition[] | null {
  const { entry, inUse, setUpAt } = sender
  const { facts, services } = context
  const { name, kind } = entry
  const stream = streamIdOf(sender)
  const used =
    inUse !== 'unsure' && (kind === 'gateway' || kind === 'forwarder')
      ? [sayIf(stream, 'when.outgoing-through', { name })]
      : ifStillUsed(sender)
  const possible = setUpAt === null ? findPossibleKeys(entry, facts.dkim, services.ownerOf) : []
  const isProven =
    setUpAt === null
      ? provesUnsigned(required, facts) && possible.length === 0
      : findSignsBelow(sender, facts) === 'no'
  const label = findSigningLabel(entry)
  const below = label === null ? null : `${chooseLabel(label, entry, context)}.${facts.domain}`
  const signer = setUpAt ?? below
  const values = { name, domain: signer ?? facts.domain }
  const exact = signer !== null || isStrict(facts, 'dkim') ? '.exact' : ''
  // Beside another condition, it says when to skip the step instead of a second statement.
  const unsigned = used.length > 0 ? 'service-signs' : 'service-unsigned'
  const conditions = isProven
    ? used
    : [
        ...used,
        sayIf(stream, `when.${unsigned}${exact}`, values),
        ...ifSignedAnew(stream, required, possible),
      ]
  return conditions.length > 0 ? conditions : null
}

/** A signature with a key that the plan deletes later is no reason to skip the step. */
function ifSignedAnew(
  stream: string,
  required: readonly RequiredKey[],
  possible: readonly DkimKey[],
): Condition[] {
  const selectors = required.map(({ template }) => template.selector)
  const former = possible.filter(isWeak).map(({ selector }) => selector)
  const isKnown = selectors.length > 0 && !selectors.some(hasPlaceholder)
  return isKnown && former.length > 0
    ? [sayIf(stream, 'when.signed-with', { selectors, former })]
    : []
}

/** All selectors of the service are fixed and have no record, or the domain has no key at all. */
function provesUnsigned(required: readonly RequiredKey[], { dkim }: DomainFacts): boolean {
  if (determinePresence(dkim) === 'absent') return true
  // A selector that the administrator chose cannot be guessed.
  if (required.some(({ service }) => service.setup.dkim?.selectorIsChosen)) return false
  const answered = new Set(
    dkim.selectorsTried.filter((selector) => !dkim.selectorsFailed.includes(selector)),
  )
  return required.every(
    ({ owner, template }) =>
      template.below === undefined && answered.has(owner.slice(0, owner.indexOf('._domainkey'))),
  )
}

export interface PlannedKey {
  readonly key: RequiredKey
  readonly records: readonly PlannedRecord[]
  /** The record is right, but signing is not turned on. */
  readonly isWaiting: boolean
  readonly isProxied: boolean
}

interface Overruled {
  /** Names whose records the plan deletes. */
  readonly freed: ReadonlySet<string>
  /** CNAMEs into domains that do not exist. */
  readonly unregistered: readonly DanglingCname[]
}

/** Plans no record if another service uses the name. */
export async function planRequiredKey(
  dns: Dns,
  key: RequiredKey,
  facts: DkimFacts,
  { freed, unregistered }: Overruled,
): Promise<PlannedKey> {
  const { template, owner, value, service } = key
  const placeholders = findPlaceholders([owner, value], describeScreen(service))
  const plan = (records: readonly PlannedRecord[], isWaiting = false, isProxied = false) =>
    ({ key, records, isWaiting, isProxied }) as const
  const current = freed.has(owner) ? null : await queryOwner(dns, owner, facts)
  const alias = current?.cnames[0]
  if (current?.kind === 'records') return plan(keepOwnKey(key, alias))
  // A dangling CNAME to the service counts as correct: signing may not be turned on yet.
  const isCorrect =
    placeholders.length > 0
      ? leadsToService(alias, key, facts) && !unregistered.some(({ name }) => name === owner)
      : alias === value.toLowerCase()
  if (alias !== undefined && template.type === 'CNAME' && isCorrect) {
    // Only the service knows whether the target is still that of the account.
    const why = [
      placeholders.length > 0
        ? say('dkim.waiting.account', { name: service.name })
        : say('dkim.waiting', { name: service.name }),
    ]
    return plan([aliasOf(key, alias, { action: 'keep', why, isWaiting: true })], true)
  }
  const planned = createPlannedRecord('dkim', owner, value, {
    type: template.type,
    ...idsOf(key),
    why: whyRequired(key),
    placeholders,
    onlyIf: current?.kind === 'failed' ? unlessPublished(key) : key.onlyIf,
    ...(key.isAlreadySigning && { isSpare: true }),
  })
  if (alias === undefined) {
    const moved = await moveDoubledKey(dns, key, facts.domain)
    if (moved.length > 0) return plan(moved)
    const isProxied = template.type === 'CNAME' && (await hasAddress(dns, owner))
    return plan([planned], false, isProxied)
  }
  if (template.type === 'CNAME') return plan([{ ...planned, action: 'replace', replaces: [alias] }])
  const why = [say('dkim.target-gone', {})]
  return plan([aliasOf(key, alias, { action: 'delete', why }), planned])
}

/** The CNAME that is published at its name. */
function aliasOf(key: RequiredKey, target: string, more: Partial<PlannedRecord>): PlannedRecord {
  return createPlannedRecord('dkim', key.owner, target, { type: 'CNAME', ...idsOf(key), ...more })
}

/** A name that is taken has the key of the service itself if its CNAME leads to the service. */
function keepOwnKey(key: RequiredKey, alias: string | undefined): PlannedRecord[] {
  const { service } = key
  const target = alias === undefined ? null : findServiceByDkimTarget(alias)
  if (alias === undefined || target?.id !== (service.setup.dkim?.keysOf ?? service.id)) return []
  const why = [say('dkim.managed', { owner: [service.name] })]
  return [aliasOf(key, alias, { action: 'keep', why })]
}

/** What is there could not be looked up. */
function unlessPublished({ service, owner, onlyIf }: RequiredKey): readonly Condition[] {
  return [...(onlyIf ?? []), sayIf(service.id, 'when.not-published', { name: [owner] })]
}

/** A DNS host that proxies a CNAME answers with its own addresses instead. */
async function hasAddress(dns: Dns, owner: string): Promise<boolean> {
  if (hasPlaceholder(owner)) return false
  const answer = await dns.query(owner, 'A')
  return answer.kind === 'records' && answer.cnames.length === 0
}

/** A target that ends in the domain itself is a common typo: many panels append the zone. */
function leadsToService(
  alias: string | undefined,
  { service }: RequiredKey,
  { domain }: DkimFacts,
): boolean {
  if (alias === undefined || alias.endsWith(`.${domain}`)) return false
  const owner = service.setup.dkim?.keysOf ?? service.id
  return (findServiceByDkimTarget(alias)?.id ?? owner) === owner
}

/** Null if nothing exists: a wildcard stops applying once a record is published. */
async function queryOwner(
  dns: Dns,
  owner: string,
  facts: DkimFacts,
): Promise<DnsAnswer<'TXT'> | null> {
  if (hasPlaceholder(owner) || owner.length > MAX_DOMAIN_LENGTH) return null
  const exists = [...facts.keys, ...facts.danglingCnames].some(({ name }) => name === owner)
  const isBelowWildcard = facts.wildcard && owner.endsWith(`._domainkey.${facts.domain}`)
  return isBelowWildcard && !exists ? null : dns.query(owner, 'TXT')
}

function whyRequired({ service: { name }, isAlreadySigning }: RequiredKey): readonly Said[] {
  return [isAlreadySigning ? say('dkim.rotates', { name }) : say('dkim.signs', { name })]
}
