/** Formats the changed records as a zone file fragment (RFC 1035 §5). */
import {
  escapeOctets,
  parseMxValue,
  quoteStrings,
  splitCharacterStrings,
} from '../../record-data.js'
import { toVisibleText } from '../../visible-text.js'
import { isChange, type PanelRecord, removedValues } from './panel-record.js'

export function formatZoneFile(records: readonly PanelRecord[]): string {
  const lines = records.filter(isChange).flatMap(formatRecord)
  return `${(lines.length > 0 ? lines : ['; Nothing to change.']).join('\n')}\n`
}

function formatRecord(record: PanelRecord): string[] {
  const { action, placeholders, isInOtherZone, value } = record
  const line = formatLine(record, value)
  const isWritten = !isInOtherZone && placeholders.length === 0
  const notes = [
    ...(isInOtherZone ? ['In someone else’s zone:'] : []),
    ...conditionNotes(record),
    ...(isInOtherZone ? [] : placeholderNotes(record)),
    ...removedValues(record).map((old) => `Delete: ${formatLine(record, old)}`),
    ...(action === 'delete' || isWritten ? [] : [`Publish: ${line}`]),
  ].map((note) => formatComment(';', note))
  return action !== 'delete' && isWritten ? [...notes, line] : notes
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

/** With its final dot. Keeps escapes in the name and escapes every other special character. */
function formatAbsoluteName(name: string): string {
  const pieces = name.match(/\\(?:[01]\d\d|2[0-4]\d|25[0-5])|\\[!-/:-~]|./gsu) ?? []
  const escaped = pieces.map((piece) =>
    /^\\.|^[\w.*+=/:{}-]$/s.test(piece) ? piece : escapeOctets(piece, 10),
  )
  return pieces.at(-1) === '.' ? escaped.join('') : `${escaped.join('')}.`
}

/** Always one line: a line break would end the comment. */
export function formatComment(mark: ';' | '#', text: string): string {
  return `${mark} ${toVisibleText(text).replace(/[\n\t]+/g, ' ')}`
}

/** What must be true first, and whether the record is needed at all. */
export function conditionNotes({ onlyIf, isOptional }: PanelRecord): string[] {
  return [...(isOptional ? ['Optional.'] : []), ...(onlyIf === null ? [] : [`Only if: ${onlyIf}`])]
}

export function placeholderNotes({ placeholders }: PanelRecord): string[] {
  return placeholders.map(({ token, whereToFind }) => `Fill in ${token}: ${whereToFind}`)
}
