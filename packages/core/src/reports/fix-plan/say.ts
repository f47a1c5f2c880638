/** What a plan says, before it is words: a key of `data/plan-words/` with its values. */
import { fillWords, type WordValues } from '../../catalog/fill-words.js'
import {
  PLAN_WORDS,
  type PlanWordKey,
  type PlanWordValues,
} from '../../catalog/generated/plan-words.js'
import { formatFullList } from '../../checks/format-list.js'

export interface Said {
  readonly key: PlanWordKey
  readonly values: WordValues
}

/** What must be true first. The same stream has the same condition wherever it is affected. */
export interface Condition extends Said {
  /** The id of the stream that it is about; null if it is about none. */
  readonly stream: string | null
}

/** Words of the catalog stay as they are. */
export type Sayable = string | Said

/** A value from DNS is passed in a list, which is made safe to display. */
export function say<Key extends PlanWordKey>(key: Key, values: PlanWordValues[Key]): Said {
  return { key, values }
}

export function sayIf<Key extends PlanWordKey>(
  stream: string | null,
  key: Key,
  values: PlanWordValues[Key],
): Condition {
  return { key, values, stream }
}

/** As a report shows it; null if it always applies. */
export function writeConditions(conditions: string | readonly Condition[] | null): string | null {
  return conditions === null ? null : writeSaid(conditions) || null
}

/** Sentences, each once. */
export function writeSaid(said: Sayable | readonly Sayable[]): string {
  if (typeof said === 'string') return said
  const all = 'key' in said ? [said] : said
  const sentences = all.map((each) =>
    typeof each === 'string' ? each : fillWords(PLAN_WORDS[each.key], each.values, formatFullList),
  )
  return [...new Set(sentences)].join(' ')
}
