import { toOctets } from './exact-text.js'

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
