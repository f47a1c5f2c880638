/** Corrected versions of a record, for the owner to publish. */
import { toPlainAscii, trimTrailing } from '../txt-records.js'
import { hasValidPolicy } from './dmarc-policies.js'
import {
  type DmarcRecord,
  isDmarcRecord,
  parseWithLastValues,
  type ReportUriTag,
  readTagChoice,
} from './dmarc-record.js'
import {
  KNOWN_TAGS,
  REMOVED_TAGS,
  repairFailureOptions,
  TAG_VALUES,
} from './dmarc-record-faults.js'
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
