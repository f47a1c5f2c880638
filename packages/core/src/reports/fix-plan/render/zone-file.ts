/** The records to create or replace as a fragment of a zone file (RFC 1035 §5). */
import { splitCharacterStrings } from '../../character-strings.js'
import { isChange, type PanelRecord, removedValues } from './panel-record.js'

export function formatZoneFile(records: readonly PanelRecord[]): string {
  const lines = records.filter(isChange).flatMap(linesOf)
  return `${(lines.length > 0 ? lines : ['; Nothing has to change.']).join('\n')}\n`
}

function linesOf(record: PanelRecord): string[] {
  const note = (text: string) => formatComment(';', text)
  const gone = removedValues(record).map((value) => note(`Delete: ${lineOf(record, value)}`))
  const line = lineOf(record, record.value)
  if (record.isInOtherZone) {
    const theirs = note('In the zone of somebody else:')
    return [theirs, ...gone, ...(record.action === 'delete' ? [] : [note(`Publish: ${line}`)])]
  }
  if (record.action === 'delete') return gone
  if (record.placeholders.length === 0) return [...gone, line]
  return [...placeholderNotes(record).map(note), ...gone, note(`Publish: ${line}`)]
}

function lineOf({ name, ttl, type }: PanelRecord, value: string): string {
  return `${formatAbsoluteName(name)} ${ttl} IN ${type} ${dataOf(type, value)}`
}

function dataOf(type: PanelRecord['type'], value: string): string {
  if (type === 'TXT') return quoteStrings(splitCharacterStrings(value))
  if (type === 'CNAME') return formatAbsoluteName(value)
  const { preference, exchange } = parseMxValue(value)
  return `${preference} ${formatAbsoluteName(exchange)}`
}

/** `"one" "two"`: never more than one line, whatever is inside. */
export function quoteStrings(strings: readonly string[]): string {
  return strings.map((string) => `"${escapeCharacterString(string)}"`).join(' ')
}

/** What stands between quotes. Octets are escaped in decimals, but for hosts that want another base. */
export function escapeCharacterString(text: string, base: 8 | 10 = 10): string {
  return text.replace(/["\\]|[^ -~]+/gu, (piece) =>
    /^["\\]$/.test(piece) ? `\\${piece}` : escapedOctets(piece, base),
  )
}

/**
 * With its final dot. Escapes that the name came with are kept; whatever else could be more than a
 * part of the name is escaped.
 */
export function formatAbsoluteName(name: string): string {
  const pieces = name.match(/\\(?:[01]\d\d|2[0-4]\d|25[0-5])|\\[!-/:-~]|./gsu) ?? []
  const escaped = pieces.map((piece) =>
    /^\\.|^[\w.*+=/:{}-]$/s.test(piece) ? piece : escapedOctets(piece, 10),
  )
  return pieces.at(-1) === '.' ? escaped.join('') : `${escaped.join('')}.`
}

function escapedOctets(text: string, base: 8 | 10): string {
  const octets = [...Buffer.from(text)]
  return octets.map((octet) => `\\${octet.toString(base).padStart(3, '0')}`).join('')
}

/** `10 mx.example.com` in its two parts, which most panels ask for in fields of their own. */
export interface MxValue {
  readonly preference: number
  readonly exchange: string
}

/** Without a preference the server is the most preferred. */
export function parseMxValue(value: string): MxValue {
  const [, preference = '0', exchange = ''] = /^\s*(?:(\d+)\s+)?(.*?)\s*$/s.exec(value) ?? []
  return { preference: Number(preference), exchange }
}

/** One line, whatever it says: what would begin another one would no longer be a remark. */
export function formatComment(mark: ';' | '#', text: string): string {
  return `${mark} ${text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')}`
}

export function placeholderNotes({ placeholders }: PanelRecord): string[] {
  return placeholders.map(({ token, whereToFind }) => `In place of ${token}: ${whereToFind}`)
}
