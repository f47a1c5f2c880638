/** The messages of one source. */
import type { ClassifiedRecord, Origin, SourceIdentity } from './classify-record.js'
import type { ReportRecord } from './report-record.js'
import { addCounts, addToTally, createTally, mergeTally, type Tally } from './tally.js'

export interface SourceTotals {
  readonly identity: SourceIdentity
  readonly origin: Origin
  messages: number
  passing: number
  spfRaw: number
  spfAligned: number
  dkimRaw: number
  dkimAligned: number
  /** Seconds since 1970; Infinity and -Infinity before the report is known. */
  firstSeen: number
  lastSeen: number
  /** The first report with a message that does not pass. */
  firstFailing: number
  readonly dispositions: Tally
  readonly reasons: Tally
  readonly comments: Tally
  /** `domain selector` of passed signatures. */
  readonly signatures: Tally
  /** Domains with a raw SPF pass. */
  readonly spfDomains: Tally
  readonly headerFrom: Tally
  readonly addresses: Tally
  readonly reporters: Tally
}

const NUMBERS = ['messages', 'passing', 'spfRaw', 'spfAligned', 'dkimRaw', 'dkimAligned'] as const

const TALLIES = [
  'dispositions',
  'reasons',
  'comments',
  'signatures',
  'spfDomains',
  'headerFrom',
  'addresses',
  'reporters',
] as const

/** What a person can take in; the rest is counted as others. */
const MAX_NAMES = 20

export function createSource(identity: SourceIdentity, origin: Origin): SourceTotals {
  return {
    identity,
    origin,
    messages: 0,
    passing: 0,
    spfRaw: 0,
    spfAligned: 0,
    dkimRaw: 0,
    dkimAligned: 0,
    firstSeen: Number.POSITIVE_INFINITY,
    lastSeen: Number.NEGATIVE_INFINITY,
    firstFailing: Number.POSITIVE_INFINITY,
    dispositions: createTally(MAX_NAMES),
    reasons: createTally(MAX_NAMES),
    comments: createTally(MAX_NAMES),
    signatures: createTally(MAX_NAMES),
    spfDomains: createTally(MAX_NAMES),
    headerFrom: createTally(MAX_NAMES),
    addresses: createTally(MAX_NAMES),
    reporters: createTally(MAX_NAMES),
  }
}

export function addRecord(
  source: SourceTotals,
  record: ReportRecord,
  { passes, passed }: ClassifiedRecord,
): void {
  const { count } = record
  const dkimDomains = passed.ownDkim.length + passed.foreignDkim.length
  const spfDomains = record.spfResults.filter(({ result }) => result === 'pass')
  const add = (field: (typeof NUMBERS)[number], isCounted: boolean) => {
    if (isCounted) source[field] = addCounts(source[field], count)
  }
  add('messages', true)
  add('passing', passes)
  add('spfRaw', spfDomains.length > 0)
  add('spfAligned', record.spf === 'pass')
  add('dkimRaw', dkimDomains > 0)
  add('dkimAligned', record.dkim === 'pass')
  // The time is known at the end of the report, see `mergeSource`.
  if (!passes && count > 0) source.firstFailing = 0
  addToTally(source.dispositions, record.disposition ?? 'not given', count)
  addToTally(source.headerFrom, record.headerFrom, count)
  addToTally(source.addresses, record.sourceIp, count)
  for (const { type, comment } of record.reasons) {
    addToTally(source.reasons, type, count)
    if (comment !== null) addToTally(source.comments, comment, count)
  }
  for (const { domain, selector, result } of record.dkimResults) {
    if (result === 'pass' && domain !== null) {
      addToTally(source.signatures, `${domain} ${selector ?? ''}`, count)
    }
  }
  for (const { domain } of spfDomains) {
    if (domain !== null) addToTally(source.spfDomains, domain, count)
  }
}

export interface Sighting {
  readonly begin: number
  readonly end: number
  readonly reporter: string
}

/** Adds the totals of one report, or of a source that is folded into others. */
export function mergeSource(into: SourceTotals, from: SourceTotals, sighting?: Sighting): void {
  for (const field of NUMBERS) into[field] = addCounts(into[field], from[field])
  for (const field of TALLIES) mergeTally(into[field], from[field])
  const hasFailing = from.firstFailing !== Number.POSITIVE_INFINITY
  const failing = hasFailing ? (sighting?.begin ?? from.firstFailing) : Number.POSITIVE_INFINITY
  into.firstSeen = Math.min(into.firstSeen, sighting?.begin ?? from.firstSeen)
  into.lastSeen = Math.max(into.lastSeen, sighting?.end ?? from.lastSeen)
  into.firstFailing = Math.min(into.firstFailing, failing)
  if (sighting) addToTally(into.reporters, sighting.reporter, from.messages)
}
