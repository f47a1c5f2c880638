import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { toASCII, toUnicode } from 'tr46'
import { expect, test } from 'vitest'
import { parseDomain } from './domain-name.js'
import { toALabels, toULabels } from './uts46.js'

test('the fast path gives the same result as full processing', () => {
  const rules = { checkBidi: true, checkJoiners: true, useSTD3ASCIIRules: true }
  const units = fc.constantFrom(
    'a',
    'Z',
    '0',
    '-',
    '.',
    '_',
    'xn--',
    'XN--',
    'bcher-kva',
    'ü',
    '\n',
  )
  fc.assert(
    fc.property(fc.string({ unit: units, maxLength: 12 }), (name) => {
      expect(toALabels(name)).toBe(toASCII(name, rules))
      expect(toULabels(name)).toBe(toUnicode(name, rules).domain)
    }),
    { numRuns: propertyRuns(2000) },
  )
})

test('reports every character that the mapping removes', () => {
  // All others are ideographs, Hangul syllables, private or unassigned.
  const ranges = [
    [0x00000, 0x03400],
    [0x0a000, 0x0ac00],
    [0x0d7a4, 0x0d800],
    [0x0f900, 0x17000],
    [0x18d80, 0x20000],
    [0xe0000, 0xe1000],
  ] as const
  const dropped = ranges
    .flatMap(([from, to]) =>
      Array.from({ length: to - from }, (_, at) => String.fromCodePoint(from + at)),
    )
    .filter((character) => toULabels(character) === '')
  expect(dropped.length).toBeGreaterThan(250)
  for (const character of dropped) {
    expect(parseDomain(`a${character}b.de`)).toMatchObject({
      reason: expect.stringContaining('has an invisible character, '),
    })
  }
})
