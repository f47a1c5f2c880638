/** EIP-55: the case of an address's letters is a checksum. A typo in it sends money to nobody. */
import { keccak_256 } from '@noble/hashes/sha3'

/** All in one case, it has no checksum, and may be right. */
export function hasValidOrNoChecksum(address: string): boolean {
  const digits = address.slice(2)
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  return isOneCase || isChecksumAddress(address)
}

export function isChecksumAddress(address: string): boolean {
  const digits = address.slice(2)
  const hash = Buffer.from(keccak_256(Buffer.from(digits.toLowerCase()))).toString('hex')
  return [...digits].every((digit, index) => {
    const isUpper = Number.parseInt(hash.charAt(index), 16) >= 8
    return digit === (isUpper ? digit.toUpperCase() : digit.toLowerCase())
  })
}
