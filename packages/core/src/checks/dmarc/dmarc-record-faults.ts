/** The errors inside a record. */
import { formatAlternatives, quoteForDisplay } from '../format-list.js'
import {
  DMARC_POLICIES,
  type DmarcRecord,
  isPercentage,
  REPORT_URI_TAGS,
  type ReportUriTag,
  readTagChoice,
  splitFailureOptions,
} from './dmarc-record.js'

/** RFC 9989 §4.8, table 2, without the URIs and `fo`. */
export const TAG_VALUES: ReadonlyMap<string, readonly string[]> = new Map<
  string,
  readonly string[]
>([
  ['p', DMARC_POLICIES],
  ['sp', DMARC_POLICIES],
  ['np', DMARC_POLICIES],
  ['adkim', ['r', 's']],
  ['aspf', ['r', 's']],
  ['t', ['y', 'n']],
  ['psd', ['y', 'n', 'u']],
])
/** RFC 9989 §C.5.2. */
export const REMOVED_TAGS = ['pct', 'rf', 'ri']
export const KNOWN_TAGS: ReadonlySet<string> = new Set([
  'v',
  ...TAG_VALUES.keys(),
  ...REPORT_URI_TAGS,
  'fo',
  ...REMOVED_TAGS,
])

const MAX_SHOWN_VALUES = 5

/** Every fault as a clause. A missing `p` is none: RFC 9989 §4.7 only recommends it. */
export function findDmarcFaults(record: DmarcRecord): string[] {
  return [
    ...[...TAG_VALUES].flatMap(([tag, choices]) =>
      readTagChoice(record, tag, choices) === 'invalid'
        ? [`${quoted(record, tag)} is not ${formatAlternatives(choices)}`]
        : [],
    ),
    ...findFailureOptionFaults(record),
    ...percentageFaults(record),
    ...REPORT_URI_TAGS.flatMap((tag) => uriFaults(record, tag)),
    ...[...record.repeatedTags].map(([tag, values]) =>
      describeRepetition(tag, values, record.conflictingTags.includes(tag)),
    ),
    ...record.uppercaseTags
      .filter((tag) => KNOWN_TAGS.has(tag.toLowerCase()))
      .map((tag) => `${tag} is written in capitals`),
    ...record.invalidParts.map((part) => `${quoteForDisplay(part)} is not a tag with a value`),
    ...(record.unread === null ? [] : [record.unread]),
  ]
}

export function findUnknownTags(record: DmarcRecord): string[] {
  return [...record.tags.keys(), ...record.conflictingTags]
    .filter((tag) => !KNOWN_TAGS.has(tag))
    .map(quoteForDisplay)
}

const POLICY_TAGS: ReadonlySet<string> = new Set(['p', 'sp', 'np'])

/** RFC 6376 §3.2: no tag occurs twice. */
function describeRepetition(
  tag: string,
  values: readonly string[],
  isConflicting: boolean,
): string {
  const count = values.length === 2 ? 'twice' : `${values.length} times`
  if (!isConflicting) {
    return `${showTag(tag)} occurs ${count}: receivers use its value ${showValue(tag, values.at(0))}, but a strict one ignores the record`
  }
  const all = values.length === 2 ? '' : ` (${listValues(tag, values)})`
  return `${showTag(tag)} occurs ${count}${all}: a receiver that reads the first value ${describeUse(tag, values.at(0))}, one that reads the last ${describeUse(tag, values.at(-1))}, and a strict one ignores the record`
}

function describeUse(tag: string, value = ''): string {
  const isInvalid = TAG_VALUES.get(tag)?.includes(value.toLowerCase()) === false
  if (isInvalid) return `ignores ${showValue(tag, value)}`
  return `${POLICY_TAGS.has(tag) ? 'applies' : 'uses'} ${showValue(tag, value)}`
}

function listValues(tag: string, values: readonly string[]): string {
  const shown = values
    .slice(0, MAX_SHOWN_VALUES)
    .map((value) => showValue(tag, value))
    .join(', ')
  return values.length > MAX_SHOWN_VALUES ? `${shown}, …` : shown
}

function showTag(tag: string): string {
  return KNOWN_TAGS.has(tag) ? tag : quoteForDisplay(tag)
}

function showValue(tag: string, value = ''): string {
  if (value === '') return '(nothing)'
  const isKnown = TAG_VALUES.get(tag)?.includes(value.toLowerCase())
  return isKnown ? value : quoteForDisplay(value)
}

/** RFC 9989 §4.7: any of 0, 1, d and s, each once, but not 0 and 1 together. */
function findFailureOptionFaults(record: DmarcRecord): string[] {
  const value = record.tags.get('fo')
  if (value === undefined || repairFailureOptions(value) === splitFailureOptions(value).join(':')) {
    return []
  }
  return [`${quoted(record, 'fo')} is not a combination of 0 or 1, d and s, each at most once`]
}

/** With each option once; null when the options make no sense together. */
export function repairFailureOptions(value: string): string | null {
  const options = new Set(splitFailureOptions(value))
  const areKnown = [...options].every((option) => ['0', '1', 'd', 's'].includes(option))
  return areKnown && !(options.has('0') && options.has('1')) ? [...options].join(':') : null
}

function percentageFaults(record: DmarcRecord): string[] {
  const value = record.tags.get('pct')
  const isValid = value === undefined || isPercentage(value)
  return isValid ? [] : [`${quoted(record, 'pct')} is not a number from 0 to 100`]
}

function uriFaults(record: DmarcRecord, tag: ReportUriTag): string[] {
  if (!record.tags.has(tag)) return []
  const uris = record.reportUris(tag).uris
  if (uris.length === 0) return [`${tag} has no address`]
  return uris.flatMap(({ uri, problem }) =>
    problem ? [`${tag} ${quoteForDisplay(uri)} ${problem}`] : [],
  )
}

function quoted(record: DmarcRecord, tag: string): string {
  return `${tag}=${quoteForDisplay(record.tags.get(tag) ?? '')}`
}
