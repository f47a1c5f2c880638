import { expect, test } from 'vitest'
import { findMistypedName, findMistypedPath } from './mistyped-name.js'
import { OPERATIONS } from './operations.js'

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

test.each([
  ['/v1/checks', '/v1/check'],
  ['/v1/check/', '/v1/check'],
  ['/check', '/v1/check'],
  ['/v1/Score', '/v1/score'],
  ['/v1/emailcheck', '/v1/email-check'],
  ['/v1/fix_plan', '/v1/fix-plan'],
])('%s was meant as %s', (given, path) => {
  expect(findMistypedPath(given, OPERATIONS)).toBe(path)
})

test.each(['/', '/nowhere', '/v1', '/v1/', '/v1/everything', '/wp-login.php'])(
  '%s was not meant as an endpoint',
  (given) => {
    expect(findMistypedPath(given, OPERATIONS)).toBeNull()
  },
)
