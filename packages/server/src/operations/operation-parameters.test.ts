import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { checkSelectorLength, domainParameter, selectorParameter } from './operation-parameters.js'

const input = z
  .object({ domain: domainParameter, selector: selectorParameter })
  .superRefine(checkSelectorLength)

const given = (selector?: string, domain = 'acme.test') => input.safeParse({ domain, selector })

test('may be left out', () => {
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
])('%s is one', (selector) => {
  expect(given(selector).data?.selector).toBe(selector)
})

test('is read without regard to case, as the DNS reads it', () => {
  expect(given('Selector1').data?.selector).toBe('selector1')
})

describe('is refused', () => {
  test.each([
    ['nothing', ''],
    ['a dot at the end', 'google.'],
    ['a dot at the start', '.google'],
    ['two dots in a row', 'a..b'],
    ['a label that is too long', 'a'.repeat(64)],
    ['a space', 'goo gle'],
    ['a line break at the end', 'google\n'],
    ['a letter beyond ASCII', 'schlüssel'],
    ['a letter that only looks like one', '\u212a1'],
    ['an escape', 'a\\.b'],
    ['a star', '*'],
    ['an address', 'ann@acme.test'],
  ])('%s', (_, selector) => {
    expect(given(selector).error?.issues).toMatchObject([
      { path: ['selector'], message: expect.stringContaining('This is no DKIM selector') },
    ])
  })

  test('when the name of the key becomes longer than a DNS name', () => {
    const label = 'd'.repeat(63)
    const domain = `${label}.${label}.${label}.test` // 196 characters
    const fitting = `${'s'.repeat(40)}.ssss` // 45, and 12 for ._domainkey.
    expect(given(fitting, domain).success).toBe(true)
    expect(given(`${fitting}s`, domain).error?.issues).toMatchObject([
      { path: ['selector'], message: expect.stringContaining('254 characters') },
    ])
  })

  test('and a wrong domain is named first', () => {
    expect(given('*', 'localhost').error?.issues[0]?.path).toEqual(['domain'])
  })
})
