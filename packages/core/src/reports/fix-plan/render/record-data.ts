/** Values as zone files write them (RFC 1035 §5.1). */

import { toOctets } from '../../exact-text.js'

/** `"one" "two"`, always on one line. */
export function quoteStrings(strings: readonly string[]): string {
  return strings.map((string) => `"${escapeCharacterString(string)}"`).join(' ')
}

/** The text between the quotes (RFC 1035 §5.1). Octets are escaped in decimal or octal. */
export function escapeCharacterString(text: string, base: 8 | 10 = 10): string {
  return text.replace(/["\\]|[^ -~]+/gu, (piece) =>
    /^["\\]$/.test(piece) ? `\\${piece}` : escapeOctets(piece, base),
  )
}

export function escapeOctets(text: string, base: 8 | 10): string {
  const octets = [...toOctets(text)]
  return octets.map((octet) => `\\${octet.toString(base).padStart(3, '0')}`).join('')
}

interface MxValue {
  readonly preference: number
  readonly exchange: string
}

/** Splits `10 mx.example.com`; a missing preference counts as 0. */
export function parseMxValue(value: string): MxValue {
  const [, preference = '0', exchange = ''] = /^\s*(?:(\d+)\s+)?(.*?)\s*$/s.exec(value) ?? []
  return { preference: Number(preference), exchange }
}
