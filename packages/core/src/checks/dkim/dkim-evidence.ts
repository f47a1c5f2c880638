/** Key records as evidence, and in words what is left out of it. */
import { type Finding, txtEvidence } from '../finding.js'
import { formatList } from '../format-list.js'
import type { DkimKey } from './dkim-facts.js'

export function keyRecordEvidence({ name, record }: DkimKey): Finding['evidence'][number] {
  return txtEvidence(name, record)
}

/** All that was kept of a name's TXT records. */
export function dkimTxtEvidence({ name, txtRecords }: DkimKey): Finding['evidence'] {
  return txtRecords.map((text) => txtEvidence(name, text))
}

/** A sentence to follow others, or nothing when every record is shown. */
export function omittedRecordsNote(keys: readonly DkimKey[]): string {
  const byName = new Map(keys.map((key) => [key.name, key.txtRecordCount - key.txtRecords.length]))
  const cut = [...byName].filter(([, more]) => more > 0)
  const total = cut.reduce((sum, [, more]) => sum + more, 0)
  if (total === 0) return ''
  const names = formatList(cut.map(([name]) => name))
  return total === 1
    ? ` 1 more record at ${names} is not shown.`
    : ` ${total} more records at ${names} are not shown.`
}
