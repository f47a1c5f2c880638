/** The SPF record of a name, or why there is none to go by (RFC 7208 §4.5). */
import type { SpfAnswers } from './spf-answers.js'
import type { SpfRecord } from './spf-record.js'
import type { TermTarget } from './term-target.js'

export type SpfRecordResult =
  | { readonly state: 'record'; readonly name: string; readonly record: SpfRecord }
  | { readonly state: 'several'; readonly name: string; readonly records: readonly SpfRecord[] }
  | { readonly state: 'none' | 'malformed' | 'unasked'; readonly name: string }
  | { readonly state: 'dynamic'; readonly name: null }

export function findSpfRecord(answers: SpfAnswers, target: TermTarget): SpfRecordResult {
  if (target.kind === 'dynamic') return { state: 'dynamic', name: null }
  const { name } = target
  if (target.kind === 'malformed') return { state: 'malformed', name }
  const records = answers.spfRecordsAt(name)
  if (!records) return { state: 'unasked', name }
  const [record] = records
  if (!record) return { state: 'none', name }
  return records.length === 1
    ? { state: 'record', name, record }
    : { state: 'several', name, records }
}
