import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTagList } from './tag-list.js'

test('keeps order and repeated tags, and trims white space', () => {
  expect(
    parseTagList('v=DMARC1;p = reject ;\tsp=\r\n none;p=none; rua=mailto:a@b.test?x=y'),
  ).toEqual({
    tags: [
      { name: 'v', value: 'DMARC1' },
      { name: 'p', value: 'reject' },
      { name: 'sp', value: 'none' },
      { name: 'p', value: 'none' },
      { name: 'rua', value: 'mailto:a@b.test?x=y' },
    ],
    invalidParts: [],
    isComplete: true,
  })
})

test('accepts empty values and skips empty parts', () => {
  expect(parseTagList(';; p= ;;')).toEqual({
    tags: [{ name: 'p', value: '' }],
    invalidParts: [],
    isComplete: true,
  })
})

test.each(['reject', '=x', '1p=x', 'p-q=x', 'p q=x', 'ü=x'])('%j is not a tag', (piece) => {
  expect(parseTagList(`v=X; ${piece}; p=y`)).toEqual({
    tags: [
      { name: 'v', value: 'X' },
      { name: 'p', value: 'y' },
    ],
    invalidParts: [piece],
    isComplete: true,
  })
})

test('accepts any valid tag name', () => {
  const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty']
  const { tags } = parseTagList(names.map((name) => `${name}=1`).join(';'))
  expect(tags.map(({ name }) => name)).toEqual(names)
})

test('every nonempty part is a tag or an invalid part', () => {
  const piece = fc.string({ unit: fc.constantFrom('p', '=', ' ', '\t', '_', '1', 'é', '\n') })
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const { tags, invalidParts } = parseTagList(pieces.join(';'))
      const filled = pieces.filter((text) => text.trim() !== '')
      expect(tags.length + invalidParts.length).toBe(filled.length)
    }),
    { numRuns: propertyRuns(100) },
  )
})

test('handles a megabyte of white space in linear time', () => {
  const spaces = ' '.repeat(1_000_000)
  expect(parseTagList(`p${spaces}=${spaces}x${spaces};${spaces}x`)).toEqual({
    tags: [{ name: 'p', value: 'x' }],
    invalidParts: ['x'],
    isComplete: true,
  })
})

test('reads only as many parts as the limit', () => {
  expect(parseTagList('a=1; b; c=3; d=4', 3)).toEqual({
    tags: [
      { name: 'a', value: '1' },
      { name: 'c', value: '3' },
    ],
    invalidParts: ['b'],
    isComplete: false,
  })
  expect(parseTagList('a=1; b; c=3', 3).isComplete).toBe(true)
})
