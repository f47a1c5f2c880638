/**
 * Lists of `name=value` separated by semicolons (RFC 6376 §3.2): the format of DKIM, DMARC and BIMI
 * records. The parser accepts anything; each kind of record judges the faults.
 */

interface Tag {
  /** As written; whether case matters depends on the kind of record. */
  readonly name: string
  readonly value: string
}

export interface TagList {
  /** In order, including repeated ones. */
  readonly tags: readonly Tag[]
  /** Parts without a tag name and an equals sign, except empty ones. */
  readonly invalidParts: readonly string[]
  /** False when there are more parts than the limit. */
  readonly isComplete: boolean
}

/** RFC 6376 §3.2 starts with a letter; allowing an underscore makes `__proto__` an ordinary tag. */
const TAG_NAME = /^[a-z_][a-z\d_]*$/i

/** A TXT record has fewer octets. */
const MAX_PARTS = 0x10000

export function parseTagList(text: string, maxParts = MAX_PARTS): TagList {
  const tags: Tag[] = []
  const invalidParts: string[] = []
  const parts = text.split(';', maxParts + 1)
  for (const part of parts.slice(0, maxParts)) {
    const equalsAt = part.indexOf('=')
    const name = trimFolding(part.slice(0, Math.max(equalsAt, 0)))
    if (TAG_NAME.test(name)) tags.push({ name, value: trimFolding(part.slice(equalsAt + 1)) })
    else if (trimFolding(part) !== '') invalidParts.push(trimFolding(part))
  }
  return { tags, invalidParts, isComplete: parts.length <= maxParts }
}

/** RFC 6376 §2.8: removes folding white space at both ends. */
export function trimFolding(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isFolding(text.charCodeAt(start))) start += 1
  while (end > start && isFolding(text.charCodeAt(end - 1))) end -= 1
  return text.slice(start, end)
}

function isFolding(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a
}
