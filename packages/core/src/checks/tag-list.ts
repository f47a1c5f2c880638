/**
 * Lists of `name=value` parted by semicolons (RFC 6376 §3.2), as DKIM, DMARC, MTA-STS, TLS-RPT and
 * BIMI records are written. Reads everything and refuses nothing: what a fault means is for the
 * reader of each kind of record to say.
 */

interface Tag {
  /** As written; whether case matters depends on the kind of record. */
  readonly name: string
  readonly value: string
}

export interface TagList {
  /** In order, the repeated ones too. */
  readonly tags: readonly Tag[]
  /** Pieces without a tag name and an equals sign; empty ones are not counted. */
  readonly invalidParts: readonly string[]
}

/** RFC 6376 §3.2 begins with a letter; an underscore harms nobody and makes `__proto__` just a tag. */
const TAG_NAME = /^[a-z_][a-z\d_]*$/i

export function parseTagList(text: string): TagList {
  const tags: Tag[] = []
  const strays: string[] = []
  for (const piece of text.split(';')) {
    const equalsAt = piece.indexOf('=')
    const name = trimFolding(piece.slice(0, Math.max(equalsAt, 0)))
    if (TAG_NAME.test(name)) tags.push({ name, value: trimFolding(piece.slice(equalsAt + 1)) })
    else if (trimFolding(piece) !== '') strays.push(trimFolding(piece))
  }
  return { tags, invalidParts: strays }
}

/** RFC 6376 §2.8: folding white space, which is no part of a name or value at its ends. */
function trimFolding(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isFolding(text.charCodeAt(start))) start += 1
  while (end > start && isFolding(text.charCodeAt(end - 1))) end -= 1
  return text.slice(start, end)
}

function isFolding(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a
}
