/** What is known about addresses: the services behind their domains, and names before the @. */
import { isListed } from '../read-data.js'
import { type AddressReasonCode, LISTS } from './generated/lists.js'
import { createHostMatcher } from './host-pattern.js'
import type { ADDRESS_VERDICTS, Lists } from './lists-schema.js'

export type { AddressReasonCode }

const findRelay = createHostMatcher(Object.values(LISTS.privacyRelays), (domains) => domains)

export function isPrivacyRelay(domain: string): boolean {
  return findRelay(domain) !== null
}

/** Whether anyone can get a mailbox there, mostly for free. */
export function isFreeProvider(domain: string): boolean {
  const { more, typos } = LISTS.freeProviders
  const isOnList = isListed('freeProviders', domain) && !typos.includes(domain)
  const isProvider = isOnList || more.includes(domain) || isLongLived(domain)
  // A relay forwards mail and has no mailboxes.
  return isProvider && !isPrivacyRelay(domain)
}

/** Whether exactly this name is on a list; callers check the names above it. */
export function isDisposableDomain(name: string): boolean {
  const isDisposable =
    isListed('disposableDomains', name) || LISTS.disposableDomains.more.includes(name)
  return isDisposable && !isLongLived(name)
}

function isLongLived(name: string): boolean {
  return LISTS.disposableDomains.not.includes(name)
}

const findParking = createHostMatcher(LISTS.parkingMailServers, (host) => [host])

export function isParkingMailServer(host: string): boolean {
  return findParking(host) !== null
}

type ConsumerMailbox = Lists['consumerMailboxes'][number]

const findByMx = createHostMatcher(LISTS.consumerMailboxes, ({ mx }) => mx)

/** The service that receives mail for the domain at this mail server; null when there is none. */
export function findConsumerMailboxByMx(domain: string, host: string): ConsumerMailbox | null {
  const found = findByMx(host)
  return found?.sharesMx && !found.domains.includes(domain) ? null : found
}

/** The service that owns the domain; null when there is none. */
export function findConsumerMailboxByDomain(domain: string): ConsumerMailbox | null {
  return LISTS.consumerMailboxes.find(({ domains }) => domains.includes(domain)) ?? null
}

const PLACEHOLDER_NAMES: ReadonlySet<string> = new Set(LISTS.placeholders.names)
const KEYBOARD_WALK = new RegExp(`^(?:${LISTS.placeholders.keyboardWalks.join('|')})\\d*$`)
const REPEATED_LETTER = /^([a-z])\1{3,}$/
const COUNT = '1234567890'

/** Expects lower case, without a tag. */
export function isPlaceholderName(name: string): boolean {
  return (
    PLACEHOLDER_NAMES.has(name) ||
    KEYBOARD_WALK.test(name) ||
    REPEATED_LETTER.test(name) ||
    (name.length >= 3 && COUNT.startsWith(name))
  )
}

export function isPlaceholderDomain(domain: string): boolean {
  return LISTS.placeholders.domains.includes(domain)
}

/** Expects lower case; RFC 2142 §2 allows any case. */
export function isRoleAccount(name: string): boolean {
  const { more, personalNames, initials } = LISTS.roleAccounts
  if (personalNames.includes(name) || initials.includes(name)) return false
  // The list also has what people type to fill a field, such as test and asdf.
  return (isListed('roleAccounts', name) || more.includes(name)) && !isPlaceholderName(name)
}

export const ADDRESS_REASONS = LISTS.addressReasons

export const ADDRESS_REASON_CODES = Object.keys(ADDRESS_REASONS) as [
  AddressReasonCode,
  ...AddressReasonCode[],
]

/** The worst verdict of any reason. */
export function worstVerdict(
  reasons: readonly AddressReasonCode[],
): (typeof ADDRESS_VERDICTS)[number] {
  const verdicts = reasons.map((code) => ADDRESS_REASONS[code].verdict)
  if (verdicts.length === 0) return 'ok'
  return verdicts.includes('undeliverable') ? 'undeliverable' : 'risky'
}
