/** TXT records: octets for parsing, text for display. */
import type { CharacterStrings, DnsAnswer } from '@mailgrade/doh/dns'

/** The strings of a record, joined without a separator (RFC 7208 §3.3, RFC 6376 §3.6.2.2). */
export function joinStrings(strings: CharacterStrings): string {
  return strings.join('')
}

/** Every TXT record of an answer, joined. */
export function readTxtRecords(answer: Exclude<DnsAnswer<'TXT'>, { kind: 'failed' }>): string[] {
  return answer.kind === 'records' ? answer.records.map(joinStrings) : []
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
