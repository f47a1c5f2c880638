/** What becomes of a key record that stands in the domain's own zone. */
import type { FoundKey } from '../../../checks/dkim/dkim-facts.js'
import { servesEmail } from '../../../checks/dkim/key-record.js'
import { parseTagList } from '../../../checks/tag-list.js'

/** RFC 8301 §3.2: signers should have 2048 bits at least. */
const ENOUGH_BITS = 2_048

/** RFC 8301 §3.2: with fewer, receivers must not take the signature. */
const BREAKABLE_BITS = 1_024

export function isBreakable({ keyType, keySize }: FoundKey): boolean {
  return keyType === 'rsa' && keySize !== null && keySize < BREAKABLE_BITS
}

/** Whether only a new key helps. */
export function needsNewKey(key: FoundKey): boolean {
  const isShort = key.keyType === 'rsa' && key.keySize !== null && key.keySize < ENOUGH_BITS
  return isShort || key.faults.length > 0 || key.holdsPrivateKey
}

/** The same key without what keeps receivers from using it; as it is where there is nothing. */
export function mendedKey(key: FoundKey): string {
  const isSha1Only = key.hashAlgorithms !== null && !key.hashAlgorithms.includes('sha256')
  const spoiled = new Set([
    ...(isSha1Only ? ['h'] : []),
    ...(servesEmail(key) ? [] : ['s']),
    ...(key.hasGranularity ? ['g'] : []),
  ])
  if (spoiled.size === 0 && !key.testing) return key.record
  const tags = parseTagList(key.record)
    .tags.filter(({ name }) => name !== 'v' && !spoiled.has(name))
    .map(({ name, value }) => ({ name, value: name === 't' ? withoutTesting(value) : value }))
    .filter(({ name, value }) => value !== '' || name === 'p')
  return ['v=DKIM1', ...tags.map(({ name, value }) => `${name}=${value}`)].join('; ')
}

function withoutTesting(flags: string): string {
  return flags
    .split(':')
    .map((flag) => flag.trim())
    .filter((flag) => flag.toLowerCase() !== 'y')
    .join(':')
}
