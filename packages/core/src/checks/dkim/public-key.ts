/** The key in a `p=` tag: its size, or why it is unusable (RFC 6376 §3.6.1, RFC 8463 §4.2). */
import { createPublicKey, type KeyObject } from 'node:crypto'

export const KEY_TYPES = ['rsa', 'ed25519'] as const
export type KeyType = (typeof KEY_TYPES)[number]

/** Two sentences: what is wrong, and how to fix it. */
export interface KeyFault {
  readonly problem: string
  readonly remedy: string
}

export type ParsedPublicKey =
  | { readonly kind: 'key'; readonly bits: number }
  | { readonly kind: 'private-key' | 'truncated' | 'no-key'; readonly fault: KeyFault }

const ED25519_OCTETS = 32
/** SubjectPublicKeyInfo of an Ed25519 key, up to the key itself (RFC 8410 §4). */
const ED25519_INFO = Buffer.from('302a300506032b6570032100', 'hex')

const COPY_AGAIN = 'Copy the record from your mail service again and publish it unchanged.'

const PRIVATE_KEY: ParsedPublicKey = {
  kind: 'private-key',
  fault: {
    problem: 'The p= tag contains a private key.',
    remedy:
      'Create a new key pair, publish its public key at a new selector, switch signing to it, and delete both halves of the old pair from DNS.',
  },
}

/** White space may occur anywhere in the value; the caller limits its length. */
export function parsePublicKey(type: KeyType, value: string): ParsedPublicKey {
  const text = value.replace(/[ \t\r\n]+/g, '')
  if (text.includes('-----')) return readPem(text)
  const invalid = /[^A-Za-z\d+/=]|=(?=[^=]|==)/.exec(text)?.[0]
  if (invalid !== undefined) return invalidBase64Character(invalid)
  // RFC 6376 §2.10 allows missing padding, but a base64 group never has a single character.
  if (text.replaceAll('=', '').length % 4 === 1)
    return truncated('The base64 text of the key is cut off.')
  const octets = Buffer.from(text, 'base64')
  return type === 'ed25519' ? readEd25519(octets) : readRsa(octets)
}

function readEd25519(octets: Buffer): ParsedPublicKey {
  if (octets.length === ED25519_OCTETS) return { kind: 'key', bits: 256 }
  if (octets.subarray(0, ED25519_INFO.length).equals(ED25519_INFO)) {
    const bare = octets.subarray(ED25519_INFO.length).toString('base64')
    return noKey(
      'The Ed25519 key is wrapped in a SubjectPublicKeyInfo, but it has to be published without that wrapper.',
      `Replace the p= tag with p=${bare}.`,
    )
  }
  return noKey(
    `The key is ${octets.length} bytes long, but an Ed25519 key is ${ED25519_OCTETS}.`,
    `${COPY_AGAIN} If it’s an RSA key, write k=rsa.`,
  )
}

function readRsa(octets: Buffer): ParsedPublicKey {
  if (octets.length === ED25519_OCTETS) {
    return noKey(
      `The key has ${ED25519_OCTETS} bytes, like an Ed25519 key, but the record calls it an RSA key.`,
      'If it’s an Ed25519 key, write k=ed25519.',
    )
  }
  const frame = readFrame(octets)
  if (!frame) return noKey('The p= tag contains base64 text, but it isn’t a key.', COPY_AGAIN)
  const missing = frame.end - octets.length
  if (missing > 0) {
    return truncated(`The key is cut off: ${missing} of its ${frame.end} bytes are missing.`)
  }
  const usualBits = readSpkiRsaBits(octets)
  if (usualBits !== null) return { kind: 'key', bits: usualBits }
  if (startsWithVersion(octets.subarray(frame.start))) return PRIVATE_KEY
  // RFC 6376 §3.6.1 specifies RSAPublicKey (PKCS#1), which starts with the modulus, an INTEGER;
  // nearly all published keys are SubjectPublicKeyInfo.
  const key = decode(octets, octets[frame.start] === INTEGER ? 'pkcs1' : 'spki')
  const bits = key?.asymmetricKeyDetails?.modulusLength
  return key?.asymmetricKeyType === 'rsa' && bits !== undefined
    ? { kind: 'key', bits }
    : noKey('The p= tag contains data, but it isn’t an RSA key.', COPY_AGAIN)
}

function decode(key: Buffer, type: 'spki' | 'pkcs1'): KeyObject | null {
  try {
    return createPublicKey({ key, format: 'der', type })
  } catch {
    return null
  }
}

/** Where the content of a DER SEQUENCE starts, and where it should end. */
function readFrame(der: Buffer): { start: number; end: number } | null {
  const [tag, length = 0] = der
  if (tag !== 0x30) return null
  if (length < 0x80) return { start: 2, end: 2 + length }
  const start = 2 + (length & 0x7f)
  // DER has no indefinite length, and no key needs more than three length octets.
  if (start === 2 || start > 5 || start > der.length) return null
  return { start, end: start + der.readUIntBE(2, start - 2) }
}

/**
 * RFC 8017 §A.1.2, RFC 5958 §2: a private key starts with its version, 0 or 1, and a public one
 * with its algorithm or modulus. OpenSSL would accept it as PKCS#1 and read its public half.
 */
function startsWithVersion(content: Buffer): boolean {
  return content[0] === INTEGER && content[1] === 1 && (content[2] ?? 2) <= 1
}

/** RFC 7468: a key with BEGIN and END lines, as in a file. */
function readPem(text: string): ParsedPublicKey {
  if (/PRIVATEKEY/i.test(text)) return PRIVATE_KEY
  return noKey(
    'The p= tag contains the BEGIN and END lines of a key file.',
    'Remove those lines, and keep only the base64 text between them.',
  )
}

function invalidBase64Character(character: string): ParsedPublicKey {
  const isPrintable = character > ' ' && character <= '~'
  const quoted = isPrintable ? `“${character}”` : 'an invisible or non-ASCII character'
  return noKey(`The key contains ${quoted}, which base64 doesn’t allow.`, COPY_AGAIN)
}

function truncated(problem: string): ParsedPublicKey {
  const remedy =
    'Publish the whole key. Split a record longer than 255 characters into several strings of one TXT record, "…" "…".'
  return { kind: 'truncated', fault: { problem, remedy } }
}

function noKey(problem: string, remedy: string): ParsedPublicKey {
  return { kind: 'no-key', fault: { problem, remedy } }
}

/** DER tags. */
const INTEGER = 0x02
const SEQUENCE = 0x30
const BIT_STRING = 0x03
/** AlgorithmIdentifier of rsaEncryption (RFC 3279 §2.3.1). */
const ALGORITHM = Buffer.from('300d06092a864886f70d0101010500', 'hex')
const EXPONENT_65537 = Buffer.from('0203010001', 'hex')
/** The sizes in use, which OpenSSL also accepts. */
const MIN_BITS = 512
const MAX_BITS = 8_192

interface Content {
  readonly start: number
  readonly end: number
}

/**
 * The size of an RSA key in the most common form: a SubjectPublicKeyInfo in strict DER with the
 * exponent 65537. It takes 1 µs; OpenSSL, which reads all other forms, takes 240 µs. Null when the
 * key has another form, or is invalid.
 */
export function readSpkiRsaBits(der: Buffer): number | null {
  const info = contentAt(der, 0, SEQUENCE, der.length)
  if (!info || !startsWith(der, info.start, ALGORITHM)) return null
  const wrapped = contentAt(der, info.start + ALGORITHM.length, BIT_STRING, der.length)
  // A bit string starts with the number of unused bits in its last octet.
  if (!wrapped || der[wrapped.start] !== 0) return null
  const key = contentAt(der, wrapped.start + 1, SEQUENCE, der.length)
  const modulus = key && contentAt(der, key.start, INTEGER, der.length - EXPONENT_65537.length)
  if (!modulus || !startsWith(der, modulus.end, EXPONENT_65537)) return null
  const bits = countBits(der, modulus)
  return bits !== null && bits >= MIN_BITS && bits <= MAX_BITS ? bits : null
}

/** The content of a DER value that ends exactly at `end`, with its length in the shortest form. */
function contentAt(der: Buffer, offset: number, tag: number, end: number): Content | null {
  const length = der[offset + 1]
  if (der[offset] !== tag || length === undefined) return null
  const octets = length < 0x80 ? 0 : length & 0x7f
  const start = offset + 2 + octets
  if (octets > 2 || start > end) return null
  const stated = octets === 0 ? length : der.readUIntBE(offset + 2, octets)
  const isShortest = octets === 0 || stated >= (octets === 1 ? 0x80 : 0x100)
  return isShortest && start + stated === end ? { start, end } : null
}

function startsWith(der: Buffer, offset: number, expected: Buffer): boolean {
  return der.subarray(offset, offset + expected.length).equals(expected)
}

/** Null unless it is an odd positive number in its shortest form. */
function countBits(der: Buffer, { start, end }: Content): number | null {
  const first = der[start] ?? 0
  const second = der[start + 1] ?? 0
  const isOdd = ((der[end - 1] ?? 0) & 1) === 1
  if (first >= 0x80 || (first === 0 && second < 0x80) || !isOdd) return null
  return (end - start) * 8 - (Math.clz32(first) - 24)
}
