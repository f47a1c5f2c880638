import { describe, expect, test } from 'vitest'
import {
  expandDomainSpec,
  isMalformedSpec,
  parseDomainSpec,
  parseMacroString,
  replaceMacros,
  senderlessMacros,
} from './domain-spec.js'

const acme = { domain: 'mail.acme.test', origin: 'acme.test' }

function expanded(text: string, sender = acme): string | null {
  const spec = parseDomainSpec(text)
  if (isMalformedSpec(spec)) throw new Error(spec.problem)
  return expandDomainSpec(spec, senderlessMacros(sender.domain, sender.origin))
}

describe('domain-spec', () => {
  test.each([
    'acme.test',
    'ACME.Test.',
    '_spf.acme.test',
    'a_b.c-d.xn--p1ai',
    'acme.1a',
    'acme.a1',
    'acme.a-1',
    'acme.1-1',
    '%{d}',
    '%{i}._spf.%{d2}',
    'x.%{d}',
    'acme%%',
    'acme%_',
    'acme%-',
    '%{S}',
    '%{l128r.-+,/_=}',
    'foo:8080.acme.test',
    'foo!$&*.acme.test',
    '.test',
  ])('accepts %s', (text) => {
    expect(parseDomainSpec(text)).toMatchObject({ text, parts: expect.any(Array) })
  })

  test.each([
    ['', 'a host name is missing'],
    ['localhost', '"localhost" isn’t a host name'],
    ['192.0.2.1', '"192.0.2.1" isn’t a host name'],
    ['acme.123', '"acme.123" isn’t a host name'],
    ['acme.-a', '"acme.-a" isn’t a host name'],
    ['acme.a-', '"acme.a-" isn’t a host name'],
    ['acme.a_b', '"acme.a_b" isn’t a host name'],
    ['acme.test..', '"acme.test.." isn’t a host name'],
    ['.', '"." isn’t a host name'],
    ['acme.test/24', '"acme.test/24" isn’t a host name'],
    ['%{d}acme', '"%{d}acme" isn’t a host name'],
    ['%{d}.', '"%{d}." isn’t a host name'],
    ['%', '"%" isn’t a macro'],
    ['acme%(d).test', '"%(" isn’t a macro'],
    ['%{x}.test', '"%{x}" isn’t a macro'],
    ['%{d', '"%{d" isn’t a macro'],
    ['%{}', '"%{}" isn’t a macro'],
    ['%{dr2}', '"%{dr2}" isn’t a macro'],
    ['%{d;}', '"%{d;}" isn’t a macro'],
    ['%{da}', '"%{da}" isn’t a macro'],
    [`%{${'d'.repeat(99)}}`, `"%{${'d'.repeat(18)}" isn’t a macro`],
    ['%{d0}', 'the number in the macro %{d0} has to be at least 1'],
    ['%{d00r}', 'the number in the macro %{d00r} has to be at least 1'],
    ['%{c}.test', '"%{c}.test" has a macro that’s allowed only in an explanation'],
    ['%{T}.test', '"%{T}.test" has a macro that’s allowed only in an explanation'],
    ['m\u00fcller.test', '"m\u00fcller.test" has a character that isn’t allowed'],
    ['acme\t.test', '"acme\ufffd.test" has a character that isn’t allowed'],
    ['acme\x7f.test', '"acme\ufffd.test" has a character that isn’t allowed'],
  ])('rejects %j', (text, problem) => {
    expect(parseDomainSpec(text)).toEqual({ problem })
  })
})

test('a macro-string may be empty or have any ending', () => {
  for (const text of ['', 'localhost', '192.0.2.1', 'a=b', '%{d}x']) {
    expect(isMalformedSpec(parseMacroString(text))).toBe(false)
  }
  expect(isMalformedSpec(parseMacroString('50%'))).toBe(true)
})

describe('expansion for a sender at acme.test in the record of mail.acme.test', () => {
  test.each([
    ['acme.test', 'acme.test'],
    ['ACME.Test.', 'acme.test'],
    ['%{d}', 'mail.acme.test'],
    ['%{D}', 'mail.acme.test'],
    ['%{o}', 'acme.test'],
    ['%{O}.x.test', 'acme.test.x.test'],
    ['%{d1}', 'test'],
    ['%{d2}', 'acme.test'],
    ['%{d3}', 'mail.acme.test'],
    ['%{d99}', 'mail.acme.test'],
    ['%{d99999999999999999999999}', 'mail.acme.test'],
    ['%{dr}', 'test.acme.mail'],
    ['%{d1r}', 'mail'],
    ['%{d2r}', 'acme.mail'],
    ['%{d-}', 'mail.acme.test'],
    ['a%%b.test', 'a%b.test'],
    ['a%_b.test', 'a b.test'],
    ['a%-b.test', 'a%20b.test'],
    ['_spf.%{d2}', '_spf.acme.test'],
    ['%{d}.%{o}', 'mail.acme.test.acme.test'],
  ])('%s is %s', (text, name) => {
    expect(expanded(text)).toBe(name)
  })

  test.each(['%{i}', '%{s}', '%{l}', '%{p}', '%{v}', '%{h}', '%{I}.test', 'x.%{ir}.%{v}.%{d}'])(
    '%s depends on the sender',
    (text) => {
      expect(expanded(text)).toBeNull()
    },
  )
})

describe('delimiters', () => {
  const sender = { domain: 'a-b_c.d-e.test', origin: 'a+b=c/d.test' }

  test.each([
    ['%{d-}', 'a.b_c.d.e.test'],
    ['%{d2-}', 'b_c.d.e.test'],
    ['%{dr-}', 'e.test.b_c.d.a'],
    ['%{d_}', 'a-b.c.d-e.test'],
    ['%{d.-_}', 'a.b.c.d.e.test'],
    ['%{d1r-_}', 'a'],
    ['%{o+=/}', 'a.b.c.d.test'],
    ['%{d--}', 'a.b_c.d.e.test'],
    ['%{d-/-.}', 'a.b_c.d.e.test'],
    ['%{d=-_-+}', 'a.b.c.d.e.test'],
    ['%{o,-/-+}', 'a.b=c.d.test'],
  ])('%s splits at each delimiter and joins with dots', (text, name) => {
    expect(expanded(text, sender)).toBe(name)
  })
})

describe('name longer than 253 characters', () => {
  const label = 'x'.repeat(50)

  test('253 characters are kept', () => {
    const fitting = `${[label, label, label, label].join('.')}.${'y'.repeat(44)}.test`
    expect(fitting).toHaveLength(253)
    expect(expanded(fitting)).toBe(fitting)
  })

  test('drops labels on the left', () => {
    const rest = `${[label, label, label, label].join('.')}.${'y'.repeat(44)}.test`
    expect(expanded(`a.${rest}`)).toBe(rest)
    expect(expanded(`${label}.b.${rest}`)).toBe(rest)
    expect(expanded(`a.${rest.slice(1)}`)).toBe(rest.slice(1))
  })

  test('a single label is kept', () => {
    expect(expanded(`${'x'.repeat(300)}%{d1}`)).toBe(`${'x'.repeat(300)}test`)
  })
})

test('replaces each macro with one label', () => {
  const spec = parseDomainSpec('%{i}._ip.%{h}.%{D}._spf.Vali.email.')
  expect(isMalformedSpec(spec) || replaceMacros(spec)).toBe('x._ip.x.x._spf.vali.email')
})
