import { expect, test } from 'vitest'
import { findMistypedName } from './mistyped-name.js'

test.each([
  ['domain', 'Domain'],
  ['domain', 'DOMAIN'],
  ['domain', 'domian'],
  ['domain', 'odmain'],
  ['domain', 'domains'],
  ['domain', 'domaine'],
  ['domain', 'domin'],
  ['domain', 'fomain'],
  ['domain', 'Domian'],
  ['email', 'mail'],
  ['email', 'e-mail'],
  ['email', 'eMail'],
])('%s was meant by %s', (name, given) => {
  expect(findMistypedName(name, ['utm_source', given])).toBe(given)
})

test.each([
  ['domain', 'host'],
  ['domain', 'main'],
  ['domain', 'domniaa'],
  ['domain', 'email'],
  ['email', 'domain'],
  ['email', ''],
  ['domain', 'domain\n'],
  ['domain', 'domain<'],
  ['domain', `domain${'x'.repeat(5_000)}`],
])('%s was not meant by %j', (name, given) => {
  expect(findMistypedName(name, [given])).toBeNull()
})
