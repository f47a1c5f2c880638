import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitCharacterStrings, toExactText, toOctets, toShownText } from './record-data.js'

test.each([
  ['x=1', 'x=1', 'x=1'],
  ['caf\xc3\xa9', 'café', 'café'],
  ['caf\xe9', 'caf\udce9', 'café'],
  ['\xc3\xa9\xff', '\udcc3\udca9\udcff', 'Ã©ÿ'],
])('the octets %j are the exact text %j, shown as %j', (octets, exact, shown) => {
  expect(toExactText(octets)).toBe(exact)
  expect(toShownText(exact)).toBe(shown)
})

test('any octets can be restored, also from strings of at most 255 octets', () => {
  const character = fc.integer({ min: 0, max: 255 }).map((octet) => String.fromCharCode(octet))
  fc.assert(
    fc.property(fc.array(character, { maxLength: 600 }), (characters) => {
      const octets = characters.join('')
      const exact = toExactText(octets)
      expect(toOctets(exact).toString('latin1')).toBe(octets)
      const strings = splitCharacterStrings(exact).map(toOctets)
      expect(Buffer.concat(strings).toString('latin1')).toBe(octets)
      expect(Math.max(...strings.map(({ length }) => length))).toBeLessThanOrEqual(255)
    }),
    { numRuns: propertyRuns(1_000) },
  )
})

test.each([
  ['nothing', '', ['']],
  ['255 octets', 'x'.repeat(255), ['x'.repeat(255)]],
  ['256 octets', 'x'.repeat(256), ['x'.repeat(255), 'x']],
  ['510 octets', 'x'.repeat(510), ['x'.repeat(255), 'x'.repeat(255)]],
  ['two octets that would be cut', `${'x'.repeat(254)}ü`, ['x'.repeat(254), 'ü']],
  ['four octets that would be cut', `${'x'.repeat(252)}😀`, ['x'.repeat(252), '😀']],
  [
    'a word that would be cut',
    `${'x'.repeat(55)} ${'y'.repeat(200)}`,
    [`${'x'.repeat(55)} `, 'y'.repeat(200)],
  ],
  [
    'a word that is too long to move',
    `${'x'.repeat(54)} ${'y'.repeat(201)}`,
    [`${'x'.repeat(54)} ${'y'.repeat(200)}`, 'y'],
  ],
  [
    'a space after 255 octets',
    `${'x'.repeat(100)} ${'y'.repeat(154)} z`,
    [`${'x'.repeat(100)} `, `${'y'.repeat(154)} z`],
  ],
])('%s', (_, text, strings) => {
  expect(splitCharacterStrings(text)).toEqual(strings)
})

const words = fc
  .array(
    fc.oneof(
      fc.domain().map((name) => `include:${name}`),
      fc.ipV4().map((address) => `ip4:${address}`),
      fc.ipV6().map((address) => `ip6:${address}`),
      fc.string({ unit: fc.constantFrom('a', 'ü', '€', '😀'), minLength: 1, maxLength: 120 }),
    ),
    { maxLength: 60 },
  )
  .map((each) => each.join(' '))
const text = fc.oneof(
  words,
  fc.string({ unit: fc.constantFrom('a', 'ü', '€', '😀', '\n', ' '), maxLength: 900 }),
  fc.base64String({ maxLength: 1_200 }).map((key) => `v=DKIM1; k=rsa; p=${key}`),
)

test('keeps the text and the limit, and leaves SPF terms whole', () => {
  fc.assert(
    fc.property(text, (value) => {
      const strings = splitCharacterStrings(value)
      expect(strings.join('')).toBe(value)
      expect(strings.every((string) => Buffer.byteLength(string) <= 255)).toBe(true)
      const terms = (from: string) =>
        from.split(' ').filter((word) => /^(?:ip4|ip6|include):/.test(word) && word.length < 200)
      expect(strings.flatMap(terms)).toEqual(terms(value))
    }),
    { numRuns: propertyRuns(200) },
  )
})

test('fills every string of a text without spaces but the last', () => {
  const solid = fc.string({ unit: fc.constantFrom('a', 'ü', '€', '😀', '\n'), maxLength: 900 })
  fc.assert(
    fc.property(solid, (value) => {
      const sizes = splitCharacterStrings(value).map((string) => Buffer.byteLength(string))
      expect(sizes.slice(0, -1).every((size) => size > 255 - 4)).toBe(true)
    }),
    { numRuns: propertyRuns(100) },
  )
})

test('splits a record with 20 includes only at spaces', () => {
  const includes = Array.from({ length: 20 }, (_, index) => `include:_spf${index}.mail.example`)
  const record = ['v=spf1', ...includes, '~all'].join(' ')
  const strings = splitCharacterStrings(record)
  expect(strings).toHaveLength(3)
  expect(strings.slice(0, -1).every((string) => /[^ ] $/.test(string))).toBe(true)
  expect(strings.flatMap((string) => string.trim().split(' '))).toEqual(record.split(' '))
})
