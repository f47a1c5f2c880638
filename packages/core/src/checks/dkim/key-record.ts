/** One TXT record at a selector, parsed as a DKIM key record (RFC 6376 §3.6.1). */
import { parseTagList } from '../tag-list.js'
import { toDisplayText } from '../txt-records.js'
import { findKeyRecordFaults } from './key-record-faults.js'
import {
  KEY_TYPES,
  type KeyFault,
  type KeyType,
  type ParsedPublicKey,
  parsePublicKey,
} from './public-key.js'

export interface KeyRecord {
  /** As published. */
  readonly record: string
  /** Null for an unknown key type. */
  readonly keyType: KeyType | null
  /** In bits; null when there is no readable key. */
  readonly keySize: number | null
  readonly revoked: boolean
  readonly testing: boolean
  readonly strictDomain: boolean
  /** Null when the record allows all. */
  readonly hashAlgorithms: readonly string[] | null
  readonly serviceTypes: readonly string[] | null
  readonly hasVersion: boolean
  readonly hasGranularity: boolean
  readonly hasPrivateKey: boolean
  readonly faults: readonly KeyFault[]
  /** Receivers can use it for mail, whatever its strength. */
  readonly valid: boolean
}

/** Nearly three times what a 16384-bit key needs. */
const MAX_RECORD_OCTETS = 8_192

/** RFC 1035 §3.3. */
const MAX_STRING_OCTETS = 255

const TOO_LONG: KeyFault = {
  problem: `The record is longer than ${MAX_RECORD_OCTETS} characters, which is more than any key needs.`,
  remedy: 'Replace the record with the one that your mail service shows.',
}

/** The version at the start of a record, after any quotation marks and the like. */
const VERSION = /^[\s"'\\]*v[ \t]*=[ \t"'\\]*([^;\s]*)/i

/** Null for other text, such as the SPF record that a wildcard returns. */
export function parseKeyRecord(text: string): KeyRecord | null {
  const isTooLong = text.length > MAX_RECORD_OCTETS
  const head = text.slice(0, MAX_RECORD_OCTETS)
  const list = parseTagList(head)
  const tags = new Map(list.tags.map(({ name, value }) => [name, value]))
  if (!isDkimRecord(head, tags)) return null

  const typeText = (tags.get('k') ?? 'rsa').toLowerCase()
  const keyType = KEY_TYPES.find((known) => known === typeText) ?? null
  const value = isTooLong ? '' : (tags.get('p') ?? '')
  const key = keyType && value ? parsePublicKey(keyType, value) : null
  const faults = isTooLong ? [TOO_LONG] : findKeyRecordFaults(list, tags)
  // A broken record also breaks its key: report one fault for one cause.
  if (key && key.kind !== 'key' && faults.length === 0) faults.push(keyFault(key, text))

  const revoked = tags.get('p') === ''
  const flags = parseItems(tags.get('t')) ?? []
  const serviceTypes = parseItems(tags.get('s'))
  return {
    record: toDisplayText(head) + (isTooLong ? '…' : ''),
    keyType,
    keySize: key?.kind === 'key' ? key.bits : null,
    revoked,
    testing: flags.includes('y'),
    strictDomain: flags.includes('s'),
    hashAlgorithms: parseItems(tags.get('h')),
    serviceTypes,
    hasVersion: tags.has('v'),
    hasGranularity: tags.has('g'),
    hasPrivateKey: key?.kind === 'private-key',
    faults,
    valid: faults.length === 0 && !revoked && isForEmail({ serviceTypes }),
  }
}

export function isForEmail({ serviceTypes }: Pick<KeyRecord, 'serviceTypes'>): boolean {
  return serviceTypes === null || serviceTypes.includes('*') || serviceTypes.includes('email')
}

function keyFault(key: Exclude<ParsedPublicKey, { kind: 'key' }>, text: string): KeyFault {
  const isFullString = key.kind === 'truncated' && text.length === MAX_STRING_OCTETS
  if (!isFullString) return key.fault
  const { problem, remedy } = key.fault
  return {
    problem: `${problem} The record ends after ${MAX_STRING_OCTETS} characters, where one TXT string is full.`,
    remedy,
  }
}

/** A colon-separated list in lower case: ABNF literals ignore case (RFC 5234 §2.3). */
function parseItems(value: string | undefined): string[] | null {
  if (value === undefined) return null
  const items = value.split(':').map((item) => item.trim().toLowerCase())
  return items.filter((item) => item !== '')
}

/** RFC 6376 §3.6.1: a record of another version, such as `v=DMARC1; p=reject`, is discarded. */
function isDkimRecord(text: string, tags: ReadonlyMap<string, string>): boolean {
  const version = VERSION.exec(text)?.[1]
  return version === undefined ? tags.has('p') || tags.has('P') : /^dkim/i.test(version)
}

/** RFC 8301 §3.2: receivers must not accept shorter keys than the first; signers should use the second. */
export const MIN_RSA_BITS = 1_024
export const RECOMMENDED_RSA_BITS = 2_048

export function isRsaShorterThan(bits: number, { keyType, keySize }: KeyRecord): boolean {
  return keyType === 'rsa' && keySize !== null && keySize < bits
}

/** RFC 8301 §3.1: receivers no longer accept SHA-1. */
export function allowsOnlySha1({ hashAlgorithms }: KeyRecord): boolean {
  return hashAlgorithms !== null && !hashAlgorithms.includes('sha256')
}
