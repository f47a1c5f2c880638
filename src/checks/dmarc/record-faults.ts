/** What is wrong inside a record, and the record without it. */
import { shown } from '../txt.js'
import { choiceOf, type DmarcRecord, isPercentage, POLICIES } from './dmarc-record.js'
import { parseReportUris, type ReportUri } from './report-uri.js'

/** RFC 9989 §4.8, table 2, but for the URIs and `fo`. */
const CHOICES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['p', POLICIES],
  ['sp', POLICIES],
  ['np', POLICIES],
  ['adkim', ['r', 's']],
  ['aspf', ['r', 's']],
  ['t', ['y', 'n']],
  ['psd', ['y', 'n', 'u']],
])
const URI_TAGS = ['rua', 'ruf']
/** RFC 9989 §C.5.2. */
export const REMOVED_TAGS = ['pct', 'rf', 'ri']
const KNOWN_TAGS = new Set(['v', ...CHOICES.keys(), ...URI_TAGS, 'fo', ...REMOVED_TAGS])

const MAX_SHOWN = 60

/** Every fault as a clause of its own. */
export function faultsOf(record: DmarcRecord): string[] {
  return [
    ...(record.tags.has('p') ? [] : ['there is no p tag, which says what to do with forged mail']),
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
function failureOptionFaults(record: DmarcRecord): string[] {
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

function uriFaults(record: DmarcRecord, tag: string): string[] {
  const value = record.tags.get(tag)
  if (value === undefined) return []
  const uris = parseReportUris(value)
  if (uris.length === 0) return [`${tag} names no address`]
  return uris.flatMap(({ uri, problem }) => (problem ? [`${tag} ${clipped(uri)} ${problem}`] : []))
}

/** Tags with their new values; null takes one out. */
export type TagChanges = Readonly<Record<string, string | null>>

/**
 * The record without its faults and with some tags changed, `p` right after `v` as RFC 7489
 * §6.4 wants it.
 */
export function rewritten(record: DmarcRecord, changes: TagChanges = {}): string {
  const tags = new Map(soundTags(record))
  for (const [tag, value] of Object.entries(changes)) {
    if (value) tags.set(tag, value)
    else tags.delete(tag)
  }
  const policy = tags.get('p')
  tags.delete('p')
  const ordered = [['v', 'DMARC1'], ...(policy ? [['p', policy]] : []), ...tags]
  return ordered.map(([tag, value]) => `${tag}=${value}`).join('; ')
}

function soundTags(record: DmarcRecord): [string, string][] {
  return [...record.tags].flatMap(([tag, value]): [string, string][] => {
    if (tag === 'v' || !KNOWN_TAGS.has(tag) || REMOVED_TAGS.includes(tag)) return []
    const choices = CHOICES.get(tag)
    if (choices) {
      const choice = choiceOf(record, tag, choices)
      return choice === 'invalid' ? [] : [[tag, choice]]
    }
    if (tag === 'fo') return failureOptionFaults(record).length > 0 ? [] : [[tag, value]]
    const uris = parseReportUris(value).flatMap(mended)
    return uris.length > 0 ? [[tag, uris.join(',')]] : []
  })
}

/** A bare address lacks only its scheme. */
function mended({ plain, host, isUri }: ReportUri): string[] {
  if (host) return [plain]
  const withScheme = isUri ? [] : parseReportUris(`mailto:${plain}`)
  return withScheme.flatMap((uri) => (uri.host ? [uri.plain] : []))
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
