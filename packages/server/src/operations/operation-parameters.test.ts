import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { checkSelector, domainParameter, selectorParameter } from './operation-parameters.js'

const input = z
  .object({ domain: domainParameter, selector: selectorParameter })
  .superRefine(checkSelector)

const parse = (selector?: string, domain = 'acme.test') => input.safeParse({ domain, selector })

test('selector is optional', () => {
  expect(input.parse({ domain: 'acme.test' })).toEqual({ domain: 'acme.test' })
})

test.each([
  'google',
  's1',
  '20230601',
  'aweber_key_a',
  'ovhmo-selector-1',
  'dkim.eu.west',
  '_x-',
  'a'.repeat(63),
])('accepts the selector %s', (selector) => {
  expect(parse(selector).data?.selector).toBe(selector)
})

test('converts the selector to lower case, because DNS ignores case', () => {
  expect(parse('Selector1').data?.selector).toBe('selector1')
})

describe('rejects', () => {
  test.each([
    ['an empty selector', ''],
    ['a dot at the end', 'google.'],
    ['a dot at the start', '.google'],
    ['two dots in a row', 'a..b'],
    ['a label that is too long', 'a'.repeat(64)],
    ['a space', 'goo gle'],
    ['a line break at the end', 'google\n'],
    ['a letter beyond ASCII', 'schlüssel'],
    ['a letter that looks like ASCII', '\u212a1'],
    ['an escape', 'a\\.b'],
    ['a star', '*'],
    ['an address', 'ann@acme.test'],
  ])('%s', (_, selector) => {
    expect(parse(selector).error?.issues).toMatchObject([
      { path: ['selector'], message: expect.stringContaining('This is not a DKIM selector') },
    ])
  })

  test('a key name that is longer than DNS allows', () => {
    const label = 'd'.repeat(63)
    const domain = `${label}.${label}.${label}.test` // 196 characters
    const fitting = `${'s'.repeat(40)}.ssss` // 45, and 12 for ._domainkey.
    expect(parse(fitting, domain).success).toBe(true)
    expect(parse(`${fitting}s`, domain).error?.issues).toMatchObject([
      { path: ['selector'], message: expect.stringContaining('254 characters') },
    ])
  })

  test('an invalid domain before an invalid selector', () => {
    expect(parse('*', 'localhost').error?.issues[0]?.path).toEqual(['domain'])
  })
})
