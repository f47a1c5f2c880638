/** What is wrong inside a record. */
import { shown } from '../txt.js'
import {
  choiceOf,
  type DmarcRecord,
  isPercentage,
  POLICIES,
  URI_TAGS,
  type UriTag,
} from './dmarc-record.js'

/** RFC 9989 §4.8, table 2, but for the URIs and `fo`. */
export const CHOICES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['p', POLICIES],
  ['sp', POLICIES],
  ['np', POLICIES],
  ['adkim', ['r', 's']],
  ['aspf', ['r', 's']],
  ['t', ['y', 'n']],
  ['psd', ['y', 'n', 'u']],
])
/** RFC 9989 §C.5.2. */
export const REMOVED_TAGS = ['pct', 'rf', 'ri']
export const KNOWN_TAGS: ReadonlySet<string> = new Set([
  'v',
  ...CHOICES.keys(),
  ...URI_TAGS,
  'fo',
  ...REMOVED_TAGS,
])

const MAX_SHOWN = 60

/** Every fault as a clause of its own. That `p` is missing is none: RFC 9989 §4.7 only recommends it. */
export function faultsOf(record: DmarcRecord): string[] {
  return [
    ...[...CHOICES].flatMap(([tag, choices]) =>
      choiceOf(record, tag, choices) === 'invalid'
        ? [`${quoted(record, tag)} is not ${alternatives(choices)}`]
        : [],
    ),
    ...failureOptionFaults(record),
    ...percentageFaults(record),
    ...URI_TAGS.flatMap((tag) => uriFaults(record, tag)),
    ...record.repeated.map((tag) => `${clipped(tag)} stands there more than once`),
    ...record.capitalised
      .filter((tag) => KNOWN_TAGS.has(tag.toLowerCase()))
      .map((tag) => `${tag} is written with capitals`),
    ...record.strays.map((stray) => `"${clipped(stray)}" is not a tag with a value`),
  ]
}

export function unknownTags(record: DmarcRecord): string[] {
  return [...record.tags.keys()].filter((tag) => !KNOWN_TAGS.has(tag)).map(clipped)
}

/** RFC 9989 §4.7: any of 0, 1, d and s, but not 0 and 1 together. */
export function failureOptionFaults(record: DmarcRecord): string[] {
  const value = record.tags.get('fo')?.toLowerCase()
  if (value === undefined) return []
  const options = value.split(':').map((option) => option.trim())
  const areKnown = options.every((option) => ['0', '1', 'd', 's'].includes(option))
  const isSound = areKnown && !(options.includes('0') && options.includes('1'))
  return isSound ? [] : [`${quoted(record, 'fo')} is not made of 0 or 1, d and s`]
}

function percentageFaults(record: DmarcRecord): string[] {
  const value = record.tags.get('pct')
  const isSound = value === undefined || isPercentage(value)
  return isSound ? [] : [`${quoted(record, 'pct')} is not a number from 0 to 100`]
}

function uriFaults(record: DmarcRecord, tag: UriTag): string[] {
  if (!record.tags.has(tag)) return []
  const uris = record.urisOf(tag).read
  if (uris.length === 0) return [`${tag} names no address`]
  return uris.flatMap(({ uri, problem }) => (problem ? [`${tag} ${clipped(uri)} ${problem}`] : []))
}

function alternatives(choices: readonly string[]): string {
  return `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
}

function quoted(record: DmarcRecord, tag: string): string {
  return `${tag}=${clipped(record.tags.get(tag) ?? '')}`
}

function clipped(octets: string): string {
  const characters = [...shown(octets)]
  return characters.length > MAX_SHOWN
    ? `${characters.slice(0, MAX_SHOWN).join('')}…`
    : characters.join('')
}
