/** What a `p=` tag holds: a key of so many bits, or why it is none (RFC 6376 §3.6.1, RFC 8463 §4.2). */
import { createPublicKey, type KeyObject } from 'node:crypto'
import { readSpkiRsaBits } from './spki-rsa-bits.js'

export const KEY_TYPES = ['rsa', 'ed25519'] as const
export type KeyType = (typeof KEY_TYPES)[number]

/** Two sentences: what is wrong, and what to do about it. */
export interface KeyFault {
  readonly problem: string
  readonly remedy: string
}

export type ParsedPublicKey =
  | { readonly kind: 'key'; readonly bits: number }
  | { readonly kind: 'private-key' | 'cut' | 'no-key'; readonly fault: KeyFault }

const ED25519_OCTETS = 32
/** SubjectPublicKeyInfo of an Ed25519 key, up to the key itself (RFC 8410 §4). */
const ED25519_INFO = Buffer.from('302a300506032b6570032100', 'hex')

/** DER tag. */
const INTEGER = 0x02

const AGAIN = 'Copy the record from your mail service again and publish it unchanged.'

const PRIVATE_KEY: ParsedPublicKey = {
  kind: 'private-key',
  fault: {
    problem: 'The p= tag holds a private key.',
    remedy: 'Make a new pair of keys, publish its public key, and never use the old pair again.',
  },
}

/** White space may stand anywhere in the value, whose length the caller bounds. */
export function parsePublicKey(type: KeyType, value: string): ParsedPublicKey {
  const text = value.replace(/[ \t\r\n]+/g, '')
  if (text.includes('-----')) return readArmour(text)
  const stranger = /[^A-Za-z\d+/=]|=(?=[^=]|==)/.exec(text)?.[0]
  if (stranger !== undefined) return strangerInBase64(stranger)
  // RFC 6376 §2.10 lets padding be left out, but no group of base64 has a single character.
  if (text.replaceAll('=', '').length % 4 === 1)
    return cut('The base64 text of the key is cut off.')
  const octets = Buffer.from(text, 'base64')
  return type === 'ed25519' ? readEd25519(octets) : readRsa(octets)
}

function readEd25519(octets: Buffer): ParsedPublicKey {
  if (octets.length === ED25519_OCTETS) return { kind: 'key', bits: 256 }
  if (octets.subarray(0, ED25519_INFO.length).equals(ED25519_INFO)) {
    const bare = octets.subarray(ED25519_INFO.length).toString('base64')
    return noKey(
      'The Ed25519 key is wrapped in a SubjectPublicKeyInfo, but must be published bare.',
      `Replace the p= tag by p=${bare}.`,
    )
  }
  return noKey(
    `The key has ${octets.length} octets; an Ed25519 key has ${ED25519_OCTETS}.`,
    `${AGAIN} If it is an RSA key, write k=rsa.`,
  )
}

function readRsa(octets: Buffer): ParsedPublicKey {
  if (octets.length === ED25519_OCTETS) {
    return noKey(
      `The key has ${ED25519_OCTETS} octets, as Ed25519 keys have, but the record says that it is an RSA key.`,
      'If it is an Ed25519 key, write k=ed25519.',
    )
  }
  const frame = readFrame(octets)
  if (!frame) return noKey('The p= tag holds base64 text, but no key.', AGAIN)
  const missing = frame.end - octets.length
  if (missing > 0) {
    return cut(`The key is cut off: ${missing} of its ${frame.end} octets are missing.`)
  }
  const usualBits = readSpkiRsaBits(octets)
  if (usualBits !== null) return { kind: 'key', bits: usualBits }
  if (startsWithVersion(octets.subarray(frame.start))) return PRIVATE_KEY
  // RFC 6376 §3.6.1 asks for RSAPublicKey (PKCS#1), which starts with an INTEGER, the modulus;
  // nearly everybody publishes the other.
  const key = decode(octets, octets[frame.start] === INTEGER ? 'pkcs1' : 'spki')
  const bits = key?.asymmetricKeyDetails?.modulusLength
  return key?.asymmetricKeyType === 'rsa' && bits !== undefined
    ? { kind: 'key', bits }
    : noKey('The p= tag holds something, but no RSA key.', AGAIN)
}

function decode(key: Buffer, type: 'spki' | 'pkcs1'): KeyObject | null {
  try {
    return createPublicKey({ key, format: 'der', type })
  } catch {
    return null
  }
}

/** Where the content of a DER SEQUENCE starts, and where it ends if it is all there. */
function readFrame(der: Buffer): { start: number; end: number } | null {
  const [tag, length = 0] = der
  if (tag !== 0x30) return null
  if (length < 0x80) return { start: 2, end: 2 + length }
  const start = 2 + (length & 0x7f)
  // DER has no indefinite length, and no key needs more than three octets to say its own.
  if (start === 2 || start > 5 || start > der.length) return null
  return { start, end: start + der.readUIntBE(2, start - 2) }
}

/**
 * RFC 8017 §A.1.2, RFC 5958 §2: a private key starts with its version, 0 or 1, where a public one
 * has its algorithm or modulus. OpenSSL would read it as PKCS#1 and answer for its public half.
 */
function startsWithVersion(content: Buffer): boolean {
  return content[0] === INTEGER && content[1] === 1 && (content[2] ?? 2) <= 1
}

/** RFC 7468: a key as files have it, between BEGIN and END lines. */
function readArmour(text: string): ParsedPublicKey {
  if (/PRIVATEKEY/i.test(text)) return PRIVATE_KEY
  return noKey(
    'The p= tag holds the BEGIN and END lines of a key file.',
    'Remove these lines and keep only the base64 text between them.',
  )
}

function strangerInBase64(character: string): ParsedPublicKey {
  const isPrintable = character > ' ' && character <= '~'
  const shown = isPrintable ? `“${character}”` : 'an invisible or foreign character'
  return noKey(`The key has ${shown} in it, where base64 text cannot have it.`, AGAIN)
}

function cut(problem: string): ParsedPublicKey {
  const remedy =
    'Publish the whole key; a record longer than 255 characters is written as several strings of one TXT record, "…" "…".'
  return { kind: 'cut', fault: { problem, remedy } }
}

function noKey(problem: string, remedy: string): ParsedPublicKey {
  return { kind: 'no-key', fault: { problem, remedy } }
}
