/** Corrected versions of a record, for the owner to publish, and the faults that they correct. */

import { formatAlternatives, quoteForDisplay } from '../format-list.js'
import { toPlainAscii, trimTrailing } from '../txt-records.js'
import { hasValidPolicy } from './dmarc-policies.js'
import {
  DMARC_POLICIES,
  type DmarcRecord,
  isDmarcRecord,
  isPercentage,
  parseWithLastValues,
  REPORT_URI_TAGS,
  type ReportUriTag,
  readTagChoice,
  splitFailureOptions,
} from './dmarc-record.js'
import { parseReportUris } from './report-uri.js'

/** For a domain that sends no mail: none of its own can be lost. */
export const NO_MAIL_DMARC_RECORD = 'v=DMARC1; p=reject'

/** Tags with their new values; null removes one. */
export type TagChanges = Readonly<Record<string, string | null>>

/** The record to propose. Conflicting tags become a placeholder, because only the owner can choose. */
export function proposeDmarcRecord(record: DmarcRecord, changes: TagChanges = {}): string {
  const conflicts = findConflictingTags(record).map((tag) => [tag, '<the value you want>'])
  return rewriteDmarcRecord(record, { ...Object.fromEntries(conflicts), ...changes })
}

/** The known tags that occur more than once with different values. */
export function findConflictingTags({ conflictingTags }: DmarcRecord): string[] {
  return conflictingTags.filter(isKept)
}

/** The record without its faults and with some tags changed; `p` follows `v` (RFC 7489 §6.4). */
export function rewriteDmarcRecord(record: DmarcRecord, changes: TagChanges = {}): string {
  const tags = new Map(validTags(record))
  for (const [tag, value] of Object.entries(changes)) {
    if (value) tags.set(tag, value)
    else tags.delete(tag)
  }
  const policy = tags.get('p')
  tags.delete('p')
  const ordered = [['v', 'DMARC1'], ...(policy ? [['p', policy]] : []), ...tags]
  return ordered.map(([tag, value]) => `${tag}=${value}`).join('; ')
}

function validTags(record: DmarcRecord): [string, string][] {
  return [...record.tags].flatMap(([tag, value]): [string, string][] => {
    const valid = isKept(tag) ? validValue(record, tag, value) : null
    return valid ? [[tag, valid]] : []
  })
}

function isKept(tag: string): boolean {
  return tag !== 'v' && KNOWN_TAGS.has(tag) && !REMOVED_TAGS.includes(tag)
}

function validValue(record: DmarcRecord, tag: string, value: string): string | null {
  const choices = TAG_VALUES.get(tag)
  if (choices) {
    const choice = readTagChoice(record, tag, choices)
    return choice === 'invalid' ? null : choice
  }
  if (tag === 'rua' || tag === 'ruf') return repairReportUris(record, tag).join(',')
  return repairFailureOptions(value)
}

/** The URIs of a tag that are usable, or can be repaired. */
export function repairReportUris(record: DmarcRecord, tag: ReportUriTag): string[] {
  return record.reportUris(tag).uris.flatMap(({ repaired }) => repaired ?? [])
}

/** The usable addresses after `rua=` anywhere in a text, however its tags are separated. */
export function findReportUris(text: string): string[] {
  const lists = toPlainAscii(text).match(/\brua\s*=\s*(?:mailto:[^\s,;"]+[\s,]*)+/gi) ?? []
  const uris = lists.flatMap((list) => list.match(/mailto:[^\s,;"]+/gi) ?? [])
  return parseReportUris([...new Set(uris)].join(',')).uris.flatMap(
    ({ repaired }) => repaired ?? [],
  )
}

/** Quotation marks, spaces and the like that were pasted with the record. */
const LEADING_MARKS = /^[^a-z\d]+/i

/** Other texts, of which a name may have hundreds, need no parser. Look-alikes are not ASCII. */
const MAY_BE_DMARC = /dmarc|none|quarantine|reject|[\x80-\xff]/i

/** A record that was meant as DMARC, but that no receiver treats as one. */
export function isDmarcNearMiss(text: string): boolean {
  if (!MAY_BE_DMARC.test(text) || isDmarcRecord(text)) return false
  const plain = removeMarks(text)
  const version = /^v\s*[=:]\s*dmarc/i.test(plain)
  const record = parseWithLastValues(plain)
  // A DKIM key also has a `p` tag, but no policy in it.
  return version || hasDmarcVersion(record) || hasValidPolicy(record)
}

/** The record that was meant; null if that is unclear. */
export function parseDmarcNearMiss(text: string): DmarcRecord | null {
  const record = parseWithLastValues(removeMarks(text))
  return hasValidPolicy(record) ? record : null
}

export function repairDmarcNearMiss(text: string): string | null {
  const record = parseDmarcNearMiss(text)
  return record && proposeDmarcRecord(record)
}

function removeMarks(text: string): string {
  return trimTrailing(toPlainAscii(text), /["'\s]/).replace(LEADING_MARKS, '')
}

function hasDmarcVersion(record: DmarcRecord): boolean {
  return record.tags.get('v')?.toLowerCase().startsWith('dmarc') ?? false
}

/** RFC 9989 §4.8, table 2, without the URIs and `fo`. */
const TAG_VALUES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
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
const KNOWN_TAGS: ReadonlySet<string> = new Set([
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
        ? [`${quoted(record, tag)} isn’t ${formatAlternatives(choices)}`]
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
    ...record.invalidParts.map((part) => `${quoteForDisplay(part)} isn’t a tag=value pair`),
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
    return `${showTag(tag)} appears ${count}, so strict receivers ignore the record, and others use its value ${showValue(tag, values.at(0))}`
  }
  const all = values.length === 2 ? '' : ` (${listValues(tag, values)})`
  return `${showTag(tag)} appears ${count}${all}, so a receiver that reads the first value ${describeUse(tag, values.at(0))}, one that reads the last ${describeUse(tag, values.at(-1))}, and a strict one ignores the record`
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
  return [`${quoted(record, 'fo')} isn’t a combination of 0 or 1, d, and s, each at most once`]
}

/** With each option once; null when the options make no sense together. */
function repairFailureOptions(value: string): string | null {
  const options = new Set(splitFailureOptions(value))
  const areKnown = [...options].every((option) => ['0', '1', 'd', 's'].includes(option))
  return areKnown && !(options.has('0') && options.has('1')) ? [...options].join(':') : null
}

function percentageFaults(record: DmarcRecord): string[] {
  const value = record.tags.get('pct')
  const isValid = value === undefined || isPercentage(value)
  return isValid ? [] : [`${quoted(record, 'pct')} isn’t a number from 0 to 100`]
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
