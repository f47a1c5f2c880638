/** TXT records: octets for parsing, text for display. */
import type { CharacterStrings, DnsAnswer } from '@mailgrade/doh/dns'

/** Nearly three times what a 16384-bit key needs, and sixteen times a record that fits in UDP. */
export const MAX_TXT_OCTETS = 8_192

/**
 * The strings of a record, joined without a separator (RFC 7208 §3.3, RFC 6376 §3.6.2.2). One octet
 * more than the limit shows that a record is too long; each kind of record says so in a finding.
 */
export function joinStrings(strings: CharacterStrings): string {
  const text = strings.length === 1 ? (strings[0] ?? '') : limitStrings(strings).join('')
  return text.length > MAX_TXT_OCTETS ? text.slice(0, MAX_TXT_OCTETS + 1) : text
}

/** The strings that hold the first octets of a record. */
export function limitStrings(strings: CharacterStrings): CharacterStrings {
  let octets = 0
  const end = strings.findIndex((string) => {
    octets += string.length
    return octets > MAX_TXT_OCTETS
  })
  return end === -1 ? strings : strings.slice(0, end + 1)
}

/** Every TXT record of an answer, joined. */
export function readTxtRecords(answer: Exclude<DnsAnswer<'TXT'>, { kind: 'failed' }>): string[] {
  return answer.kind === 'records' ? answer.records.map(joinStrings) : []
}

/** Of records where one is correct and two cancel each other out. */
const MAX_SELECTED = 10

/** A few records, however many there are. Servers rotate their order, which must not matter. */
export function selectRecords<Item>(
  records: readonly Item[],
  textOf: (record: Item) => string,
): readonly Item[] {
  if (records.length <= MAX_SELECTED) return records
  return records
    .map((record) => ({ record, text: textOf(record) }))
    .sort((one, other) => (one.text < other.text ? -1 : 1))
    .slice(0, MAX_SELECTED)
    .map(({ record }) => record)
}

/** Keeps a byte order mark, because it breaks a record without being visible. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Octets as text: UTF-8 if valid, otherwise one character per octet. */
export function toDisplayText(octets: string): string {
  if (!/[\x80-\xff]/.test(octets)) return octets
  try {
    return UTF_8.decode(Buffer.from(octets, 'latin1'))
  } catch {
    return octets
  }
}

/** Full-width forms of ASCII characters are this far from them (Unicode, Halfwidth and Fullwidth Forms). */
const FULL_WIDTH_OFFSET = 0xfee0

/** Replaces look-alikes from word processors and web pages with ASCII, and removes their quotes. */
export function toPlainAscii(octets: string): string {
  return toDisplayText(octets)
    .replace(/[\u200b-\u200d\u2060\ufeff\u00ad]/g, '')
    .replace(/\s/g, ' ')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u2018-\u201f\u2032\u2033\u00ab\u00bb]/g, '')
    .replace(/[\uff01-\uff5e]/g, (wide) =>
      String.fromCharCode(wide.charCodeAt(0) - FULL_WIDTH_OFFSET),
    )
}

/** Removes trailing characters of a kind; one pattern for all of them would backtrack. */
export function trimTrailing(text: string, kind: RegExp): string {
  let end = text.length
  while (end > 0 && kind.test(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
