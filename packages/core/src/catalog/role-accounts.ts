/** Mailbox names of functions rather than people: RFC 2142 and common company names. */

import { readNames } from '../read-data.js'
import { isPlaceholderName } from './placeholders.js'

const MORE_ROLES: readonly string[] = ['datenschutz', 'dmarc', 'ssladmin', 'tlsrpt']

/** On the list as places and brands, but also names of people. */
const PERSONAL_NAMES: readonly string[] = [
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

/** On the list as places and jobs, but more often the initials of a person. */
const INITIALS: readonly string[] =
  'ap bd ca cm cs gm la lt md mt ny pd pm rh se sf ta uk us'.split(' ')

let roles: ReadonlySet<string> | null = null

/** Expects lower case; RFC 2142 §2 allows any case. */
export function isRoleAccount(name: string): boolean {
  roles ??= load()
  return roles.has(name)
}

function load(): ReadonlySet<string> {
  const all = [...readNames('roleAccounts'), ...MORE_ROLES]
  const people = new Set([...PERSONAL_NAMES, ...INITIALS])
  // The list also has what people type to fill a field, such as test and asdf.
  return new Set(all.filter((name) => !people.has(name) && !isPlaceholderName(name)))
}
