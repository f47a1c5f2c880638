/** All records of one name and type, which many DNS hosts keep as one thing. */
import type { PanelRecord } from './panel-record.js'

export function recordsInSet<Record extends PanelRecord>(
  record: PanelRecord,
  records: readonly Record[],
): Record[] {
  const key = keyOf(record)
  return records.filter((other) => keyOf(other) === key)
}

function keyOf({ name, type }: PanelRecord): string {
  return `${type} ${name.toLowerCase()}`
}

/** The values of a set once the first of the plan's records have been dealt with. */
export function valuesAfterStep(set: readonly PanelRecord[], order: number): string[] {
  const today = set.flatMap((record) => [...record.otherValues, ...valuesToday(record)])
  const values = new Set(today)
  for (const record of set) {
    if (record.order > order) continue
    for (const value of removedValues(record)) values.delete(value)
    if (record.action !== 'delete') values.add(record.value)
  }
  return [...values]
}

function valuesToday({ action, value, replaces }: PanelRecord): readonly string[] {
  return action === 'keep' || action === 'delete' ? [value] : replaces
}

/** What leaves the set with a record's step. */
export function removedValues({ action, value, replaces }: PanelRecord): readonly string[] {
  return action === 'delete' ? [value] : replaces
}
