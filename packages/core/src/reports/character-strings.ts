/** A string of a TXT record has one octet for its length (RFC 1035 §3.3). */
const MOST_OCTETS = 255

/** A text as the strings of a TXT record, as few as may be; no character is cut in two. */
export function splitCharacterStrings(text: string): string[] {
  const strings: string[] = []
  let string = ''
  let room = MOST_OCTETS
  for (const character of text) {
    const octets = Buffer.byteLength(character)
    if (octets > room) {
      strings.push(string)
      string = ''
      room = MOST_OCTETS
    }
    string += character
    room -= octets
  }
  return [...strings, string]
}
