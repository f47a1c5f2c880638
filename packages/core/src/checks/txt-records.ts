/** TXT records: octets to judge by, text to show. */
import type { CharacterStrings, DnsAnswer } from '@mailgrade/doh/dns'

/** One record's strings, joined without anything between them (RFC 7208 §3.3, RFC 6376 §3.6.2.2). */
export function joinStrings(strings: CharacterStrings): string {
  return strings.join('')
}

/** Every TXT record of an answer, joined; none when there is none. */
export function readTxtRecords(answer: Exclude<DnsAnswer<'TXT'>, { kind: 'failed' }>): string[] {
  return answer.kind === 'records' ? answer.records.map(joinStrings) : []
}

/** A byte order mark is kept: it is one of the things that break a record unseen. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Octets as people read them: UTF-8 where they are UTF-8, one character an octet otherwise. */
export function toDisplayText(octets: string): string {
  if (!/[\x80-\xff]/.test(octets)) return octets
  try {
    return UTF_8.decode(Buffer.from(octets, 'latin1'))
  } catch {
    return octets
  }
}
