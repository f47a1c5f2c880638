/** Texts of TXT records, octet by octet: their strings, and how zone files write them. */
import { toDisplayText } from '../checks/txt-records.js'

/** Octets that are not UTF-8 become halves of surrogate pairs, which no UTF-8 has, as in PEP 383. */
const FIRST_SURROGATE = 0xdc00

const LONE = /[\udc80-\udcff]/u
const LONE_RUN = /([\udc80-\udcff]+)/u

/**
 * A text that stands for exactly one sequence of octets. UTF-8 always has fewer characters than octets
 * where it is not ASCII.
 */
export function toExactText(octets: string): string {
  const text = toDisplayText(octets)
  return text === octets ? octets.replace(/[\x80-\xff]/g, toSurrogate) : text
}

function toSurrogate(octet: string): string {
  return String.fromCharCode(FIRST_SURROGATE + octet.charCodeAt(0))
}

/** The octets again. */
export function toOctets(text: string): Buffer {
  if (!hasOddOctets(text)) return Buffer.from(text)
  // Latin-1 takes the low octet of each half.
  const pieces = text.split(LONE_RUN)
  return Buffer.concat(
    pieces.map((piece, at) => Buffer.from(piece, at % 2 === 1 ? 'latin1' : 'utf8')),
  )
}

/** Whether it has octets that are not UTF-8. */
export function hasOddOctets(text: string): boolean {
  return LONE.test(text)
}

/** The text as shown elsewhere in reports. */
export function toShownText(exact: string): string {
  return hasOddOctets(exact) ? toOctets(exact).toString('latin1') : exact
}

/** The length of a TXT string is one octet (RFC 1035 §3.3). */
export const MAX_STRING_OCTETS = 255

/** A space further from the end is not used: base64 after a few tags fills the string instead. */
const MAX_WORD_OCTETS = 200

/**
 * Splits a text into TXT strings, after a space if a word would be cut, so no SPF term is divided.
 * Never splits inside a character.
 */
export function splitCharacterStrings(text: string): string[] {
  const strings: string[] = []
  let rest = text
  for (let end = endOfString(rest); end < rest.length; end = endOfString(rest)) {
    strings.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  return [...strings, rest]
}

/** Where the first string of a text ends. */
function endOfString(text: string): number {
  let octets = 0
  let end = 0
  let afterSpace: { readonly end: number; readonly octets: number } | null = null
  for (const character of text) {
    octets += toOctets(character).length
    if (octets > MAX_STRING_OCTETS) {
      const nearest = MAX_STRING_OCTETS - MAX_WORD_OCTETS
      return afterSpace && afterSpace.octets > nearest ? afterSpace.end : end
    }
    end += character.length
    if (character === ' ') afterSpace = { end, octets }
  }
  return end
}

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
