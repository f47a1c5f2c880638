/** Random addresses of all kinds, some invalid, for property tests. */
import { anyCharacter } from '@mailgrade/testing/any-character'
import fc from 'fast-check'

const ATOMS = [
  ...['ann', 'Lee', 'sales', 'no-reply', 'info', 'a', '1', "o'b", 'björn', 'bjo\u0308rn'],
  ...['asdf1', 'Test'],
]
const MORE_ATOMS = [
  '用户',
  'ü',
  '\u212a',
  '=\u0338',
  '\u0958',
  'מ',
  '+',
  '+news',
  '',
  '\u200b',
  'a b',
]
const QUOTED = ['a', '.', ' ', '@', '\\a', '\\"', '\\\\', '\\ ', '+', 'ü', '<', '(', ';', '\\@']

const atom = fc.constantFrom(...ATOMS, ...MORE_ATOMS)
const dotString = fc
  .array(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...ATOMS) }, atom), {
    minLength: 1,
    maxLength: 3,
  })
  .chain((atoms) => fc.constantFrom('.', '+', '').map((joint) => atoms.join(joint)))
const quotedString = fc
  .array(fc.constantFrom(...QUOTED, ...ATOMS), { maxLength: 6 })
  .map((pieces) => `"${pieces.join('')}"`)
export const randomLocalPart = fc.oneof(dotString, quotedString)

const DOMAINS = ['acme.test', 'ACME.Test', 'bücher.test', 'xn--bcher-kva.test', 'null.test']
const MORE_DOMAINS = ['gmial.com', 'Mailinator.com', 'x.mailinator.com', 'duck.com', 'gmail.com']
const ODD_DOMAINS = ['printer.local', 'x.invalid', 'web.test', 'dark.test', 'test.com', 'io']
const LITERALS = [
  '[192.0.2.1]',
  '[198.41.0.4]',
  '[010.0.0.1]',
  '[IPv6:2001:DB8:0::1]',
  '[ipv6:::1]',
  '[x]',
]
const place = fc.constantFrom(...DOMAINS, ...MORE_DOMAINS, ...ODD_DOMAINS, ...LITERALS)

export const randomMailAddress = fc.tuple(randomLocalPart, place).map((parts) => parts.join('@'))

export const randomText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 340 }),
  fc.string({ unit: anyCharacter, maxLength: 340 }),
  // Lone surrogates too.
  fc.array(fc.nat(0xffff), { maxLength: 30 }).map((units) => String.fromCharCode(...units)),
  fc.emailAddress(),
  fc.tuple(fc.string(), fc.string()).map((parts) => parts.join('@')),
  fc
    .tuple(randomLocalPart, fc.string({ unit: anyCharacter, maxLength: 20 }))
    .map((parts) => parts.join('@')),
)
