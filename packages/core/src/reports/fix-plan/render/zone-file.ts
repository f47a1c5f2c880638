/** Formats the changed records as a zone file fragment (RFC 1035 §5). */
import { splitCharacterStrings } from '../../character-strings.js'
import { isChange, type PanelRecord, removedValues } from './panel-record.js'

export function formatZoneFile(records: readonly PanelRecord[]): string {
  const lines = records.filter(isChange).flatMap(formatRecord)
  return `${(lines.length > 0 ? lines : ['; Nothing has to change.']).join('\n')}\n`
}

function formatRecord(record: PanelRecord): string[] {
  const note = (text: string) => formatComment(';', text)
  const removed = removedValues(record).map((value) => note(`Delete: ${formatLine(record, value)}`))
  const line = formatLine(record, record.value)
  if (record.isInOtherZone) {
    const heading = note('In the zone of another operator:')
    return [heading, ...removed, ...(record.action === 'delete' ? [] : [note(`Publish: ${line}`)])]
  }
  if (record.action === 'delete') return removed
  if (record.placeholders.length === 0) return [...removed, line]
  return [...placeholderNotes(record).map(note), ...removed, note(`Publish: ${line}`)]
}

function formatLine({ name, ttl, type }: PanelRecord, value: string): string {
  return `${formatAbsoluteName(name)} ${ttl} IN ${type} ${formatData(type, value)}`
}

function formatData(type: PanelRecord['type'], value: string): string {
  if (type === 'TXT') return quoteStrings(splitCharacterStrings(value))
  if (type === 'CNAME') return formatAbsoluteName(value)
  const { preference, exchange } = parseMxValue(value)
  return `${preference} ${formatAbsoluteName(exchange)}`
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

/** With its final dot. Keeps escapes in the name and escapes every other special character. */
function formatAbsoluteName(name: string): string {
  const pieces = name.match(/\\(?:[01]\d\d|2[0-4]\d|25[0-5])|\\[!-/:-~]|./gsu) ?? []
  const escaped = pieces.map((piece) =>
    /^\\.|^[\w.*+=/:{}-]$/s.test(piece) ? piece : escapeOctets(piece, 10),
  )
  return pieces.at(-1) === '.' ? escaped.join('') : `${escaped.join('')}.`
}

function escapeOctets(text: string, base: 8 | 10): string {
  const octets = [...Buffer.from(text)]
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

/** Always one line: a line break would end the comment. */
export function formatComment(mark: ';' | '#', text: string): string {
  return `${mark} ${text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')}`
}

export function placeholderNotes({ placeholders }: PanelRecord): string[] {
  return placeholders.map(({ token, whereToFind }) => `Replace ${token}: ${whereToFind}`)
}
