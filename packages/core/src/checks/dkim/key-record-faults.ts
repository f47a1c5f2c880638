/** What is wrong with a key record as a list of tags (RFC 6376 §3.2, §3.6.1). */
import type { TagList } from '../tag-list.js'
import { toDisplayText } from '../txt-records.js'
import { KEY_TYPES, type KeyFault } from './public-key.js'

const READ_TAGS = ['v', 'k', 'p', 'h', 's', 't']
const KNOWN_HASHES = ['sha1', 'sha256']
const MAX_SHOWN = 40

type Tags = ReadonlyMap<string, string>
type Rule = (list: TagList, tags: Tags) => KeyFault | false

const RULES: readonly Rule[] = [
  ({ tags: [first] }, tags) =>
    tags.has('v') &&
    first?.name !== 'v' && {
      problem: 'The tag v= must be the first of the record.',
      remedy: 'Move v=DKIM1 to the start of the record.',
    },
  (_, tags) => versionFault(tags.get('v') ?? 'DKIM1'),
  ({ tags }) => repeatedFault(tags.map(({ name }) => name)),
  ({ invalidParts: [stray] }) =>
    stray !== undefined && {
      problem: `The record has “${brief(stray)}” in it, which is no tag=value pair.`,
      remedy: `Remove “${brief(stray)}”, or put the semicolon or equals sign right.`,
    },
  (_, tags) => !tags.has('p') && keyMissingFault(tags),
  (_, tags) => typeFault(tags.get('k') ?? 'rsa'),
  (_, tags) => hashFault(tags.get('h') ?? 'sha256'),
]

export function findKeyRecordFaults(list: TagList, tags: Tags): KeyFault[] {
  // Either of these breaks the whole list, and what else seems wrong comes of it.
  const cause = marksFault(list) || semicolonFault(tags.get('v') ?? '')
  return cause ? [cause] : RULES.flatMap((rule) => rule(list, tags) || [])
}

/** Quotation marks and backslashes of a zone file that a form took for part of the value. */
function marksFault({ tags, invalidParts }: TagList): KeyFault | false {
  // Notes (n=) and tags that nobody knows may hold anything.
  const values = tags.filter(({ name }) => READ_TAGS.includes(name)).map(({ value }) => value)
  const text = [...values, ...invalidParts].join(';')
  if (text.includes('\\')) {
    return {
      problem: 'The record has backslashes in it.',
      remedy: 'Publish it without backslashes: ";" and not "\\;".',
    }
  }
  return (
    text.includes('"') && {
      problem: 'The record has quotation marks in it.',
      remedy: 'Publish it without quotation marks; the name server adds those that it needs.',
    }
  )
}

function semicolonFault(version: string): KeyFault | false {
  return (
    version.includes('=') && {
      problem: 'There is no semicolon after the version.',
      remedy: 'Put a semicolon after every tag: v=DKIM1; k=rsa; p=…',
    }
  )
}

function versionFault(version: string): KeyFault | false {
  return (
    version !== 'DKIM1' && {
      problem: `The version is v=${brief(version)}, which receivers discard.`,
      remedy: 'Write v=DKIM1, in capital letters.',
    }
  )
}

function repeatedFault(names: readonly string[]): KeyFault | false {
  const seen = new Set<string>()
  const repeated = names.find((name) => seen.has(name) || !seen.add(name))
  return (
    repeated !== undefined && {
      problem: `The tag ${brief(repeated)}= stands there more than once, which makes the whole record invalid.`,
      remedy: `Keep one ${brief(repeated)}= tag and remove the others.`,
    }
  )
}

function keyMissingFault(tags: Tags): KeyFault {
  return tags.has('P')
    ? {
        problem: 'The tags are in capital letters.',
        remedy: 'Write the names of the tags in small letters: p= and not P=.',
      }
    : {
        problem: 'There is no p= tag, and so no key.',
        remedy: 'Add the p= tag with the key that your mail service shows.',
      }
}

function typeFault(type: string): KeyFault | false {
  return (
    !KEY_TYPES.some((known) => known === type.toLowerCase()) && {
      problem: `The record is for a kind of key that receivers do not know, k=${brief(type)}.`,
      remedy: 'Write k=rsa, or k=ed25519 if it is an Ed25519 key.',
    }
  )
}

/** RFC 6376 §3.6.1: unknown hashes are ignored, which may leave none. */
function hashFault(hashes: string): KeyFault | false {
  const items = hashes.split(':').map((hash) => hash.trim().toLowerCase())
  return (
    !items.some((hash) => KNOWN_HASHES.includes(hash)) && {
      problem: `The record allows no hash that receivers know, only h=${brief(hashes)}.`,
      remedy: 'Remove the h= tag, or write h=sha256.',
    }
  )
}

/** A piece of the record, short enough for a sentence. */
function brief(text: string): string {
  const characters = [...toDisplayText(text).replace(/\p{C}/gu, '\ufffd')]
  const head = characters.slice(0, MAX_SHOWN).join('')
  return characters.length > MAX_SHOWN ? `${head}…` : head
}
