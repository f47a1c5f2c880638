/** Suggests the domain that was probably intended, if the given one is not known. */
import { isFreeProvider } from '../../catalog/free-providers.js'
import { COM_TYPOS, LARGE_PROVIDER_DOMAINS, TLDS_LIKE_COM } from '../../catalog/large-providers.js'
import { findProviderByMx } from '../../catalog/mailbox-providers.js'
import { isPrivacyRelay } from '../../catalog/privacy-relays.js'

/** Shorter names have too many real neighbors: aon.com is not a typo of aol.com. */
const MIN_LETTERS = 5

export function suggestDomain(domain: string): string | null {
  const isKnown =
    isFreeProvider(domain) || isPrivacyRelay(domain) || findProviderByMx(domain) !== null
  if (isKnown) return null
  return LARGE_PROVIDER_DOMAINS.find((provider) => isMisspelled(domain, provider)) ?? null
}

function isMisspelled(domain: string, provider: string): boolean {
  const [name, suffix] = splitFirstLabel(domain)
  const [providerName, providerSuffix] = splitFirstLabel(provider)
  const isLong = providerName.length >= MIN_LETTERS
  if (suffix === providerSuffix) return isLong && isTypo(name, providerName)
  if (name !== providerName || providerSuffix !== 'com') return false
  return COM_TYPOS.includes(suffix) || (isLong && TLDS_LIKE_COM.includes(suffix))
}

/** `yahoo.co.uk` → `yahoo`, `co.uk`. */
function splitFirstLabel(domain: string): [string, string] {
  const dot = domain.indexOf('.')
  return [domain.slice(0, dot), domain.slice(dot + 1)]
}

const KEY_ROWS = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm']

/** Each row of keys is half a key to the right of the row above. */
const KEYS = new Map(
  KEY_ROWS.flatMap((row, y) => [...row].map((key, x) => [key, { x: x + y / 2, y }] as const)),
)

/**
 * One Damerau step: two letters swapped, one missing, one doubled, or one hit on a neighboring key.
 * Other letters and other first letters do not count: most such words are names of their own.
 */
export function isTypo(typed: string, intended: string): boolean {
  const start = sharedPrefixLength(typed, intended)
  const end = sharedPrefixLength(reverse(typed.slice(start)), reverse(intended.slice(start)))
  const wrong = typed.slice(start, typed.length - end)
  const right = intended.slice(start, intended.length - end)
  if (wrong.length === 2 && right.length === 2) return wrong === reverse(right)
  if (start === 0) return false
  if (wrong.length === 0) return right.length === 1
  if (wrong.length > 1) return false
  if (right.length === 1) return areNeighbors(wrong, right)
  const adjacent = [intended[start - 1] ?? '', intended[start] ?? '']
  return right === '' && adjacent.some((key) => key === wrong || areNeighbors(key, wrong))
}

function sharedPrefixLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}

function reverse(text: string): string {
  return [...text].reverse().join('')
}

function areNeighbors(one: string, other: string): boolean {
  const [key, otherKey] = [KEYS.get(one), KEYS.get(other)]
  if (!key || !otherKey) return false
  return Math.abs(key.x - otherKey.x) <= 1 && Math.abs(key.y - otherKey.y) <= 1
}
