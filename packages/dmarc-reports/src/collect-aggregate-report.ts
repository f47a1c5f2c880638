/** Adds up the records of one report by source, and recognizes copies of reports. */
import type { AggregateMetadata, AggregateRecord } from './aggregate-report.js'
import { isAuthenticated } from './ask-owner.js'
import { type ClassifiedRecord, classifyRecord } from './classify-record.js'
import { organizationOf } from './identify-service.js'
import { createDigest } from './node-formats.js'
import {
  addCounts,
  addRecord,
  createSource,
  mergeSource,
  type SourceKey,
  type SourceTotals,
} from './source-totals.js'

export type Sources = Map<string, SourceTotals>

export interface CollectedAggregateReport {
  readonly sources: Sources
  readonly messages: number
  readonly passing: number
  /** Equal for copies of a report, whatever the white space in them. */
  readonly digest: string
}

/** One report never has more sources than this; the smallest are added up. */
const MAX_SOURCES = 500

export function createRecordCollector() {
  const sources: Sources = new Map()
  const digest = createDigest()
  let messages = 0
  let passing = 0

  return {
    add(record: AggregateRecord): void {
      const classified = classifyRecord(record)
      addRecord(
        sourceFor(sources, { ...classified, at: placeOf(record, classified) }),
        record,
        classified,
      )
      foldSmallest(sources, MAX_SOURCES)
      messages = addCounts(messages, record.count)
      if (classified.passes) passing = addCounts(passing, record.count)
      digest.add(JSON.stringify(record))
    },

    finish: (): CollectedAggregateReport => ({
      sources,
      messages,
      passing,
      digest: digest.finish(),
    }),
  }
}

/** Anyone can make up names below the domain, so only those of the owner's mail are kept. */
function placeOf({ headerFrom }: AggregateRecord, { origin }: ClassifiedRecord): string {
  const organization = organizationOf(headerFrom)
  if (origin === 'yours' || headerFrom === organization) return headerFrom
  return `*.${organization}`
}

/** Of one source; the mail of further names is added up. */
const MAX_PLACES = 20

export function sourceFor(sources: Sources, { identity, origin, at }: SourceKey): SourceTotals {
  const { kind, serviceId, name, isSetUp } = identity
  const start = `${origin} ${kind} ${isSetUp} ${serviceId ?? name} @`
  const found = sources.get(start + at)
  if (found) return found
  const isFull = countKeys(sources, start) >= MAX_PLACES
  const place = isFull ? `*.${organizationOf(at)}` : at
  const source = sources.get(start + place) ?? createSource({ identity, origin, at: place })
  sources.set(start + place, source)
  return source
}

function countKeys(sources: Sources, start: string): number {
  let count = 0
  for (const key of sources.keys()) if (key.startsWith(start)) count += 1
  return count
}

const OTHERS = {
  kind: 'others',
  name: 'Other sources',
  serviceId: null,
  isSetUp: true,
} as const

/** The smallest sources are added up only above this share of the limit, so it happens rarely. */
const SLACK = 1.25

/**
 * Adds the smallest sources to the others of the same origin; every sum stays exact. What passes
 * nothing goes first: a crowd of forgers must not hide the service that sends once a month.
 */
export function foldSmallest(sources: Sources, limit: number): void {
  if (sources.size <= limit * SLACK) return
  const bySize = [...sources]
    .filter(([, { identity }]) => identity.kind !== 'others')
    .sort(
      ([, one], [, other]) =>
        Number(isAuthenticated(other)) - Number(isAuthenticated(one)) ||
        other.messages - one.messages,
    )
  for (const [key, source] of bySize.slice(limit)) {
    sources.delete(key)
    mergeSource(sourceFor(sources, { ...source, identity: OTHERS }), source)
  }
}

/** `larger`: another report with this identity has more messages, and replaces it in a second run. */
export type Registration = 'new' | 'copy' | 'larger' | 'smaller'

interface Known {
  readonly digest: string
  readonly messages: number
}

export type CopyRegistry = ReturnType<typeof createCopyRegistry>

/** `chosen`: the reports that a first run found to be the larger of several with one identity. */
export function createCopyRegistry(chosen: ReadonlyMap<string, string> = new Map()) {
  const known = new Map<string, Known>()
  const larger = new Map<string, string>(chosen)

  return {
    /** The digests of the reports to count, by identity. */
    larger: larger as ReadonlyMap<string, string>,

    register(
      metadata: AggregateMetadata,
      { digest, messages }: CollectedAggregateReport,
    ): Registration {
      const identity = identityOf(metadata)
      const choice = chosen.get(identity)
      if (choice !== undefined && choice !== digest) return 'smaller'
      const before = known.get(identity)
      if (before === undefined) {
        known.set(identity, { digest, messages })
        return 'new'
      }
      if (before.digest === digest) return 'copy'
      if (messages <= before.messages) return 'smaller'
      known.set(identity, { digest, messages })
      larger.set(identity, digest)
      return 'larger'
    },
  }
}

/** The report id alone is neither unique nor stable. */
function identityOf({ orgName, email, policy, reportId, begin, end }: AggregateMetadata): string {
  const reporter = (orgName || email) ?? ''
  const parts = [reporter.toLowerCase(), policy.domain, reportId, begin, end]
  const digest = createDigest()
  digest.add(JSON.stringify(parts))
  return digest.finish()
}
