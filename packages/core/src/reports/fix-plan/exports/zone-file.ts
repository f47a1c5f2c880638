/** The records to create or replace as a fragment of a zone file (RFC 1035 §5). */
import { splitCharacterStrings } from '../../character-strings.js'
import { parseMxValue } from '../mx-value.js'
import { isChange, type PanelRecord } from '../panel-record.js'
import { formatAbsoluteName, quoteStrings } from '../presentation-format.js'
import { removedValues } from '../record-set.js'
import { formatComment, placeholderNotes } from './format-comment.js'

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
