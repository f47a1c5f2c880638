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
