import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseQueryParameters } from './query-parameters.js'

const read = (query: string) => parseQueryParameters(`http://localhost/v1/mx?${query}`, ['email'])

test('a plus is a plus', () => {
  expect(read('email=ann+news@example.com')).toEqual({
    kind: 'parameters',
    values: { email: 'ann+news@example.com' },
  })
})

test('an equals sign may stand in a value', () => {
  expect(read('email=a=b')).toEqual({ kind: 'parameters', values: { email: 'a=b' } })
})

test('what stands behind a # is no parameter', () => {
  expect(read('email=a#b&email=c')).toEqual({ kind: 'parameters', values: { email: 'a' } })
})

test('no query is no parameters', () => {
  expect(parseQueryParameters('http://localhost/v1/mx', ['email'])).toEqual({
    kind: 'parameters',
    values: {},
  })
})

test('whatever was encoded comes back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(read(`x=1&email=${encodeURIComponent(text)}&y`)).toEqual({
        kind: 'parameters',
        values: { email: text },
      })
    }),
    { numRuns: propertyRuns(100) },
  )
})

test('no query string makes it throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(['parameters', 'invalid']).toContain(read(text).kind)
    }),
    { numRuns: propertyRuns(100) },
  )
})
