/** Adds up the records of one report by source. */
import { createHash } from 'node:crypto'
import { classifyRecord, type Origin } from './classify-record.js'
import type { ReportRecord } from './report-record.js'
import { addRecord, createSource, mergeSource, type SourceTotals } from './source-totals.js'
import { addCounts } from './tally.js'

export type Sources = Map<string, SourceTotals>

export interface CollectedReport {
  readonly sources: Sources
  readonly messages: number
  readonly passing: number
  /** Equal for copies of a report, whatever the white space in them. */
  readonly digest: string
}

/** One report never has more sources than this; the smallest are added up. */
const MAX_SOURCES = 500

export function createReportCollector() {
  const sources: Sources = new Map()
  const hash = createHash('sha256')
  let messages = 0
  let passing = 0

  return {
    add(record: ReportRecord): void {
      const classified = classifyRecord(record)
      addRecord(sourceFor(sources, classified.identity, classified.origin), record, classified)
      foldSmallest(sources, MAX_SOURCES)
      messages = addCounts(messages, record.count)
      if (classified.passes) passing = addCounts(passing, record.count)
      hash.update(JSON.stringify(record))
    },

    finish: (): CollectedReport => ({ sources, messages, passing, digest: hash.digest('base64') }),
  }
}

export function sourceFor(
  sources: Sources,
  identity: SourceTotals['identity'],
  origin: Origin,
): SourceTotals {
  const { kind, serviceId, name, isSetUp } = identity
  const key = `${origin} ${kind} ${isSetUp} ${serviceId ?? name}`
  const found = sources.get(key)
  if (found) return found
  const source = createSource(identity, origin)
  sources.set(key, source)
  return source
}

const OTHERS = {
  kind: 'others',
  name: 'Other sources',
  serviceId: null,
  isSetUp: true,
} as const

/** The smallest sources are added up only above this share of the limit, so it happens rarely. */
const SLACK = 1.25

/** Adds the smallest sources to the others of the same origin; every sum stays exact. */
export function foldSmallest(sources: Sources, limit: number): void {
  if (sources.size <= limit * SLACK) return
  const bySize = [...sources]
    .filter(([, { identity }]) => identity.kind !== 'others')
    .sort(([, one], [, other]) => other.messages - one.messages)
  for (const [key, source] of bySize.slice(limit)) {
    sources.delete(key)
    const identity = OTHERS
    mergeSource(sourceFor(sources, identity, source.origin), source)
  }
}
