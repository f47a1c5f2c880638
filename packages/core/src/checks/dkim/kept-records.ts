/** Which TXT records under a selector are read and shown: a handful, whatever the zone holds. */
import { toDisplayText } from '../txt-records.js'
import { type KeyRecord, parseKeyRecord } from './key-record.js'

/** One is right, two are met with, and more than these help nobody. */
const MOST_KEPT = 4

export interface SelectedKeyRecords {
  readonly keys: readonly KeyRecord[]
  /** Keys first, then what else there is. */
  readonly texts: readonly string[]
}

export function selectKeyRecords(texts: readonly string[]): SelectedKeyRecords {
  // Servers turn the order of records; a choice among them must not turn with it.
  const inOrder = texts.length > MOST_KEPT ? texts.toSorted(longestFirst) : texts
  const keys: KeyRecord[] = []
  const others: string[] = []
  for (const text of inOrder) {
    if (keys.length === MOST_KEPT) break
    const key = parseKeyRecord(text)
    if (key) keys.push(key)
    else if (others.length < MOST_KEPT) others.push(text)
  }
  const records = keys.map(({ record }) => record)
  return { keys, texts: [...records, ...others.map(toDisplayText)].slice(0, MOST_KEPT) }
}

/** A key is longer than its revocation, which says less of the selector. */
function longestFirst(one: string, other: string): number {
  return other.length - one.length || (one < other ? -1 : 1)
}
