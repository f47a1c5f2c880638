/** Names before the @ that people type to fill a form field, and those of functions. */
import { isListed } from '../read-data.js'

/** Only as the whole name: Testa and Foote are people. */
const PLACEHOLDER_NAMES: ReadonlySet<string> = new Set([
  ...['test', 'testing', 'tester', 'testgroup', 'demo', 'sample', 'example', 'dummy', 'fake'],
  ...['temp', 'temporary', 'placeholder', 'none', 'null', 'undefined', 'unknown', 'noemail'],
  ...['nobody', 'noone', 'user', 'guest', 'anonymous', 'name', 'random', 'nospam'],
  ...['foo', 'foobar', 'abc', 'abcd', 'xyz', 'aaa', 'bbb', 'xxx'],
])

const KEYBOARD_WALKS: readonly string[] = [
  ...['asd', 'asdasd', 'asdf', 'asdfasdf', 'asdfg', 'asdfgh', 'asdfghj', 'asdfghjk', 'asdfghjkl'],
  ...['qwer', 'qwert', 'qwerty', 'qwertyuiop', 'qwertz', 'qwertzuiop', 'azerty', 'azertyuiop'],
  ...['zxcv', 'zxcvb', 'zxcvbn', 'zxcvbnm', 'hjkl', 'fghj', 'poiuy', 'lkjh', 'qazwsx'],
  ...['1q2w3e', '1q2w3e4r'],
]

const KEYBOARD_WALK = new RegExp(`^(?:${KEYBOARD_WALKS.join('|')})\\d*$`)
const REPEATED_LETTER = /^([a-z])\1{3,}$/
const COUNT = '1234567890'

/** Expects lower case, without a tag. */
export function isPlaceholderName(name: string): boolean {
  return (
    PLACEHOLDER_NAMES.has(name) ||
    KEYBOARD_WALK.test(name) ||
    REPEATED_LETTER.test(name) ||
    (name.length >= 3 && COUNT.startsWith(name))
  )
}

/**
 * Real domains that are typed as examples. The reserved ones, such as example.com, are looked up
 * like any other name (RFC 6761 §6.5), and people have mailboxes at email.com.
 */
const PLACEHOLDER_DOMAINS: ReadonlySet<string> = new Set([
  'domain.com',
  'exemplo.com',
  'mydomain.com',
  'test.com',
  'your-domain.com',
  'yourcompany.com',
  'yourdomain.com',
])

export function isPlaceholderDomain(domain: string): boolean {
  return PLACEHOLDER_DOMAINS.has(domain)
}

/** RFC 2142 and common company names, not on the list. */
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
