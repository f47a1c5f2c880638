/** Errors in the tags of a key record (RFC 6376 §3.2, §3.6.1). */
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
      problem: 'The v= tag must come first in the record.',
      remedy: 'Move v=DKIM1 to the start of the record.',
    },
  (_, tags) => versionFault(tags.get('v') ?? 'DKIM1'),
  ({ tags }) => repeatedFault(tags.map(({ name }) => name)),
  ({ invalidParts: [invalid] }) =>
    invalid !== undefined && {
      problem: `The record contains “${truncate(invalid)}”, which is not a tag=value pair.`,
      remedy: `Remove “${truncate(invalid)}”, or correct the semicolon or equals sign.`,
    },
  (_, tags) => !tags.has('p') && keyMissingFault(tags),
  (_, tags) => typeFault(tags.get('k') ?? 'rsa'),
  (_, tags) => hashFault(tags.get('h') ?? 'sha256'),
]

export function findKeyRecordFaults(list: TagList, tags: Tags): KeyFault[] {
  // Either of these breaks the whole list and causes any other faults.
  const cause = escapingFault(list) || semicolonFault(tags.get('v') ?? '')
  return cause ? [cause] : RULES.flatMap((rule) => rule(list, tags) || [])
}

/** Quotation marks and backslashes of a zone file that a web form kept in the value. */
function escapingFault({ tags, invalidParts }: TagList): KeyFault | false {
  // Notes (n=) and unknown tags may contain anything.
  const values = tags.filter(({ name }) => READ_TAGS.includes(name)).map(({ value }) => value)
  const text = [...values, ...invalidParts].join(';')
  if (text.includes('\\')) {
    return {
      problem: 'The record contains backslashes.',
      remedy: 'Publish it without backslashes: ";" instead of "\\;".',
    }
  }
  return (
    text.includes('"') && {
      problem: 'The record contains quotation marks.',
      remedy: 'Publish it without quotation marks; the name server adds its own.',
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
      problem: `The version is v=${truncate(version)}, which receivers discard.`,
      remedy: 'Write v=DKIM1, in capital letters.',
    }
  )
}

function repeatedFault(names: readonly string[]): KeyFault | false {
  const seen = new Set<string>()
  const repeated = names.find((name) => seen.has(name) || !seen.add(name))
  return (
    repeated !== undefined && {
      problem: `The tag ${truncate(repeated)}= occurs more than once, which makes the whole record invalid.`,
      remedy: `Keep one ${truncate(repeated)}= tag and remove the others.`,
    }
  )
}

function keyMissingFault(tags: Tags): KeyFault {
  return tags.has('P')
    ? {
        problem: 'The tag names are in capital letters.',
        remedy: 'Write the tag names in lower case: p= instead of P=.',
      }
    : {
        problem: 'There is no p= tag, so there is no key.',
        remedy: 'Add the p= tag with the key that your mail service shows.',
      }
}

function typeFault(type: string): KeyFault | false {
  return (
    !KEY_TYPES.some((known) => known === type.toLowerCase()) && {
      problem: `The key type k=${truncate(type)} is unknown to receivers.`,
      remedy: 'Write k=rsa, or k=ed25519 if it is an Ed25519 key.',
    }
  )
}

/** RFC 6376 §3.6.1: unknown hashes are ignored, so none may be left. */
function hashFault(hashes: string): KeyFault | false {
  const items = hashes.split(':').map((hash) => hash.trim().toLowerCase())
  return (
    !items.some((hash) => KNOWN_HASHES.includes(hash)) && {
      problem: `The record allows only h=${truncate(hashes)}, which receivers do not know.`,
      remedy: 'Remove the h= tag, or write h=sha256.',
    }
  )
}

/** Part of the record, short enough for a sentence. */
function truncate(text: string): string {
  const characters = [...toDisplayText(text).replace(/\p{C}/gu, '\ufffd')]
  const head = characters.slice(0, MAX_SHOWN).join('')
  return characters.length > MAX_SHOWN ? `${head}…` : head
}
