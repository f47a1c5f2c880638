/** A good key for everybody who signs, and nothing for a key that is good. */
import type { DkimRecordTemplate } from '../../../catalog/service-setup.js'
import type { DnsUnavailable } from '../../../checks/check-result.js'
import type { DkimFacts, DkimKey } from '../../../checks/dkim/dkim-facts.js'
import type { DomainFacts } from '../discover-domain.js'
import { findPlaceholders } from '../fill-template.js'
import { createPlannedRecord, type PlannedRecord } from '../planned-record.js'
import type { MailboxProvidersInUse, ServicesInUse } from '../services-in-use.js'
import { planCurrentKey, planNonSendingKey, singleRecordKeys } from './plan-current-key.js'
import { planRequiredKey, type RequiredKey } from './plan-required-key.js'
import {
  belongsToSigner,
  findSignerOfKey,
  findSigners,
  NEW_KEY_TEMPLATE,
  OWN_SERVER_INSTRUCTIONS,
  type Signer,
} from './signers.js'

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
