/** A record without its faults, for people to publish. */
import { choiceOf, type DmarcRecord, type UriTag } from './dmarc-record.js'
import { CHOICES, failureOptionFaults, KNOWN_TAGS, REMOVED_TAGS } from './record-faults.js'

/** Tags with their new values; null takes one out. */
export type TagChanges = Readonly<Record<string, string | null>>

/** The record to propose: where tags contradict each other, only their owner can choose. */
export function proposed(record: DmarcRecord, changes: TagChanges = {}): string {
  const open = contradictions(record).map((tag) => [tag, '<the one that was meant>'])
  return rewritten(record, { ...Object.fromEntries(open), ...changes })
}

/** The tags that say different things in different places, of those that mean anything. */
export function contradictions({ disputed }: DmarcRecord): string[] {
  return disputed.filter(isKept)
}

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
    const sound = isKept(tag) ? soundValue(record, tag, value) : null
    return sound ? [[tag, sound]] : []
  })
}

function isKept(tag: string): boolean {
  return tag !== 'v' && KNOWN_TAGS.has(tag) && !REMOVED_TAGS.includes(tag)
}

function soundValue(record: DmarcRecord, tag: string, value: string): string | null {
  const choices = CHOICES.get(tag)
  if (choices) {
    const choice = choiceOf(record, tag, choices)
    return choice === 'invalid' ? null : choice
  }
  if (tag === 'rua' || tag === 'ruf') return mendedUris(record, tag).join(',')
  return failureOptionFaults(record).length > 0 ? null : value
}

/** Those of a tag that receivers can use, or could with a touch. */
export function mendedUris(record: DmarcRecord, tag: UriTag): string[] {
  return record.urisOf(tag).read.flatMap(({ mended }) => mended ?? [])
}
