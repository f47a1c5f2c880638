/** Mailbox names of functions rather than people: RFC 2142, and what companies use beside it. */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

const MORE_ROLES: readonly string[] = ['datenschutz', 'dmarc', 'ssladmin', 'tlsrpt']

/** The list has departments named after cities and brands; people have these names, too. */
const NAMES_OF_PEOPLE: readonly string[] = [
  'alexa',
  'denver',
  'gardner',
  'india',
  'paris',
  'sydney',
]

let roles: ReadonlySet<string> | null = null

/** RFC 2142 §2 has these names in any case; here they are lower case. */
export function isRoleName(name: string): boolean {
  roles ??= load()
  return roles.has(name)
}

function load(): ReadonlySet<string> {
  const listed: readonly string[] = require('role-based-email-addresses')
  const all = [...listed, ...MORE_ROLES]
  return new Set(all.filter((name) => !NAMES_OF_PEOPLE.includes(name)))
}
