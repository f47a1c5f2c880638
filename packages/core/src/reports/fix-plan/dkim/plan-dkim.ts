/** A good key for everybody who signs, and nothing for a key that is good. */
import type { DkimRecord } from '../../../catalog/setup.js'
import type { Unavailable } from '../../../checks/checked.js'
import type { DkimFacts, FoundKey } from '../../../checks/dkim/dkim-facts.js'
import type { DomainFacts } from '../domain-facts.js'
import { placeholdersIn } from '../fill-template.js'
import type { Mailboxes, Parties } from '../parties.js'
import { type PlannedRecord, plannedRecord } from '../planned-record.js'
import { isOf, NEW_KEY, OWN_SERVER, type Signer, signerOf, signersOf } from './signers.js'
import { oneByName, silentKey, standingKey } from './standing-key.js'
import { type Wish, wantedRecords } from './wanted-keys.js'

export interface DkimPlan {
  readonly kind: 'planned'
  readonly records: readonly PlannedRecord[]
  /** Records that have no place, because somebody else has the selector. */
  readonly crowdedOut: readonly { readonly service: string; readonly name: string }[]
}

export async function planDkim(
  facts: DomainFacts,
  parties: Parties,
  sends: boolean,
): Promise<DkimPlan | Unavailable> {
  const { dns, dkim } = facts
  const keys = oneByName(dkim.keys)
  if (!sends) return { kind: 'planned', records: keys.map(silentKey), crowdedOut: [] }
  const signers = signersOf(parties)
  const standing = keys.map((key) => standingKey(key, dkim, signers))
  const wishes = signers.flatMap((signer) => wishesOf(signer, facts))
  // Of two services that want the same selector, the one that comes first gets it.
  const granted = wishes.filter((one, at) => wishes.findIndex(isAt(one.owner)) === at)
  const wanted: PlannedRecord[] = []
  for (const found of await Promise.all(granted.map((wish) => wantedRecords(dns, wish, dkim)))) {
    if ('kind' in found) return found
    wanted.push(...found)
  }
  const records = [...standing, ...spares(dkim, signers, wishes), ...wanted]
  const isOwnDue = makesOwnKey(facts, parties.mailboxes, signers, records)
  const placed = new Set(wanted.map(({ name }) => name))
  return {
    kind: 'planned',
    records: isOwnDue ? [...records, ...ownKey(facts, signers)] : records,
    crowdedOut: wishes
      .filter((wish) => !granted.includes(wish) || !placed.has(wish.owner))
      .map(({ signer, owner }) => ({ service: signer.name, name: owner })),
  }
}

/** Who has a provider makes no keys; a server of one's own signs with one that is no service's. */
function makesOwnKey(
  { mx, dkim }: DomainFacts,
  mailboxes: Mailboxes,
  signers: readonly Signer[],
  records: readonly PlannedRecord[],
): boolean {
  if (mailboxes.length > 0 || dkim.wildcard) return false
  const isNothing = records.length === 0
  if (isNothing && dkim.domainKey === 'exists') return false
  const isOwn = (key: FoundKey) => key.provider === null && !signerOf(key, signers)
  const hasServer = mx.targets.some(({ kind }) => kind === 'host')
  return hasServer ? !dkim.keys.some(isOwn) : isNothing
}

/** All that a service needs, or what is missing beside a key that it has under one of these names. */
function wishesOf(signer: Signer, { domain, dkim }: DomainFacts): Wish[] {
  const isSpare = dkim.keys.some((key) => isOf(key, signer))
  const all = signer.dkim.records.map((record) => {
    return { signer, record, owner: ownerOf(record, domain), isSpare }
  })
  if (!isSpare) return all
  const there = new Set([...dkim.keys, ...dkim.dangling].map(({ name }) => name))
  const isPaired = all.some(({ owner, record }) => record.type === 'CNAME' && there.has(owner))
  return isPaired ? all.filter(({ owner }) => !there.has(owner) && !owner.includes('{')) : []
}

/** Aliases of a service that signs with another key today, and will with this one some day. */
function spares(dkim: DkimFacts, signers: readonly Signer[], wishes: readonly Wish[]) {
  return dkim.dangling
    .filter(({ name }) => !wishes.some(isAt(name)))
    .filter(({ provider }) => signers.some(({ id }) => id === provider?.id))
    .map(({ name, cname: [target = ''], provider }): PlannedRecord => {
      const why = `There is no key behind it today; ${provider?.name} needs it when it changes keys.`
      return { ...plannedRecord('dkim', name, target), type: 'CNAME', action: 'keep', why }
    })
}

function ownerOf({ selector }: Pick<DkimRecord, 'selector'>, domain: string): string {
  return `${selector}._domainkey.${domain}`
}

function isAt(name: string): (wish: Wish) => boolean {
  return ({ owner }) => owner === name
}

/** Selectors that anybody's check looks for. */
const OWN_SELECTORS = ['mail', 'dkim', 'default', 'smtp']

function ownKey({ domain, dkim }: DomainFacts, signers: readonly Signer[]): PlannedRecord[] {
  const taken = new Set([...dkim.keys, ...dkim.dangling].map(({ name }) => name))
  const free = OWN_SELECTORS.filter((selector) => !taken.has(ownerOf({ selector }, domain))).find(
    (selector) => !signers.some(({ selectors }) => selectors.has(selector)),
  )
  if (free === undefined) return []
  const why =
    'No key of your own mail server was found. Without one, its mail fails DMARC when it is forwarded.'
  const before = `If your own server signs as ${domain} already (a DKIM-Signature header with d=${domain} names its selector in s=), leave this out.`
  const planned = plannedRecord('dkim', ownerOf({ selector: free }, domain), NEW_KEY)
  return [{ ...planned, why, before, placeholders: placeholdersIn([NEW_KEY], OWN_SERVER) }]
}
