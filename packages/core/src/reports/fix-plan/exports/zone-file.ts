/** The records to create or replace as a fragment of a zone file (RFC 1035 §5). */
import { characterStrings } from '../../character-strings.js'
import { mxValue } from '../mx-value.js'
import { absoluteName, quotedStrings } from '../presentation.js'
import { goneWith } from '../record-set.js'
import { isChange, type WrittenRecord } from '../written-record.js'
import { comment, whatIsMissing } from './comment.js'

export function zoneFile(records: readonly WrittenRecord[]): string {
  const lines = records.filter(isChange).flatMap(linesOf)
  return `${(lines.length > 0 ? lines : ['; Nothing has to change.']).join('\n')}\n`
}

function linesOf(record: WrittenRecord): string[] {
  const note = (text: string) => comment(';', text)
  const gone = goneWith(record).map((value) => note(`Delete: ${lineOf(record, value)}`))
  const line = lineOf(record, record.value)
  if (record.isElsewhere) {
    const theirs = note('In the zone of somebody else:')
    return [theirs, ...gone, ...(record.action === 'delete' ? [] : [note(`Publish: ${line}`)])]
  }
  if (record.action === 'delete') return gone
  if (record.placeholders.length === 0) return [...gone, line]
  return [...whatIsMissing(record).map(note), ...gone, note(`Publish: ${line}`)]
}

function lineOf({ name, ttl, type }: WrittenRecord, value: string): string {
  return `${absoluteName(name)} ${ttl} IN ${type} ${dataOf(type, value)}`
}

function dataOf(type: WrittenRecord['type'], value: string): string {
  if (type === 'TXT') return quotedStrings(characterStrings(value))
  if (type === 'CNAME') return absoluteName(value)
  const { preference, exchange } = mxValue(value)
  return `${preference} ${absoluteName(exchange)}`
}
