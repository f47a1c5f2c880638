/** What becomes of a key record that stands in the domain's own zone. */
import type { DkimKey } from '../../../checks/dkim/dkim-facts.js'
import {
  allowsOnlySha1,
  isForEmail,
  isRsaShorterThan,
  MIN_RSA_BITS,
  RECOMMENDED_RSA_BITS,
} from '../../../checks/dkim/key-record.js'
import { parseTagList } from '../../../checks/tag-list.js'

/** Whoever wants to can sign with it. */
export function isBreakable(key: DkimKey): boolean {
  return isRsaShorterThan(MIN_RSA_BITS, key)
}

/** Whether only a new key helps. */
export function needsNewKey(key: DkimKey): boolean {
  return isRsaShorterThan(RECOMMENDED_RSA_BITS, key) || key.faults.length > 0 || key.hasPrivateKey
}

/** The same key without what keeps receivers from using it; as it is where there is nothing. */
export function repairKeyRecord(key: DkimKey): string {
  const spoiled = new Set([
    ...(allowsOnlySha1(key) ? ['h'] : []),
    ...(isForEmail(key) ? [] : ['s']),
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
