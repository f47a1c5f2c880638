import { describe, expect, test } from 'vitest'
import { type DomainName, parseDomain, parseDomainInput, toUnicodeDomain } from './domain-name.js'

function domainOf(text: string): DomainName {
  const parsed = parseDomain(text)
  if (parsed.kind === 'refused') throw new Error(parsed.reason)
  return parsed.domain
}

describe('domain', () => {
  test.each([
    ['example.com', 'example.com'],
    ['WWW.Example.COM', 'www.example.com'],
    ['example.com.', 'example.com'],
    [' \t\r\nexample.com\u00a0\n', 'example.com'],
    ['a.b', 'a.b'],
    ['3com.com', '3com.com'],
    ['1.2.3.4.com', '1.2.3.4.com'],
    ['0x7f.de', '0x7f.de'],
    ['r3---sn.example.com', 'r3---sn.example.com'],
    ['ab--ü.de', 'xn--ab---3ra.de'],
    ['local.example.com', 'local.example.com'],
    ['shop.test', 'shop.test'],
    ['shop.example', 'shop.example'],
    [`${'a'.repeat(63)}.de`, `${'a'.repeat(63)}.de`],
    [`${'a.'.repeat(125)}com`, `${'a.'.repeat(125)}com`],
    [`${' '.repeat(309)}example.com`, 'example.com'],
  ])('%j is %j', (text, domain) => {
    expect(parseDomain(text)).toEqual({ kind: 'domain', domain })
  })
})

describe('international name', () => {
  test.each([
    ['Bücher.de', 'xn--bcher-kva.de', 'bücher.de'],
    ['Bu\u0308cher.de', 'xn--bcher-kva.de', 'bücher.de'],
    ['XN--Bcher-KVA.de', 'xn--bcher-kva.de', 'bücher.de'],
    ['bücher.de。', 'xn--bcher-kva.de', 'bücher.de'],
    ['例え。テスト', 'xn--r8jz45g.xn--zckzah', '例え.テスト'],
    ['例え．テスト｡', 'xn--r8jz45g.xn--zckzah', '例え.テスト'],
    // Nontransitional: ß is a letter of its own, not another way to write ss.
    ['faß.de', 'xn--fa-hia.de', 'faß.de'],
    ['FASS.de', 'fass.de', null],
    ['ｅｘａｍｐｌｅ．ｃｏｍ', 'example.com', null],
    ['ｘｎ－－bcher-kva.de', 'xn--bcher-kva.de', 'bücher.de'],
    ['a’b.com', 'xn--ab-n2t.com', 'a’b.com'],
    ['💩.la', 'xn--ls8h.la', '💩.la'],
    ['موقع.مصر', 'xn--4gbrim.xn--wgbh1c', 'موقع.مصر'],
    // Joiners where RFC 5892 appendix A lets them stand.
    ['نامه\u200cای.com', 'xn--mgba3gch31f060k.com', 'نامه\u200cای.com'],
    ['क्\u200dष.com', 'xn--11b2ezcw70k.com', 'क्\u200dष.com'],
  ])('%j is %j', (text, domain, unicode) => {
    expect(parseDomain(text)).toEqual({ kind: 'domain', domain })
    expect(toUnicodeDomain(domainOf(text))).toBe(unicode)
  })
})

describe('URL', () => {
  test.each([
    ['https://user@www.Example.com:8443/x?y', 'www.example.com'],
    ['https://user:secret@example.com', 'example.com'],
    ['https://user:s@cret@example.com/', 'example.com'],
    ['HTTP://EXAMPLE.COM', 'example.com'],
    ['git+ssh://git@example.com./repo', 'example.com'],
    ['https://example.com?a=ann@example.org', 'example.com'],
    ['https://example.com#a/b', 'example.com'],
    ['https://example.com/@ann', 'example.com'],
    ['https://example.com:/', 'example.com'],
    ['smtp://example.com:65535', 'example.com'],
    ['https://bücher.de/\\', 'xn--bcher-kva.de'],
  ])('%j is on %j', (text, domain) => {
    expect(parseDomain(text)).toEqual({ kind: 'domain', domain })
  })
})

describe('email address', () => {
  test.each([
    ['ann@example.com', 'example.com'],
    ['Ann+news@Example.com.', 'example.com'],
    ["o'brien@example.com", 'example.com'],
    ['a/b@example.com', 'example.com'],
    ['björn@bücher.de', 'xn--bcher-kva.de'],
    ['"a b"@example.com', 'example.com'],
    ['"<a>@\\"b,:;"@example.com', 'example.com'],
    ['mailto:ann@example.com', 'example.com'],
    ['MailTo:ann@example.com?subject=To whom@else', 'example.com'],
    ['mailto:ann@example.com#top', 'example.com'],
  ])('%j is on %j', (text, domain) => {
    expect(parseDomain(text)).toEqual({ kind: 'domain', domain })
  })
})

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
