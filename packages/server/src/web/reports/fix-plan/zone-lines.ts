/** The lines of the plan's zone file that belong to a group of records. */
import { hasCodePointMarks, type PlanRecord } from '@mailgrade/core'

/**
 * All records of a group with their conditions, to paste into a zone. Null if one of them cannot be
 * pasted: it has a value to fill in, is in a zone of another operator, or has invisible characters.
 */
export function groupZoneLines(records: readonly PlanRecord[], zoneFile: string): string | null {
  const lines = zoneFile.split('\n')
  const blocks = records
    .filter(({ action }) => action === 'create' || action === 'replace')
    .map((record) => recordBlock(record, lines))
  const text = blocks.map((block) => `${block?.join('\n')}\n`).join('')
  const isWhole = blocks.length > 0 && blocks.every((block) => block !== null)
  return isWhole && !hasCodePointMarks(text) ? text : null
}

/** In the zone file, the conditions of a record and what it replaces are right above it. */
function recordBlock(record: PlanRecord, lines: readonly string[]): readonly string[] | null {
  const { name, ttl, type, value, optional, onlyIf, replaces } = record
  const start = `${name}. ${ttl} IN ${type} `
  const candidates = lines.flatMap((line, index) => (line.startsWith(start) ? [index] : []))
  // Only MX records can be several of one name and type; a TXT record is the one of its purpose.
  const at = candidates.find((index) => isDataOf(lines[index]?.slice(start.length) ?? '', value))
  // What cannot be pasted is only a comment in the zone file.
  if (at === undefined) return null
  const notes = (optional ? 1 : 0) + (onlyIf === null ? 0 : 1) + replaces.length
  return lines.slice(at - notes, at + 1)
}

/** Compares without the quotes, escapes and final dots of a zone file. */
function isDataOf(data: string, value: string): boolean {
  const plain = (text: string) => text.replace(/" "|[\s"\\]|\.(?="?\s*$)/g, '')
  return plain(data) === plain(value)
}
