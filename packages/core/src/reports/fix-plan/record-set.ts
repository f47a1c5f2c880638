/** All records of one name and type, which many DNS hosts keep as one thing. */
import type { WrittenRecord } from './written-record.js'

export function setOf<Record extends WrittenRecord>(
  record: WrittenRecord,
  records: readonly Record[],
): Record[] {
  const key = keyOf(record)
  return records.filter((other) => keyOf(other) === key)
}

function keyOf({ name, type }: WrittenRecord): string {
  return `${type} ${name.toLowerCase()}`
}

/** The values of a set once the first of the plan's records have been dealt with. */
export function valuesAfter(set: readonly WrittenRecord[], order: number): string[] {
  const today = set.flatMap((record) => [...record.beside, ...valuesToday(record)])
  const values = new Set(today)
  for (const record of set) {
    if (record.order > order) continue
    for (const value of goneWith(record)) values.delete(value)
    if (record.action !== 'delete') values.add(record.value)
  }
  return [...values]
}

function valuesToday({ action, value, replaces }: WrittenRecord): readonly string[] {
  return action === 'keep' || action === 'delete' ? [value] : replaces
}

/** What leaves the set with a record's step. */
export function goneWith({ action, value, replaces }: WrittenRecord): readonly string[] {
  return action === 'delete' ? [value] : replaces
}
