/** A DMARC Policy Record, parsed as published (RFC 9989 §4.8). */
import { parseTagList } from '../tag-list.js'
import { MAX_TXT_OCTETS } from '../txt-records.js'
import { parseReportUris, type ReportUris } from './report-uri.js'

/** Weakest first. */
export const DMARC_POLICIES = ['none', 'quarantine', 'reject'] as const
export type DmarcPolicy = (typeof DMARC_POLICIES)[number]

export const REPORT_URI_TAGS = ['rua', 'ruf'] as const
export type ReportUriTag = (typeof REPORT_URI_TAGS)[number]

export interface DmarcRecord {
  /** Octets, as published. */
  readonly text: string
  /**
   * By lower-case name. A tag repeated with different values is left out: RFC 6376 §3.2 forbids it,
   * and bad syntax gives way to the default (RFC 9989 §4.7).
   */
  readonly tags: ReadonlyMap<string, string>
  /** Every value, in order, of the tags that occur more than once. */
  readonly repeatedTags: ReadonlyMap<string, readonly string[]>
  /** The repeated tags with different values. */
  readonly conflictingTags: readonly string[]
  /** Names with capitals, as written; RFC 9989 §4.8 allows them only in `v`. */
  readonly uppercaseTags: readonly string[]
  /** Parts that are not tags. */
  readonly invalidParts: readonly string[]
  /** What was not read, as a clause; null when everything was. */
  readonly unread: string | null
  /** Parsed on first use: most records on the way up are never applied. */
  readonly reportUris: (tag: ReportUriTag) => ReportUris
}

/** RFC 9989 §4.8: `v` comes first, its value is case-sensitive, white space may surround "=". */
const VERSION = /^[vV][ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/

export function isDmarcRecord(text: string): boolean {
  return VERSION.test(text)
}

export function parseDmarcRecord(text: string): DmarcRecord {
  const record = parseWithLastValues(text)
  if (record.conflictingTags.length === 0) return record
  const tags = new Map(record.tags)
  for (const tag of record.conflictingTags) tags.delete(tag)
  return { ...record, tags, reportUris: createUriReader(tags) }
}

/** As lenient receivers read it: the last of repeated tags counts, even if their values differ. */
export function parseWithLastValues(text: string): DmarcRecord {
  const { tags, invalidParts, isComplete } = parseTagList(text, MAX_PARTS)
  const last = new Map<string, string>()
  const repeatedTags = new Map<string, string[]>()
  for (const { name: written, value } of tags) {
    const name = written.toLowerCase()
    const before = last.get(name)
    const values = repeatedTags.get(name)
    if (values) values.push(value)
    else if (before !== undefined) repeatedTags.set(name, [before, value])
    last.set(name, value)
  }
  const uppercase = tags
    .map((tag) => tag.name)
    .filter((name) => name !== 'V' && name !== name.toLowerCase())
  return {
    text,
    tags: last,
    repeatedTags,
    conflictingTags: [...repeatedTags]
      .filter(([name, all]) => new Set(all.map((value) => canonicalValue(name, value))).size > 1)
      .map(([name]) => name),
    uppercaseTags: uppercase,
    invalidParts,
    unread: describeUnread(text, isComplete),
    reportUris: createUriReader(last),
  }
}

/** Seven times the tags that RFC 9989 §4.7 defines. */
const MAX_PARTS = 100

/** RFC 9989 sets no limit, but a receiver may ignore a record that it cannot read (§4.7). */
function describeUnread(text: string, isComplete: boolean): string | null {
  if (!isComplete) return `there are more than ${MAX_PARTS} tags, and we didn’t read the rest`
  return text.length > MAX_TXT_OCTETS
    ? `there are more than ${MAX_TXT_OCTETS} characters, and we didn’t read the rest`
    : null
}

const POLICY_TAGS = ['p', 'sp', 'np']
const POLICY_ORDER: readonly string[] = DMARC_POLICIES

/**
 * As the most lenient receivers read it: the weakest of repeated policies, and the last of other
 * repeated tags. An invalid policy is the weakest: with it, none applies.
 */
export function parseWithWeakestPolicies(text: string): DmarcRecord {
  const record = parseWithLastValues(text)
  const tags = new Map(record.tags)
  for (const tag of POLICY_TAGS.filter((each) => record.conflictingTags.includes(each))) {
    const values = (record.repeatedTags.get(tag) ?? []).map((value) => value.toLowerCase())
    const rank = (value: string) => POLICY_ORDER.indexOf(value)
    tags.set(tag, values.sort((one, other) => rank(one) - rank(other)).at(0) ?? '')
  }
  return { ...record, tags }
}

/** The version and addresses are case-sensitive, all other values are not (RFC 5234 §2.3). */
const CASE_SENSITIVE_TAGS: ReadonlySet<string> = new Set(['v', ...REPORT_URI_TAGS])

/** The same for two spellings that receivers read alike. */
function canonicalValue(tag: string, value: string): string {
  if (tag === 'fo') return splitFailureOptions(value).sort().join(':')
  return CASE_SENSITIVE_TAGS.has(tag) ? value : value.toLowerCase()
}

/** The options of `fo`, as written in lower case. */
export function splitFailureOptions(value: string): string[] {
  return value
    .toLowerCase()
    .split(':')
    .map((option) => option.trim())
}

function createUriReader(values: ReadonlyMap<string, string>): DmarcRecord['reportUris'] {
  const known = new Map<ReportUriTag, ReportUris>()
  return (tag) => {
    const uris = known.get(tag) ?? parseReportUris(values.get(tag) ?? '')
    known.set(tag, uris)
    return uris
  }
}

/**
 * One of the values that a tag may have. They are ABNF literals, so case does not matter (RFC 5234
 * §2.3).
 */
export function readTagChoice<Choice extends string>(
  record: DmarcRecord,
  tag: string,
  choices: readonly Choice[],
): Choice | 'absent' | 'invalid' {
  const value = record.tags.get(tag)?.toLowerCase()
  if (value === undefined) return 'absent'
  return choices.find((choice) => choice === value) ?? 'invalid'
}

export function isTesting(record: DmarcRecord): boolean {
  return readTagChoice(record, 't', ['y', 'n']) === 'y'
}

/** The share of mail that RFC 7489 §6.3 receivers apply the policy to; RFC 9989 §A.6 removed it. */
export function readPercentage(record: DmarcRecord): number {
  const value = record.tags.get('pct') ?? ''
  return isPercentage(value) ? Number(value) : 100
}

export function isPercentage(value: string): boolean {
  return /^\d{1,3}$/.test(value) && Number(value) <= 100
}
