import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitCharacterStrings } from './character-strings.js'
import { toExactText, toOctets, toShownText } from './exact-text.js'

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
