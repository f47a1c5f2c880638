/** A good key for everybody who signs, and nothing for a key that is good. */
import type { DkimRecord } from '../../../catalog/setup.js'
import type { DkimFacts } from '../../../checks/dkim/dkim-facts.js'
import type { DomainFacts } from '../domain-facts.js'
import { placeholdersIn } from '../fill-template.js'
import type { Parties } from '../parties.js'
import { type PlannedRecord, plannedRecord } from '../planned-record.js'
import { isOf, NEW_KEY, OWN_SERVER, type Signer, signersOf } from './signers.js'
import { oneByName, silentKey, standingKey } from './standing-key.js'
import { type Wish, wantedRecords } from './wanted-keys.js'

export interface DkimPlan {
  readonly records: readonly PlannedRecord[]
  /** Records that have no place, because somebody else has the selector. */
  readonly crowdedOut: readonly { readonly service: string; readonly name: string }[]
}

export async function planDkim(
  { dns, domain, dkim }: DomainFacts,
  parties: Parties,
  sends: boolean,
): Promise<DkimPlan> {
  const keys = oneByName(dkim.keys)
  if (!sends) return { records: keys.map(silentKey), crowdedOut: [] }
  const signers = signersOf(parties)
  const standing = keys.map((key) => standingKey(key, dkim.keys, signers))
  const unsigned = signers.filter((signer) => !dkim.keys.some((key) => isOf(key, signer)))
  const wishes = unsigned.flatMap(({ name, isGateway, dkim: setup }) =>
    setup.records.map((record) => ({
      name,
      isGateway,
      setup,
      record,
      owner: ownerOf(record, domain),
    })),
  )
  // Of two services that want the same selector, the one that comes first gets it.
  const granted = wishes.filter((one, at) => wishes.findIndex(isAt(one.owner)) === at)
  const wanted = await Promise.all(granted.map((wish) => wantedRecords(dns, wish, dkim)))
  const records = [...standing, ...spares(dkim, signers, wishes), ...wanted.flat()]
  // Who has a provider makes no keys; who keeps some under another selector needs none.
  const isSelfMade = parties.mailboxes.length === 0 && records.length === 0
  const isUnknown = isSelfMade && dkim.domainKey !== 'exists' && !dkim.wildcard
  const placed = new Set(wanted.flat().map(({ name }) => name))
  return {
    records: isUnknown ? [ownKey(domain)] : records,
    crowdedOut: wishes
      .filter((wish) => !granted.includes(wish) || !placed.has(wish.owner))
      .map(({ name, owner }) => ({ service: name, name: owner })),
  }
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

function ownerOf({ selector }: DkimRecord, domain: string): string {
  return `${selector}._domainkey.${domain}`
}

function isAt(name: string): (wish: Wish) => boolean {
  return ({ owner }) => owner === name
}

function ownKey(domain: string): PlannedRecord {
  const why =
    'No DKIM key was found. Without one, mail that is forwarded fails DMARC. If your mail is signed already (s= in a DKIM-Signature header names the selector), leave this out.'
  const name = `mail._domainkey.${domain}`
  return {
    ...plannedRecord('dkim', name, NEW_KEY),
    why,
    placeholders: placeholdersIn([NEW_KEY], OWN_SERVER),
  }
}
