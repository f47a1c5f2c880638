/** A record without its faults, for people to publish. */

import { hasValidPolicy } from './dmarc-policies.js'
import {
  type DmarcRecord,
  isDmarcRecord,
  parseDmarcRecord,
  type ReportUriTag,
  readTagChoice,
} from './dmarc-record.js'
import {
  findFailureOptionFaults,
  KNOWN_TAGS,
  REMOVED_TAGS,
  TAG_VALUES,
} from './dmarc-record-faults.js'

/** Tags with their new values; null takes one out. */
export type TagChanges = Readonly<Record<string, string | null>>

/** The record to propose: where tags contradict each other, only their owner can choose. */
export function proposeDmarcRecord(record: DmarcRecord, changes: TagChanges = {}): string {
  const open = findConflictingTags(record).map((tag) => [tag, '<the one that was meant>'])
  return rewriteDmarcRecord(record, { ...Object.fromEntries(open), ...changes })
}

/** The tags that say different things in different places, of those that mean anything. */
export function findConflictingTags({ conflictingTags }: DmarcRecord): string[] {
  return conflictingTags.filter(isKept)
}

/**
 * The record without its faults and with some tags changed, `p` right after `v` as RFC 7489
 * §6.4 wants it.
 */
export function rewriteDmarcRecord(record: DmarcRecord, changes: TagChanges = {}): string {
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
    const sound = isKept(tag) ? soundValue(record, tag, value) : null
    return sound ? [[tag, sound]] : []
  })
}

function isKept(tag: string): boolean {
  return tag !== 'v' && KNOWN_TAGS.has(tag) && !REMOVED_TAGS.includes(tag)
}

function soundValue(record: DmarcRecord, tag: string, value: string): string | null {
  const choices = TAG_VALUES.get(tag)
  if (choices) {
    const choice = readTagChoice(record, tag, choices)
    return choice === 'invalid' ? null : choice
  }
  if (tag === 'rua' || tag === 'ruf') return repairReportUris(record, tag).join(',')
  return findFailureOptionFaults(record).length > 0 ? null : value
}

/** Those of a tag that receivers can use, or could with a touch. */
export function repairReportUris(record: DmarcRecord, tag: ReportUriTag): string[] {
  return record.reportUris(tag).uris.flatMap(({ repaired }) => repaired ?? [])
}

/** Quotation marks, spaces and the like, which stand there when a record was pasted with them. */
const LEADING_MARKS = /^[^a-z\d]+/i

export function isDmarcNearMiss(text: string): boolean {
  if (isDmarcRecord(text)) return false
  const version = /^v\s*[=:]\s*dmarc/i.test(text.replace(LEADING_MARKS, ''))
  const record = readAnyway(text)
  // A DKIM key has a `p` as well, but no policy in it.
  return version || claimsVersion(record) || hasValidPolicy(record)
}

/** What was meant, as far as that can be told. */
export function repairDmarcNearMiss(text: string): string | null {
  const record = readAnyway(text)
  return hasValidPolicy(record) ? proposeDmarcRecord(record) : null
}

function readAnyway(text: string): DmarcRecord {
  const unmarked = text.replace(LEADING_MARKS, '').trimEnd()
  return parseDmarcRecord(/["']$/.test(unmarked) ? unmarked.slice(0, -1) : unmarked)
}

function claimsVersion(record: DmarcRecord): boolean {
  return record.tags.get('v')?.toLowerCase().startsWith('dmarc') ?? false
}
