/** The length of a TXT string is one octet (RFC 1035 §3.3). */
const MAX_OCTETS = 255

/** Splits a text into as few TXT strings as possible, never inside a character. */
export function splitCharacterStrings(text: string): string[] {
  const strings: string[] = []
  let string = ''
  let available = MAX_OCTETS
  for (const character of text) {
    const octets = Buffer.byteLength(character)
    if (octets > available) {
      strings.push(string)
      string = ''
      available = MAX_OCTETS
    }
    string += character
    available -= octets
  }
  return [...strings, string]
}
