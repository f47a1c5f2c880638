import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitCharacterStrings } from './character-strings.js'

test.each([
  ['nothing', '', ['']],
  ['255 octets', 'x'.repeat(255), ['x'.repeat(255)]],
  ['256 octets', 'x'.repeat(256), ['x'.repeat(255), 'x']],
  ['510 octets', 'x'.repeat(510), ['x'.repeat(255), 'x'.repeat(255)]],
  ['two octets that would be cut', `${'x'.repeat(254)}ü`, ['x'.repeat(254), 'ü']],
  ['four octets that would be cut', `${'x'.repeat(252)}😀`, ['x'.repeat(252), '😀']],
])('%s', (_, text, strings) => {
  expect(splitCharacterStrings(text)).toEqual(strings)
})

test('fills every string but the last, and keeps the text', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'ü', '€', '😀', '\n'), maxLength: 900 })
  fc.assert(
    fc.property(text, (value) => {
      const strings = splitCharacterStrings(value)
      const sizes = strings.map((string) => Buffer.byteLength(string))
      expect(strings.join('')).toBe(value)
      expect(sizes.every((size) => size <= 255)).toBe(true)
      expect(sizes.slice(0, -1).every((size) => size > 255 - 4)).toBe(true)
    }),
    { numRuns: propertyRuns(100) },
  )
})
