import { anyCharacter } from '@mailgrade/testing/any-character'
import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { parseQueryParameters, readFormValues } from './query-parameters.js'

const PARAMETERS = {
  input: z.object({
    domain: z.string(),
    email: z.string(),
    selector: z.array(z.string()).optional(),
    exact: z.boolean().optional(),
  }),
  repeatable: ['selector'],
}
const URL = 'http://localhost/v1/mx'

const parse = (query: string, options = {}) =>
  parseQueryParameters(`${URL}?${query}`, PARAMETERS, options)
const valuesOf = (query: string, options = {}) => {
  const parsed = parse(query, options)
  return parsed.kind === 'invalid' ? parsed : parsed.values
}

test.each([
  ['email=ann+news@example.com', { email: 'ann+news@example.com' }],
  ['email=ann%2Bnews@example.com', { email: 'ann+news@example.com' }],
  ['domain=my+company', { domain: 'my company' }],
  ['domain=my%20company', { domain: 'my company' }],
  ['domain=a%2Bb', { domain: 'a+b' }],
  ['selector=a+b', { selector: ['a b'] }],
])('a plus is a space, except in an email address: %s', (query, values) => {
  expect(valuesOf(query)).toEqual(values)
})

test('allows an equals sign in a value', () => {
  expect(valuesOf('email=a=b')).toEqual({ email: 'a=b' })
})

test('ignores the fragment', () => {
  expect(valuesOf('email=a#b&email=c')).toEqual({ email: 'a' })
})

test('returns nothing without a query', () => {
  expect(parseQueryParameters(URL, PARAMETERS)).toMatchObject({ kind: 'parameters', values: {} })
})

test('collects a parameter that may be repeated', () => {
  expect(valuesOf('selector=a&domain=x&selector=b')).toEqual({ domain: 'x', selector: ['a', 'b'] })
})

test('rejects any other parameter that is given twice', () => {
  expect(parse('domain=a&exact=true&exact=true')).toEqual({
    kind: 'invalid',
    parameter: 'exact',
    detail: 'You sent the parameter exact twice. Send it once.',
  })
})

test('ignores unknown parameters, and names them', () => {
  expect(parse('x=1&domian=a&x=%ff&%ff=2&__proto__=3')).toEqual({
    kind: 'parameters',
    values: {},
    names: ['x', 'domian', 'x', '__proto__'],
  })
})

describe('a form', () => {
  test('was not filled in where an optional field is empty', () => {
    const query = 'domain=&selector=&selector=a&exact='
    expect(valuesOf(query)).toEqual({ domain: '', selector: ['', 'a'], exact: '' })
    expect(valuesOf(query, { isForm: true })).toEqual({ domain: '', selector: ['a'] })
  })

  test('can be filled again', () => {
    expect(readFormValues(`${URL}?domain=my+company&selector=a&selector=`, PARAMETERS)).toEqual({
      domain: ['my company'],
      selector: ['a'],
    })
    expect(readFormValues(`${URL}?domain=a&domain=b`, PARAMETERS)).toEqual({})
  })
})

test('decodes any encoded text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(valuesOf(`x=1&email=${encodeURIComponent(text)}&y`)).toEqual({ email: text })
      expect(valuesOf(new URLSearchParams({ domain: text }).toString())).toEqual({ domain: text })
    }),
    { numRuns: propertyRuns(100) },
  )
})

test('never throws', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      expect(['parameters', 'invalid']).toContain(parse(text).kind)
    }),
    { numRuns: propertyRuns(100) },
  )
})
