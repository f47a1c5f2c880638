import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseQueryParameters } from './query-parameters.js'

const parse = (query: string) => parseQueryParameters(`http://localhost/v1/mx?${query}`, ['email'])

test('keeps a plus', () => {
  expect(parse('email=ann+news@example.com')).toEqual({
    kind: 'parameters',
    values: { email: 'ann+news@example.com' },
  })
})

test('allows an equals sign in a value', () => {
  expect(parse('email=a=b')).toEqual({ kind: 'parameters', values: { email: 'a=b' } })
})

test('ignores the fragment', () => {
  expect(parse('email=a#b&email=c')).toEqual({ kind: 'parameters', values: { email: 'a' } })
})

test('returns nothing without a query', () => {
  expect(parseQueryParameters('http://localhost/v1/mx', ['email'])).toEqual({
    kind: 'parameters',
    values: {},
  })
})

test('decodes any encoded text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(parse(`x=1&email=${encodeURIComponent(text)}&y`)).toEqual({
        kind: 'parameters',
        values: { email: text },
      })
    }),
    { numRuns: propertyRuns(100) },
  )
})

test('never throws', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(['parameters', 'invalid']).toContain(parse(text).kind)
    }),
    { numRuns: propertyRuns(100) },
  )
})
