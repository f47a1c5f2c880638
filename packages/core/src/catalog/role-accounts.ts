/** Mailbox names of functions rather than people: RFC 2142, and what companies use beside it. */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

const MORE_ROLES: readonly string[] = ['datenschutz', 'dmarc', 'ssladmin', 'tlsrpt']

/** The list has departments named after places and brands; people have these names, too. */
const NAMES_OF_PEOPLE: readonly string[] = [
  'alexa',
  'alla',
  'berlin',
  'china',
  'denver',
  'france',
  'gardner',
  'india',
  'paris',
  'sydney',
]

/** Codes of places and jobs that are the initials of more people than there are such mailboxes. */
const INITIALS: readonly string[] =
  'ap bd ca cm cs gm la lt md mt ny pd pm rh se sf ta uk us'.split(' ')

let roles: ReadonlySet<string> | null = null

/** RFC 2142 §2 has these names in any case; here they are lower case. */
export function isRoleAccount(name: string): boolean {
  roles ??= load()
  return roles.has(name)
}

function load(): ReadonlySet<string> {
  const listed: readonly string[] = require('role-based-email-addresses')
  const all = [...listed, ...MORE_ROLES]
  const people = new Set([...NAMES_OF_PEOPLE, ...INITIALS])
  return new Set(all.filter((name) => !people.has(name)))
}
