/** A good key for everybody who signs, and nothing for a key that is good. */

import type { Dns, DnsAnswer } from '@mailgrade/doh/dns'
import { findServiceByDkimTarget } from '../../catalog/mail-services.js'
import type { DkimRecordTemplate } from '../../catalog/service-setup.js'
import { type DnsUnavailable, dnsUnavailable } from '../../checks/check-result.js'
import type { DkimFacts, DkimKey } from '../../checks/dkim/dkim-facts.js'
import { MAX_DOMAIN_LENGTH } from '../../names/name-limits.js'
import type { DomainFacts } from './discover-domain.js'
import {
  NEW_KEY_TEMPLATE,
  OWN_SERVER_INSTRUCTIONS,
  planCurrentKey,
  planNonSendingKey,
  singleRecordKeys,
} from './plan-current-key.js'
import {
  createPlannedRecord,
  fillTemplate,
  findPlaceholders,
  type PlannedRecord,
} from './planned-record.js'
import {
  belongsToSigner,
  findSignerOfKey,
  findSigners,
  type MailboxProvidersInUse,
  type ServicesInUse,
  type Signer,
} from './services-in-use.js'

export interface DkimPlan {
  readonly kind: 'planned'
  readonly records: readonly PlannedRecord[]
  /** Records that have no place, because somebody else has the selector. */
  readonly selectorConflicts: readonly { readonly service: string; readonly name: string }[]
}

export async function planDkim(
  facts: DomainFacts,
  parties: ServicesInUse,
  sends: boolean,
): Promise<DkimPlan | DnsUnavailable> {
  const { dns, dkim } = facts
  const keys = singleRecordKeys(dkim.keys)
  if (!sends)
    return { kind: 'planned', records: keys.map(planNonSendingKey), selectorConflicts: [] }
  const signers = findSigners(parties)
  const standing = keys.map((key) => planCurrentKey(key, dkim, signers))
  const wishes = signers.flatMap((signer) => wishesOf(signer, facts))
  // Of two services that want the same selector, the one that comes first gets it.
  const granted = wishes.filter((one, at) => wishes.findIndex(isAt(one.owner)) === at)
  const wanted: PlannedRecord[] = []
  for (const found of await Promise.all(granted.map((wish) => planRequiredKey(dns, wish, dkim)))) {
    if ('kind' in found) return found
    wanted.push(...found)
  }
  const records = [...standing, ...spares(dkim, signers, wishes), ...wanted]
  const isOwnDue = makesOwnKey(facts, parties.mailboxProviders, signers, records)
  const placed = new Set(wanted.map(({ name }) => name))
  return {
    kind: 'planned',
    records: isOwnDue ? [...records, ...ownKey(facts, signers)] : records,
    selectorConflicts: wishes
      .filter((wish) => !granted.includes(wish) || !placed.has(wish.owner))
      .map(({ signer, owner }) => ({ service: signer.name, name: owner })),
  }
}

/** Who has a provider makes no keys; a server of one's own signs with one that is no service's. */
function makesOwnKey(
  { mx, dkim }: DomainFacts,
  mailboxes: MailboxProvidersInUse,
  signers: readonly Signer[],
  records: readonly PlannedRecord[],
): boolean {
  if (mailboxes.length > 0 || dkim.wildcard) return false
  const isNothing = records.length === 0
  if (isNothing && dkim.domainKeyState === 'exists') return false
  const isOwn = (key: DkimKey) => key.provider === null && !findSignerOfKey(key, signers)
  const hasServer = mx.targets.some(({ kind }) => kind === 'host')
  return hasServer ? !dkim.keys.some(isOwn) : isNothing
}

/** All that a service needs, or what is missing beside a key that it has under one of these names. */
function wishesOf(signer: Signer, { domain, dkim }: DomainFacts): RequiredKey[] {
  const isAlreadySigning = dkim.keys.some((key) => belongsToSigner(key, signer))
  const all = signer.dkim.records.map((record) => {
    return { signer, record, owner: ownerOf(record, domain), isAlreadySigning }
  })
  if (!isAlreadySigning) return all
  const there = new Set([...dkim.keys, ...dkim.danglingCnames].map(({ name }) => name))
  const isPaired = all.some(({ owner, record }) => record.type === 'CNAME' && there.has(owner))
  return isPaired ? all.filter(({ owner }) => !there.has(owner) && !owner.includes('{')) : []
}

/** Aliases of a service that signs with another key today, and will with this one some day. */
function spares(dkim: DkimFacts, signers: readonly Signer[], wishes: readonly RequiredKey[]) {
  return dkim.danglingCnames
    .filter(({ name }) => !wishes.some(isAt(name)))
    .filter(({ provider }) => signers.some(({ id }) => id === provider?.id))
    .map(({ name, cnames: [target = ''], provider }): PlannedRecord => {
      const why = `There is no key behind it today; ${provider?.name} needs it when it changes keys.`
      return { ...createPlannedRecord('dkim', name, target), type: 'CNAME', action: 'keep', why }
    })
}

function ownerOf({ selector }: Pick<DkimRecordTemplate, 'selector'>, domain: string): string {
  return `${selector}._domainkey.${domain}`
}

function isAt(name: string): (wish: RequiredKey) => boolean {
  return ({ owner }) => owner === name
}

/** Selectors that anybody's check looks for. */
const OWN_SELECTORS = ['mail', 'dkim', 'default', 'smtp']

function ownKey({ domain, dkim }: DomainFacts, signers: readonly Signer[]): PlannedRecord[] {
  const taken = new Set([...dkim.keys, ...dkim.danglingCnames].map(({ name }) => name))
  const free = OWN_SELECTORS.filter((selector) => !taken.has(ownerOf({ selector }, domain))).find(
    (selector) => !signers.some(({ selectors }) => selectors.has(selector)),
  )
  if (free === undefined) return []
  const why =
    'No key of your own mail server was found. Without one, its mail fails DMARC when it is forwarded.'
  const before = `If your own server signs as ${domain} already (a DKIM-Signature header with d=${domain} names its selector in s=), leave this out.`
  const planned = createPlannedRecord('dkim', ownerOf({ selector: free }, domain), NEW_KEY_TEMPLATE)
  return [
    {
      ...planned,
      why,
      precondition: before,
      placeholders: findPlaceholders([NEW_KEY_TEMPLATE], OWN_SERVER_INSTRUCTIONS),
    },
  ]
}

export interface RequiredKey {
  readonly signer: Signer
  readonly record: DkimRecordTemplate
  /** The name at which the record is to stand. */
  readonly owner: string
  /** The service signs already, with another of its selectors. */
  readonly isAlreadySigning: boolean
}

/** None where somebody else has the name. */
export async function planRequiredKey(
  dns: Dns,
  wish: RequiredKey,
  facts: DkimFacts,
): Promise<PlannedRecord[] | DnsUnavailable> {
  const { record, owner } = wish
  const { name, dkim: setup } = wish.signer
  const value = fillTemplate(record.value, facts.domain)
  const placeholders = findPlaceholders([owner, value], setup.instructions)
  const there = await standingAt(dns, owner, facts)
  if (there?.kind === 'failed') return dnsUnavailable(owner, 'TXT', there)
  if (there?.kind === 'records') return []
  const alias = there?.cnames[0]
  // An alias that leads nowhere yet is right, as far as can be told: signing is not turned on.
  const isRight =
    placeholders.length > 0 ? isTheirs(alias, wish, facts) : alias === value.toLowerCase()
  if (alias !== undefined && record.type === 'CNAME' && isRight) {
    const why = `It leads to ${name}, but there is no key yet: signing is not turned on.`
    const kept = createPlannedRecord('dkim', owner, alias)
    return [{ ...kept, type: 'CNAME', action: 'keep', why, followUp: setup.instructions }]
  }
  const planned: PlannedRecord = {
    ...createPlannedRecord('dkim', owner, value),
    type: record.type,
    why: whyWanted(wish),
    placeholders,
    ...(!wish.isAlreadySigning && { precondition: unlessSigned(name, facts.domain) }),
    // Where there is nothing to copy, there is still signing to turn on.
    ...(placeholders.length === 0 && { followUp: setup.instructions }),
  }
  if (alias === undefined) return [planned]
  if (record.type === 'CNAME') return [{ ...planned, action: 'replace', replaces: [alias] }]
  const why = 'It leads nowhere, and beside a CNAME no key can stand (RFC 1034 §3.6.2).'
  const gone = createPlannedRecord('dkim', owner, alias)
  return [{ ...gone, type: 'CNAME', action: 'delete', why }, planned]
}

/** A name with the domain once more at its end is a slip that many panels invite. */
function isTheirs(
  alias: string | undefined,
  { signer }: RequiredKey,
  { domain }: DkimFacts,
): boolean {
  if (alias === undefined || alias.endsWith(`.${domain}`)) return false
  return (findServiceByDkimTarget(alias)?.id ?? signer.id) === signer.id
}

/** Null where there is nothing: what a wildcard answers goes when anything is published. */
async function standingAt(
  dns: Dns,
  owner: string,
  facts: DkimFacts,
): Promise<DnsAnswer<'TXT'> | null> {
  if (owner.includes('{') || owner.length > MAX_DOMAIN_LENGTH) return null
  const isTelling = [...facts.keys, ...facts.danglingCnames].some(({ name }) => name === owner)
  return facts.wildcard && !isTelling ? null : dns.query(owner, 'TXT')
}

function unlessSigned(name: string, domain: string): string {
  return `If mail through ${name} is signed as ${domain} already (a DKIM-Signature header with d=${domain} names another selector in s=), leave its records out.`
}

function whyWanted({ signer: { name, isGateway }, isAlreadySigning }: RequiredKey): string {
  if (isAlreadySigning)
    return `${name} changes from one of its selectors to another, and this one is missing.`
  const signs = isGateway ? `If your mail goes out through ${name}, it` : name
  return `${signs} signs with this key, and by it mail passes DMARC even when it is forwarded.`
}
