/** Mailbox names of functions rather than people: RFC 2142 and common company names. */

import { isListed } from '../read-data.js'
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

/** Expects lower case; RFC 2142 §2 allows any case. */
export function isRoleAccount(name: string): boolean {
  if (PERSONAL_NAMES.includes(name) || INITIALS.includes(name)) return false
  const isRole = isListed('roleAccounts', name) || MORE_ROLES.includes(name)
  // The list also has what people type to fill a field, such as test and asdf.
  return isRole && !isPlaceholderName(name)
}
