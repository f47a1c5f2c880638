/** What a key is worth, be it well written or not. */
import type { KeyRecord } from './key-record.js'

/** RFC 8301 §3.2: with fewer bits receivers must not take a signature; signers should have these. */
export const MIN_RSA_BITS = 1_024
export const RECOMMENDED_RSA_BITS = 2_048

export function isRsaShorterThan(bits: number, { keyType, keySize }: KeyRecord): boolean {
  return keyType === 'rsa' && keySize !== null && keySize < bits
}

/** RFC 8301 §3.1: receivers do not take this hash any more. */
export function allowsOnlySha1({ hashAlgorithms }: KeyRecord): boolean {
  return hashAlgorithms !== null && !hashAlgorithms.includes('sha256')
}
