/** Repairs records whose key is right: the same key, so the signer needn't change anything. */
import type { DkimKey } from '../../../checks/dkim/dkim-facts.js'
import {
  allowsOnlySha1,
  isForEmail,
  isRsaShorterThan,
  MIN_RSA_BITS,
  parseKeyRecord,
} from '../../../checks/dkim/key-record.js'
import { parseTagList } from '../../../checks/tag-list.js'

/** The key as it was meant, if its record is only written wrongly; null if it can't be read. */
export function readMiswritten(key: DkimKey): DkimKey | null {
  if (key.faults.length === 0) return null
  const bare = key.record.replaceAll(MARKS_OF_ZONE_FILES, '').trim()
  for (const record of [bare, writeRecord(bare, new Set())]) {
    const read = parseKeyRecord(record)
    if (read?.valid && !isRsaShorterThan(MIN_RSA_BITS, read)) return { ...key, ...read }
  }
  return null
}

/** A web form keeps what a zone file needs around a value. */
const MARKS_OF_ZONE_FILES = /[\\"]/g

/** The same key without the tags that keep receivers from using it; a revoked one is of no use. */
export function repairKeyRecord(key: DkimKey): string {
  if (key.revoked) return key.record
  const harmful = new Set([
    ...(allowsOnlySha1(key) ? ['h'] : []),
    ...(isForEmail(key) ? [] : ['s']),
  ])
  return harmful.size === 0 && !key.testing ? key.record : writeRecord(key.record, harmful)
}

function writeRecord(record: string, harmful: ReadonlySet<string>): string {
  const tags = parseTagList(record)
    .tags.filter(({ name }) => name !== 'v' && !harmful.has(name))
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
