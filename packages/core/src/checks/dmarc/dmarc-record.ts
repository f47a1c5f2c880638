/** A DMARC Policy Record, parsed as published (RFC 9989 §4.8). */
import { parseTagList } from '../tag-list.js'
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
   * By lower-case name. The last of repeated tags counts: RFC 6376 §3.2 would discard the record,
   * but receivers go on.
   */
  readonly tags: ReadonlyMap<string, string>
  readonly repeatedTags: readonly string[]
  /** The repeated tags with different values. */
  readonly conflictingTags: readonly string[]
  /** Names with capitals, as written; RFC 9989 §4.8 allows them only in `v`. */
  readonly uppercaseTags: readonly string[]
  /** Parts that are not tags. */
  readonly invalidParts: readonly string[]
  /** Parsed on first use: most records on the way up are never applied. */
  readonly reportUris: (tag: ReportUriTag) => ReportUris
}

/** RFC 9989 §4.8: `v` comes first, its value is case-sensitive, white space may surround "=". */
const VERSION = /^[vV][ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/

export function isDmarcRecord(text: string): boolean {
  return VERSION.test(text)
}

export function parseDmarcRecord(text: string): DmarcRecord {
  const { tags, invalidParts } = parseTagList(text)
  const values = new Map<string, string>()
  const repeated = new Set<string>()
  const conflicting = new Set<string>()
  for (const tag of tags) {
    const name = tag.name.toLowerCase()
    const before = values.get(name)
    if (before !== undefined) repeated.add(name)
    if (before !== undefined && !equalsIgnoringCase(before, tag.value)) conflicting.add(name)
    values.set(name, tag.value)
  }
  const uppercase = tags
    .map((tag) => tag.name)
    .filter((name) => name !== 'V' && name !== name.toLowerCase())
  return {
    text,
    tags: values,
    repeatedTags: [...repeated],
    conflictingTags: [...conflicting],
    uppercaseTags: uppercase,
    invalidParts,
    reportUris: createUriReader(values),
  }
}

function equalsIgnoringCase(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
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
