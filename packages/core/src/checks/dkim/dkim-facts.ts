/** What DNS says about a domain's DKIM keys, and what that proves. */

import type { MailService } from '../../catalog/mail-services.js'
import type { DomainName } from '../../names/domain-name.js'
import type { Unavailability } from '../check-result.js'
import { isAcceptable, type KeyRecord } from './key-record.js'

export interface ProviderRef {
  readonly id: string
  readonly name: string
}

export interface DkimKey extends KeyRecord {
  readonly selector: string
  readonly name: string
  /** Targets of the CNAMEs that lead to the key, in order. */
  readonly cnames: readonly string[]
  readonly provider: ProviderRef | null
  /** It belongs to a service that forwards mail, and says nothing about mail that the domain sends. */
  readonly forwarder: boolean
  /** A few of the TXT records at the name. */
  readonly txtRecords: readonly string[]
  /** How many there are in all. */
  readonly txtRecordCount: number
}

/** A selector whose CNAMEs lead to no TXT record. */
export interface DanglingCname {
  readonly name: string
  readonly cnames: readonly string[]
  readonly provider: ProviderRef | null
}

export interface DkimFacts {
  readonly domain: DomainName
  /** The only selector that the caller asked for; null when common ones were tried. */
  readonly requestedSelector: string | null
  /** The selectors that the caller gave in addition to the common ones. */
  readonly alsoSelectors: readonly string[]
  readonly selectorsTried: readonly string[]
  readonly selectorsFailed: readonly string[]
  /** Every name that could not be looked up, including probes. */
  readonly failedNames: readonly string[]
  readonly failedBecause: Unavailability
  readonly keys: readonly DkimKey[]
  readonly danglingCnames: readonly DanglingCname[]
  /** Whether a random selector has a record; null when that was not queried, or the query failed. */
  readonly wildcard: boolean | null
  /** A few of the key records that a random selector has, as those of `*`. */
  readonly wildcardKeys: readonly DkimKey[]
  /** Whether there are names below `_domainkey`. */
  readonly domainKeyState: 'exists' | 'missing' | 'unproven'
  /** The domain declares that it sends no mail. */
  readonly sendsNoMail: boolean
  /** The services that host mailboxes, most preferred first. */
  readonly mailboxProviders: readonly MailService[]
}

/**
 * `usable`: a key that receivers accept; `refused`: only keys that they must not accept; `revoked`:
 * only revoked keys; `absent`: proven to have none; `hidden`: selectors exist, but no usable key was
 * found.
 */
type KeyState = 'usable' | 'refused' | 'revoked' | 'absent' | 'hidden' | 'unproven'

export function determineKeyState(facts: DkimFacts): KeyState {
  const {
    requestedSelector,
    keys,
    danglingCnames,
    wildcard,
    wildcardKeys,
    domainKeyState,
    failedNames,
  } = facts
  const counted = countedKeys(facts)
  if (counted.some(isAcceptable)) return 'usable'
  if (counted.some((key) => key.valid)) return 'refused'
  const records = requestedSelector === null ? [...counted, ...wildcardKeys] : keys
  if (records.length > 0 && records.every((key) => key.revoked)) return 'revoked'
  if (requestedSelector !== null) return 'absent'
  // A name that exists below outweighs a server that denies its parent. The key of a forwarder or of
  // a wildcard makes the parent exist as well, so then it shows nothing about other keys.
  const isExplained = keys.length > counted.length || wildcardKeys.length > 0
  const hasOwnNames = domainKeyState === 'exists' && !isExplained
  if (counted.length > 0 || danglingCnames.length > 0 || hasOwnNames) return 'hidden'
  const isDenied = domainKeyState === 'missing' && !wildcard
  return isDenied && failedNames.length === 0 ? 'absent' : 'unproven'
}

/** The keys that say something about the domain's own mail, or about the one selector asked for. */
export function countedKeys({ keys, requestedSelector }: DkimFacts): readonly DkimKey[] {
  return requestedSelector === null ? keys.filter(({ forwarder }) => !forwarder) : keys
}

export const DKIM_PRESENCES = ['present', 'absent', 'unknown'] as const

export function determinePresence(facts: DkimFacts): (typeof DKIM_PRESENCES)[number] {
  switch (determineKeyState(facts)) {
    case 'usable':
      return 'present'
    case 'absent':
      return 'absent'
    case 'revoked':
      // A wildcard revokes every selector; a single revoked selector says nothing about others.
      return facts.requestedSelector !== null || facts.wildcardKeys.length > 0
        ? 'absent'
        : 'unknown'
    case 'refused':
      return facts.requestedSelector === null ? 'unknown' : 'absent'
    case 'hidden':
    case 'unproven':
      return 'unknown'
  }
}
