/** The domain that was probably meant, where the one given is nobody's we know. */
import { isFreeProvider } from '../../catalog/free-providers.js'
import { COM_TYPOS, LARGE_PROVIDER_DOMAINS, TLDS_LIKE_COM } from '../../catalog/large-providers.js'
import { findProviderByMx } from '../../catalog/mailbox-providers.js'
import { isPrivacyRelay } from '../../catalog/privacy-relays.js'

/** Below it there are too many names one slip apart: aon.com is not aol.com. */
const MIN_LETTERS = 5

export function suggestDomain(domain: string): string | null {
  const isKnown =
    isFreeProvider(domain) || isPrivacyRelay(domain) || findProviderByMx(domain) !== null
  if (isKnown) return null
  return LARGE_PROVIDER_DOMAINS.find((provider) => isMisspelt(domain, provider)) ?? null
}

function isMisspelt(domain: string, provider: string): boolean {
  const [name, suffix] = halves(domain)
  const [meantName, meantSuffix] = halves(provider)
  const isLong = meantName.length >= MIN_LETTERS
  if (suffix === meantSuffix) return isLong && isTypo(name, meantName)
  if (name !== meantName || meantSuffix !== 'com') return false
  return COM_TYPOS.includes(suffix) || (isLong && TLDS_LIKE_COM.includes(suffix))
}

/** `yahoo.co.uk` → `yahoo`, `co.uk`. */
function halves(domain: string): [string, string] {
  const dot = domain.indexOf('.')
  return [domain.slice(0, dot), domain.slice(dot + 1)]
}

const KEY_ROWS = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm']

/** Each row of keys stands half a key to the right of the one above. */
const KEYS = new Map(
  KEY_ROWS.flatMap((row, y) => [...row].map((key, x) => [key, { x: x + y / 2, y }] as const)),
)

/**
 * One Damerau step: two letters swapped, one left out, one struck twice or with its neighbour, one
 * struck beside the right key. Not any other letter, nor any other first letter: most words that
 * differ so are words of their own.
 */
export function isTypo(written: string, meant: string): boolean {
  const start = sharedStart(written, meant)
  const end = sharedStart(reversed(written.slice(start)), reversed(meant.slice(start)))
  const wrong = written.slice(start, written.length - end)
  const right = meant.slice(start, meant.length - end)
  if (wrong.length === 2 && right.length === 2) return wrong === reversed(right)
  if (start === 0) return false
  if (wrong.length === 0) return right.length === 1
  if (wrong.length > 1) return false
  if (right.length === 1) return areBeside(wrong, right)
  const neighbours = [meant[start - 1] ?? '', meant[start] ?? '']
  return right === '' && neighbours.some((key) => key === wrong || areBeside(key, wrong))
}

function sharedStart(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}

function reversed(text: string): string {
  return [...text].reverse().join('')
}

function areBeside(one: string, other: string): boolean {
  const [key, neighbour] = [KEYS.get(one), KEYS.get(other)]
  if (!key || !neighbour) return false
  return Math.abs(key.x - neighbour.x) <= 1 && Math.abs(key.y - neighbour.y) <= 1
}
