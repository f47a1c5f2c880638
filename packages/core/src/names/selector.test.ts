import { describe, expect, test } from 'vitest'
import type { DomainName } from './domain-name.js'
import { INVALID_SELECTOR, parseSelector, parseSelectors } from './selector.js'

const DOMAIN = 'acme.test' as DomainName
const OTHER_DOMAIN =
  'This key name belongs to a different domain. Check that domain instead, or send only the part before ._domainkey.'

const selectorOf = (text: string, domain: DomainName = DOMAIN) => {
  const parsed = parseSelector(text, domain)
  return parsed.kind === 'selector' ? parsed.selector : parsed.reason
}

describe('a selector', () => {
  test.each(['google', '20230601', 'aweber_key_a', 'dkim.eu.west', '_x-', 'a'.repeat(63)])(
    'is %s',
    (text) => {
      expect(selectorOf(text)).toBe(text)
    },
  )

  test.each([
    'Google',
    'google._domainkey',
    'google._domainkey.',
    'google._DomainKey.acme.test',
    'google._domainkey.ACME.test.',
  ])('is read from %s', (text) => {
    expect(selectorOf(text)).toBe('google')
  })

  test('is read from the key name of an internationalized domain', () => {
    const domain = 'xn--bcher-kva.test' as DomainName
    expect(selectorOf('s1._domainkey.bücher.test', domain)).toBe('s1')
    expect(selectorOf('s1._domainkey.xn--bcher-kva.test', domain)).toBe('s1')
  })

  test.each([
    '',
    'google.',
    '.google',
    'a..b',
    'a'.repeat(64),
    'goo gle',
    'google\n',
    'schlüssel',
    '*',
    '._domainkey',
    '._domainkey.acme.test',
    'google._domainkey.-',
    'google._domainkey..',
    'google._domainkey.a_b.test',
  ])('is not %j', (text) => {
    expect(selectorOf(text)).toBe(INVALID_SELECTOR)
  })

  test.each(['google._domainkey.other.test', 'google._domainkey.mail.acme.test'])(
    'of another domain is refused: %s',
    (text) => {
      expect(selectorOf(text)).toBe(OTHER_DOMAIN)
    },
  )
})

describe('a list of selectors', () => {
  test('has each selector once', () => {
    expect(parseSelectors(['s1', 'S1', 's2._domainkey'], DOMAIN)).toEqual({
      kind: 'selectors',
      selectors: ['s1', 's2'],
    })
  })

  test('is refused with one that is not valid', () => {
    expect(parseSelectors(['s1', '*'], DOMAIN)).toEqual({
      kind: 'refused',
      reason: INVALID_SELECTOR,
    })
  })

  test('has at most five', () => {
    expect(parseSelectors(['a', 'b', 'c', 'd', 'e'], DOMAIN).kind).toBe('selectors')
    expect(parseSelectors(['a', 'b', 'c', 'd', 'e', 'f'], DOMAIN)).toEqual({
      kind: 'refused',
      reason: 'There are 6 selectors; send at most 5.',
    })
  })
})
