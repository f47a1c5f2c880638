/** One TXT record at a selector, parsed as a DKIM key record (RFC 6376 §3.6.1). */
import { quoteForDisplay } from '../format-list.js'
import { parseTagList, type TagList } from '../tag-list.js'
import { MAX_TXT_OCTETS, toDisplayText } from '../txt-records.js'
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

/** RFC 1035 §3.3. */
const MAX_STRING_OCTETS = 255

const TOO_LONG: KeyFault = {
  problem: `The record is longer than ${MAX_TXT_OCTETS} characters, which is more than any key needs.`,
  remedy: 'Replace the record with the one from your mail service.',
}

/** The version at the start of a record, after any quotation marks and the like. */
const VERSION = /^[\s"'\\]*v[ \t]*=[ \t"'\\]*([^;\s]*)/i

/** Null for other text, such as the SPF record that a wildcard returns. */
export function parseKeyRecord(text: string): KeyRecord | null {
  const isTooLong = text.length > MAX_TXT_OCTETS
  const head = text.slice(0, MAX_TXT_OCTETS)
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
    problem: `${problem} The record ends after ${MAX_STRING_OCTETS} characters, which is all that one TXT string can hold.`,
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

/**
 * RFC 8301 §3.2: receivers must not accept shorter keys than the first, signers should use the
 * second, and receivers need not accept longer keys than the third.
 */
export const MIN_RSA_BITS = 1_024
export const RECOMMENDED_RSA_BITS = 2_048
export const MAX_RSA_BITS = 4_096

export function isRsaShorterThan(bits: number, { keyType, keySize }: KeyRecord): boolean {
  return keyType === 'rsa' && keySize !== null && keySize < bits
}

export function isRsaLongerThan(bits: number, { keyType, keySize }: KeyRecord): boolean {
  return keyType === 'rsa' && keySize !== null && keySize > bits
}

/** RFC 8301 §3.1: receivers no longer accept SHA-1. */
export function allowsOnlySha1({ hashAlgorithms }: KeyRecord): boolean {
  return hashAlgorithms !== null && !hashAlgorithms.includes('sha256')
}

/** Receivers may accept signatures made with it: it is valid, long enough and not only for SHA-1. */
export function isAcceptable(key: KeyRecord): boolean {
  return key.valid && !isRsaShorterThan(MIN_RSA_BITS, key) && !allowsOnlySha1(key)
}

const READ_TAGS = ['v', 'k', 'p', 'h', 's', 't']
const KNOWN_HASHES = ['sha1', 'sha256']

type Tags = ReadonlyMap<string, string>
type Rule = (list: TagList, tags: Tags) => KeyFault | false

const RULES: readonly Rule[] = [
  ({ tags: [first] }, tags) =>
    tags.has('v') &&
    first?.name !== 'v' && {
      problem: 'The v= tag has to come first in the record.',
      remedy: 'Move v=DKIM1 to the start of the record.',
    },
  (_, tags) => versionFault(tags.get('v') ?? 'DKIM1'),
  ({ tags }) => repeatedFault(tags.map(({ name }) => name)),
  ({ invalidParts: [invalid] }) =>
    invalid !== undefined && {
      problem: `The record contains ${quoteForDisplay(invalid)}, which isn’t a tag=value pair.`,
      remedy: `Remove ${quoteForDisplay(invalid)}, or correct the semicolon or equals sign.`,
    },
  (_, tags) => !tags.has('p') && keyMissingFault(tags),
  (_, tags) => typeFault(tags.get('k') ?? 'rsa'),
  (_, tags) => hashFault(tags.get('h') ?? 'sha256'),
]

/** Errors in the tags (RFC 6376 §3.2, §3.6.1). */
function findKeyRecordFaults(list: TagList, tags: Tags): KeyFault[] {
  // Either of these breaks the whole list and causes any other faults.
  const cause = escapingFault(list) || semicolonFault(tags.get('v') ?? '')
  return cause ? [cause] : RULES.flatMap((rule) => rule(list, tags) || [])
}

/** Quotation marks and backslashes of a zone file that a web form kept in the value. */
function escapingFault({ tags, invalidParts }: TagList): KeyFault | false {
  // Notes (n=) and unknown tags may contain anything.
  const values = tags.filter(({ name }) => READ_TAGS.includes(name)).map(({ value }) => value)
  const text = [...values, ...invalidParts].join(';')
  if (text.includes('\\')) {
    return {
      problem: 'The record contains backslashes.',
      remedy: 'Publish it without backslashes: ";" instead of "\\;".',
    }
  }
  return (
    text.includes('"') && {
      problem: 'The record contains quotation marks.',
      remedy: 'Publish it without quotation marks. The name server adds its own.',
    }
  )
}

function semicolonFault(version: string): KeyFault | false {
  return (
    version.includes('=') && {
      problem: 'There’s no semicolon after the version.',
      remedy: 'Put a semicolon after every tag: v=DKIM1; k=rsa; p=…',
    }
  )
}

function versionFault(version: string): KeyFault | false {
  return (
    version !== 'DKIM1' && {
      problem: `The version is v=${quoteForDisplay(version)}, so receivers discard the record.`,
      remedy: 'Write v=DKIM1, in capital letters.',
    }
  )
}

function repeatedFault(names: readonly string[]): KeyFault | false {
  const seen = new Set<string>()
  const repeated = names.find((name) => seen.has(name) || !seen.add(name))
  return (
    repeated !== undefined && {
      problem: `The tag ${quoteForDisplay(repeated)} appears more than once, which makes the whole record invalid.`,
      remedy: `Keep one ${quoteForDisplay(repeated)} tag and remove the others.`,
    }
  )
}

function keyMissingFault(tags: Tags): KeyFault {
  return tags.has('P')
    ? {
        problem: 'The tag names are in capital letters.',
        remedy: 'Write the tag names in lowercase: p= instead of P=.',
      }
    : {
        problem: 'There’s no p= tag, so there’s no key.',
        remedy: 'Add the p= tag with the key from your mail service.',
      }
}

function typeFault(type: string): KeyFault | false {
  return (
    !KEY_TYPES.some((known) => known === type.toLowerCase()) && {
      problem: `Receivers don’t recognize the key type k=${quoteForDisplay(type)}.`,
      remedy: 'Write k=rsa, or k=ed25519 if it’s an Ed25519 key.',
    }
  )
}

/** RFC 6376 §3.6.1: unknown hashes are ignored, so none may be left. */
function hashFault(hashes: string): KeyFault | false {
  const items = hashes.split(':').map((hash) => hash.trim().toLowerCase())
  return (
    !items.some((hash) => KNOWN_HASHES.includes(hash)) && {
      problem: `The record allows only h=${quoteForDisplay(hashes)}, which receivers don’t recognize.`,
      remedy: 'Remove the h= tag, or write h=sha256.',
    }
  )
}
