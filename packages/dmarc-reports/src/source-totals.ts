/** The messages of one source. */
import type { AggregateRecord, DkimResult } from './aggregate-report.js'
import type { ClassifiedRecord, Origin, SourceIdentity } from './classify-record.js'

const SUMS = ['messages', 'passing', 'spfRaw', 'spfAligned', 'dkimRaw', 'dkimAligned'] as const

/** Messages by name. Signatures are named `domain selector`. */
const TALLIES = [
  'dispositions',
  'reasons',
  'comments',
  // Passed signatures, and domains with a raw SPF pass.
  'signatures',
  'spfDomains',
  // The owner's signatures that do not pass.
  'failedSignatures',
  'headerFrom',
  'envelopeFrom',
  // Of messages that fail DMARC: From, and domains of the owner in MAIL FROM.
  'failingFrom',
  'failingMailFrom',
  'addresses',
  'reporters',
] as const

type Sum = (typeof SUMS)[number]

export interface SourceTotals
  extends Record<Sum, number>,
    Readonly<Record<(typeof TALLIES)[number], Tally>> {
  readonly identity: SourceIdentity
  readonly origin: Origin
  /** The domain in From, or `*.` and the domain for many or unknown names below it. */
  readonly at: string
  /** What the owner says about an unknown source. */
  readonly answer: 'mine' | 'not-mine' | null
  readonly recent: RecentDays
  readonly months: SeenMonths
  /** Seconds since 1970; Infinity and -Infinity before the report is known. */
  firstSeen: number
  lastSeen: number
  /** The first report with a message that does not pass. */
  firstFailing: number
}

export type SourceKey = Pick<SourceTotals, 'identity' | 'origin' | 'at'>

/** What a person can take in; the rest is counted as others. */
const MAX_NAMES = 20

export function createSource({ identity, origin, at }: SourceKey): SourceTotals {
  return {
    identity,
    origin,
    at,
    answer: null,
    ...fromNames(SUMS, () => 0),
    ...fromNames(TALLIES, (): Tally => ({ counts: new Map(), others: 0, limit: MAX_NAMES })),
    recent: new Map(),
    months: new Map(),
    firstSeen: Number.POSITIVE_INFINITY,
    lastSeen: Number.NEGATIVE_INFINITY,
    firstFailing: Number.POSITIVE_INFINITY,
  }
}

function fromNames<Name extends string, Value>(names: readonly Name[], create: () => Value) {
  return Object.fromEntries(names.map((name) => [name, create()])) as Record<Name, Value>
}

export function addRecord(
  source: SourceTotals,
  record: AggregateRecord,
  { passes, passed }: ClassifiedRecord,
): void {
  const { count } = record
  const dkimDomains = passed.ownDkim.length + passed.foreignDkim.length
  const spfDomains = record.spfResults.filter(({ result }) => result === 'pass')
  const add = (field: Sum, isCounted: boolean) => {
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
  if (record.envelopeFrom !== null) addToTally(source.envelopeFrom, record.envelopeFrom, count)
  if (!passes) addFailing(source, record, passed)
  addToTally(source.addresses, record.sourceIp, count)
  for (const { type, comment } of record.reasons) {
    addToTally(source.reasons, type, count)
    if (comment !== null) addToTally(source.comments, comment, count)
  }
  for (const signature of record.dkimResults) {
    if (signature.result === 'pass') addSignature(source.signatures, signature, count)
  }
  for (const signature of passed.failedDkim) {
    addSignature(source.failedSignatures, signature, count)
  }
  for (const { domain } of spfDomains) {
    if (domain !== null) addToTally(source.spfDomains, domain, count)
  }
}

function addFailing(
  { failingFrom, failingMailFrom }: SourceTotals,
  { headerFrom, count }: AggregateRecord,
  { ownMailFrom }: ClassifiedRecord['passed'],
): void {
  addToTally(failingFrom, headerFrom, count)
  if (ownMailFrom !== null) addToTally(failingMailFrom, ownMailFrom, count)
}

function addSignature(tally: Tally, { domain, selector }: DkimResult, count: number): void {
  if (domain !== null) addToTally(tally, `${domain} ${selector ?? ''}`, count)
}

export interface Sighting {
  readonly begin: number
  readonly end: number
  readonly reporter: string
}

/** Adds the totals of one report, or of a source that is folded into others. */
export function mergeSource(into: SourceTotals, from: SourceTotals, sighting?: Sighting): void {
  for (const field of SUMS) into[field] = addCounts(into[field], from[field])
  for (const field of TALLIES) mergeTally(into[field], from[field])
  const hasFailing = from.firstFailing !== Number.POSITIVE_INFINITY
  const failing = hasFailing ? (sighting?.begin ?? from.firstFailing) : Number.POSITIVE_INFINITY
  into.firstSeen = Math.min(into.firstSeen, sighting?.begin ?? from.firstSeen)
  into.lastSeen = Math.max(into.lastSeen, sighting?.end ?? from.lastSeen)
  into.firstFailing = Math.min(into.firstFailing, failing)
  for (const [day, counts] of from.recent) addToDay(into.recent, day, counts)
  for (const seen of from.months.values()) addToMonths(into.months, seen)
  if (!sighting) return
  const day = dayOf(sighting)
  addToDay(into.recent, day, from)
  addToMonths(into.months, { first: day, last: day })
  addToTally(into.reporters, sighting.reporter, from.messages)
}

/** The day with most of a usual period; days since 1970, UTC. */
export function dayOf({ begin, end }: Pick<Sighting, 'begin' | 'end'>): number {
  return Math.floor((begin + end) / 2 / 86_400)
}

/** A whole month, so that monthly mail such as invoices is in it. */
export const RECENT_DAYS = 31

export interface DayCounts {
  readonly messages: number
  readonly passing: number
  readonly dkimAligned: number
}

/** By days since 1970, UTC; at most `RECENT_DAYS` up to the latest. */
export type RecentDays = Map<number, DayCounts>

function addToDay(days: RecentDays, day: number, counts: DayCounts): void {
  days.set(day, addDayCounts(days.get(day) ?? NOTHING, counts))
  if (days.size === 1) return
  const oldest = Math.max(...days.keys()) - RECENT_DAYS + 1
  for (const each of days.keys()) if (each < oldest) days.delete(each)
}

interface SeenDays {
  readonly first: number
  readonly last: number
}

/** The first and the last day in each calendar month, by `YYYY-MM`; days since 1970, UTC. */
type SeenMonths = Map<string, SeenDays>

/** Reports go back a few years at most. */
const MAX_MONTHS = 48

function addToMonths(months: SeenMonths, { first, last }: SeenDays): void {
  const month = new Date(first * 86_400_000).toISOString().slice(0, 7)
  const known = months.get(month) ?? { first, last }
  months.set(month, { first: Math.min(first, known.first), last: Math.max(last, known.last) })
  if (months.size > MAX_MONTHS) months.delete([...months.keys()].sort()[0] ?? '')
}

export function sumOfDays(days: RecentDays): DayCounts {
  return [...days.values()].reduce(addDayCounts, NOTHING)
}

const NOTHING: DayCounts = { messages: 0, passing: 0, dkimAligned: 0 }

function addDayCounts(one: DayCounts, other: DayCounts): DayCounts {
  return {
    messages: addCounts(one.messages, other.messages),
    passing: addCounts(one.passing, other.passing),
    dkimAligned: addCounts(one.dkimAligned, other.dkimAligned),
  }
}

/** Counts by name, with a limit on the names. */
export interface Tally {
  readonly counts: Map<string, number>
  /** The sum of the names beyond the limit. */
  others: number
  readonly limit: number
}

function addToTally(tally: Tally, name: string, count: number): void {
  const before = tally.counts.get(name)
  if (before === undefined && tally.counts.size >= tally.limit) {
    tally.others = addCounts(tally.others, count)
  } else {
    tally.counts.set(name, addCounts(before ?? 0, count))
  }
}

function mergeTally(into: Tally, from: Tally): void {
  for (const [name, count] of from.counts) addToTally(into, name, count)
  into.others = addCounts(into.others, from.others)
}

/** Most first. */
export function sortedCounts({ counts }: Tally): { name: string; messages: number }[] {
  return [...counts]
    .map(([name, messages]) => ({ name, messages }))
    .sort((one, other) => other.messages - one.messages || (one.name < other.name ? -1 : 1))
}

/** Sums stay exact integers. */
export function addCounts(one: number, other: number): number {
  return Math.min(one + other, Number.MAX_SAFE_INTEGER)
}
