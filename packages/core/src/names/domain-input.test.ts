import { describe, expect, test } from 'vitest'
import { parseDomainInput } from './domain-input.js'

describe('a leading www.', () => {
  test.each([
    ['www.example.com', 'example.com', 'www.example.com'],
    ['WWW.Example.COM.', 'example.com', 'www.example.com'],
    ['https://user@www.Example.com:8443/x?y', 'example.com', 'www.example.com'],
    ['ann@www.example.com', 'example.com', 'www.example.com'],
    ['www.mail.example.com', 'mail.example.com', 'www.mail.example.com'],
    ['www.acme.co.uk', 'acme.co.uk', 'www.acme.co.uk'],
    ['www.acme.github.io', 'acme.github.io', 'www.acme.github.io'],
    ['www.bakery.test', 'bakery.test', 'www.bakery.test'],
    ['www.bücher.de', 'xn--bcher-kva.de', 'www.xn--bcher-kva.de'],
    ['ｗｗｗ．bücher.de', 'xn--bcher-kva.de', 'www.xn--bcher-kva.de'],
    ['www.www.example.com', 'www.example.com', 'www.www.example.com'],
  ])('is removed from %s', (text, domain, requested) => {
    expect(parseDomainInput(text)).toEqual({ kind: 'domain', domain, requested })
  })

  test.each(['www.com', 'www.co.uk', 'www.github.io', 'www.test'])(
    'stays where nothing registrable would remain: %s',
    (domain) => {
      expect(parseDomainInput(domain)).toEqual({ kind: 'domain', domain, requested: null })
    },
  )

  test.each(['www.example.com', 'https://www.example.com/'])('stays with exact: %s', (text) => {
    expect(parseDomainInput(text, { exact: true })).toEqual({
      kind: 'domain',
      domain: 'www.example.com',
      requested: null,
    })
  })
})

test.each(['example.com', 'www2.example.com', 'wwww.example.com', 'mail.www.example.com'])(
  'other names are kept: %s',
  (domain) => {
    expect(parseDomainInput(domain)).toEqual({ kind: 'domain', domain, requested: null })
  },
)

test.each(['www', 'www.', 'www..example.com', 'www.192.0.2.1', 'my company'])(
  'what is not a domain is refused: %s',
  (text) => {
    expect(parseDomainInput(text)).toEqual({ kind: 'refused', reason: expect.any(String) })
  },
)
