/** Whose DKIM keys these are, and whether a service signs. */
import {
  findServiceById,
  findServiceBySelector,
  isSelectorOfAnyone,
  type MailService,
} from '../catalog/mail-services.js'
import { type DkimFacts, type DkimKey, determinePresence } from '../checks/dkim/dkim-facts.js'
import type { BelowFacts } from './discover-below.js'
import type { SenderInUse } from './find-senders.js'

type KeyIdentity = Pick<DkimKey, 'provider' | 'selector' | 'cnames' | 'hasVersion'>

/** The service whose key it is; null if nothing shows that. */
export type KeyOwners = (key: KeyIdentity) => MailService | null

/** By itself: several services share some selectors, which prove nothing then. */
export function findOwnerOfKey({ provider, selector }: KeyIdentity): MailService | null {
  return provider ? findServiceById(provider.id) : findServiceBySelector(selector)
}

/** Servers of the domain itself, which may sign with keys of their own. */
export interface OwnServers {
  /** Its mail servers. */
  readonly receive: boolean
  /** Servers that its SPF record names. */
  readonly send: boolean
}

/**
 * A shared selector belongs to the only service in use that publishes such a record there, and one
 * that the owner gave to the only service without a key.
 */
export function createKeyOwners(
  senders: readonly SenderInUse[],
  { keys, alsoSelectors }: Pick<DkimFacts, 'keys' | 'alsoSelectors'>,
  servers: OwnServers,
): KeyOwners {
  const owners = new Set(keys.map((key) => findOwnerOfKey(key)?.id))
  const [keyless, ...otherKeyless] = servers.receive
    ? []
    : senders.filter(({ entry, setUpAt }) => {
        const { dkim } = entry.setup
        return dkim && setUpAt === null && !owners.has(dkim.keysOf ?? entry.id)
      })
  return function ownerOf(key) {
    const owner = findOwnerOfKey(key)
    const reseller = senders.find(({ entry }) => owner && entry.setup.dkim?.keysOf === owner.id)
    if (owner || key.provider) return reseller?.entry ?? owner
    // A service may be set up for several names.
    const fitting = senders.filter(({ entry }) => fitsKey(entry, key, servers))
    const [only, ...others] = new Set(fitting.map(({ entry }) => entry))
    if (only) return others.length === 0 ? only : null
    const isGiven = alsoSelectors.includes(key.selector) && !isSelectorOfAnyone(key.selector)
    return isGiven && keyless && otherKeyless.length === 0 ? keyless.entry : null
  }
}

/**
 * A service that publishes CNAMEs has no key as text, except from former times. The software of own
 * servers always writes a version, so a key without one is not theirs.
 */
function fitsKey(
  { kind, setup: { dkim } }: MailService,
  { selector, cnames, hasVersion }: KeyIdentity,
  { receive, send }: OwnServers,
): boolean {
  const isText = cnames.length === 0
  const isRequired =
    dkim?.records.some((each) => each.selector === selector && (each.type === 'TXT') === isText) ??
    false
  // The key of an own server has the same names as those of many mailbox hosts.
  if (isRequired) return !isText || kind === 'sender' || !receive
  const isFormer = dkim?.formerTextSelectors?.includes(selector) ?? false
  const isOfServer = isSelectorOfAnyone(selector) && (receive || (hasVersion && send))
  return isFormer && isText && !isOfServer
}

export const SIGNS = ['yes', 'no', 'unknown'] as const
export type Signs = (typeof SIGNS)[number]

/** Whether a service that is set up below the domain has a key there. */
export function findSignsBelow(
  { entry, setUpAt }: SenderInUse,
  { below }: { readonly below: BelowFacts },
): Signs {
  const found = below.names.find(({ name }) => name === setUpAt)
  const included = found?.included.find(({ service }) => service === entry)
  return included?.signs ?? (found?.signs ? 'yes' : 'unknown')
}

/** Whether it signs, by its keys at the domain or below it. */
export function findSigns(sender: SenderInUse, facts: KeyFacts, ownerOf: KeyOwners): Signs {
  const { dkim } = facts
  const { id, setup } = sender.entry
  if (sender.setUpAt !== null) return findSignsBelow(sender, facts)
  if (dkim.keys.some((key) => key.valid && ownerOf(key)?.id === id)) return 'yes'
  if (determinePresence(dkim) === 'absent') return 'no'
  const selectors = setup.dkim?.records.map(({ selector }) => selector) ?? []
  const isAnswered = (selector: string) =>
    dkim.selectorsTried.includes(selector) && !dkim.selectorsFailed.includes(selector)
  const isFixed = !setup.dkim?.selectorIsChosen && !hasPossibleKey(sender.entry, dkim, ownerOf)
  return isFixed && selectors.length > 0 && selectors.every(isAnswered) ? 'no' : 'unknown'
}

interface KeyFacts {
  readonly dkim: DkimFacts
  readonly below: BelowFacts
}

/** Keys of unknown owner that the service may sign with, or relay the signatures of. */
export function findPossibleKeys(
  { setup }: MailService,
  { keys }: DkimFacts,
  ownerOf: KeyOwners,
): DkimKey[] {
  const { formerTextSelectors = [], relaysSignatures = false } = setup.dkim ?? {}
  return keys.filter(
    (key) =>
      key.valid &&
      ownerOf(key) === null &&
      (relaysSignatures || formerTextSelectors.includes(key.selector)),
  )
}

export function hasPossibleKey(...of: Parameters<typeof findPossibleKeys>): boolean {
  return findPossibleKeys(...of).length > 0
}
