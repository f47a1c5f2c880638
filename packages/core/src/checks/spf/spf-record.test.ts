import { describe, expect, test } from 'vitest'
import { activeTerms, isSpfRecord, parseSpf } from './spf-record.js'

const termOf = (text: string) => parseSpf(`v=spf1 ${text}`).terms[0]
const hostOf = (term: ReturnType<typeof termOf>) =>
  term && 'target' in term ? (term.target?.text ?? null) : undefined

describe('isSpfRecord', () => {
  test.each(['v=spf1', 'v=spf1 ', 'V=sPf1 -all', 'v=spf1  mx'])('accepts "%s"', (text) => {
    expect(isSpfRecord(text)).toBe(true)
  })

  test.each([
    '',
    'v=spf10 mx',
    ' v=spf1 mx',
    'v=spf1\tmx',
    'v=spf1\u00a0mx',
    'v=spf1;mx',
    'v=spf1\n',
    'v =spf1 mx',
    'xv=spf1 mx',
    'x\nv=spf1 mx',
  ])('rejects %j', (text) => {
    expect(isSpfRecord(text)).toBe(false)
  })
})

describe('mechanisms', () => {
  test.each([
    ['all', 'all', '+'],
    ['-all', 'all', '-'],
    ['~ALL', 'all', '~'],
    ['?All', 'all', '?'],
    ['ptr', 'ptr', '+'],
    ['+mx', 'mx', '+'],
  ])('%s', (text, kind, qualifier) => {
    expect(termOf(text)).toMatchObject({ kind, qualifier, target: null, address: null, text })
  })

  test.each([
    ['a', null, 32, 128],
    ['A:Acme.test', 'Acme.test', 32, 128],
    ['a/24', null, 24, 128],
    ['a//64', null, 32, 64],
    ['a/0//0', null, 0, 0],
    ['a/32//128', null, 32, 128],
    ['a:acme.test/24', 'acme.test', 24, 128],
    ['mx:acme.test//64', 'acme.test', 32, 64],
    ['mx:acme.test/24//64', 'acme.test', 24, 64],
    ['mx/24//64', null, 24, 64],
    ['a:%{d}/24', '%{d}', 24, 128],
    ['a:%{d/}/24', '%{d/}', 24, 128],
    ['a:foo:8080.acme.test', 'foo:8080.acme.test', 32, 128],
    ['a:x/y.acme.test', 'x/y.acme.test', 32, 128],
    ['ptr:acme.test', 'acme.test', 32, 128],
    ['include:_spf.acme.test', '_spf.acme.test', 32, 128],
    ['exists:%{ir}.%{d}', '%{ir}.%{d}', 32, 128],
  ])('%s has host %s, /%s and //%s', (text, host, ipv4Prefix, ipv6Prefix) => {
    const term = termOf(text)
    expect(term).toMatchObject({ qualifier: '+', ipv4Prefix, ipv6Prefix })
    expect(hostOf(term)).toBe(host)
  })

  test.each([
    ['ip4:192.0.2.1', '192.0.2.1', 32, 128],
    ['ip4:192.0.2.0/24', '192.0.2.0', 24, 128],
    ['ip4:0.0.0.0/0', '0.0.0.0', 0, 128],
    ['IP6:2001:DB8::1', '2001:DB8::1', 32, 128],
    ['ip6:2001:db8::/32', '2001:db8::', 32, 32],
    ['ip6:::/0', '::', 32, 0],
    ['ip6:::ffff:192.0.2.1/96', '::ffff:192.0.2.1', 32, 96],
  ])('%s has address %s', (text, address, ipv4Prefix, ipv6Prefix) => {
    expect(termOf(text)).toMatchObject({ address, ipv4Prefix, ipv6Prefix, target: null })
  })
})

describe('modifiers', () => {
  test.each([
    ['redirect=_spf.acme.test', 'redirect', 'redirect', '_spf.acme.test'],
    ['REDIRECT=Acme.test', 'redirect', 'redirect', 'Acme.test'],
    ['exp=why.%{d}', 'exp', 'exp', 'why.%{d}'],
    ['foo=bar', 'unknown-modifier', 'foo', 'bar'],
    ['foo=', 'unknown-modifier', 'foo', ''],
    ['foo=%{c}', 'unknown-modifier', 'foo', '%{c}'],
    ['f.o-o_1=a=b:c/d', 'unknown-modifier', 'f.o-o_1', 'a=b:c/d'],
    ['include=acme.test', 'unknown-modifier', 'include', 'acme.test'],
    ['constructor=x', 'unknown-modifier', 'constructor', 'x'],
    ['v=spf1', 'unknown-modifier', 'v', 'spf1'],
  ])('%s is %s', (text, kind, name, value) => {
    const term = termOf(text)
    expect(term).toMatchObject({ kind, name, text })
    expect(hostOf(term)).toBe(value)
  })

  test('may be repeated, except redirect and exp', () => {
    const kinds = (text: string) => parseSpf(`v=spf1 ${text}`).terms.map(({ kind }) => kind)
    expect(kinds('foo=1 foo=2')).toEqual(['unknown-modifier', 'unknown-modifier'])
    expect(kinds('redirect=a.test -all REDIRECT=a.test')).toEqual(['redirect', 'all', 'invalid'])
    expect(kinds('exp=a.test exp=b.test')).toEqual(['exp', 'invalid'])
  })
})

describe('invalid terms', () => {
  test.each([
    ['foo', 'there’s no mechanism "foo"'],
    ['-', 'there’s no mechanism ""'],
    [':', 'there’s no mechanism ""'],
    ['=x', 'there’s no mechanism "=x"'],
    ['--all', 'there’s no mechanism "-all"'],
    ['!all', 'there’s no mechanism "!all"'],
    ['all;', 'there’s no mechanism "all;"'],
    ['all,', 'there’s no mechanism "all,"'],
    ['__proto__=x', 'there’s no mechanism "__proto__=x"'],
    ['-redirect=a.test', 'there’s no mechanism "redirect=a.test"'],
    ['constructor', 'there’s no mechanism "constructor"'],
    ['ipv4:192.0.2.1', 'there’s no mechanism "ipv4"; write ip4'],
    ['IP:192.0.2.1', 'there’s no mechanism "IP"; write ip4'],
    ['redirect:a.test', 'there’s no mechanism "redirect"; write redirect='],
    ['192.0.2.1', 'there’s no mechanism "192.0.2.1"'],
    ['all:acme.test', 'all doesn’t take a value'],
    ['all/8', 'all doesn’t take a value'],
    ['include', 'include needs a colon and a host name'],
    ['include:', 'a host name is missing'],
    ['include/24', 'include needs a colon and a host name'],
    ['exists', 'exists needs a colon and a host name'],
    ['exists:localhost', '"localhost" isn’t a host name'],
    ['include:192.0.2.1', '"192.0.2.1" isn’t a host name'],
    ['include:acme.test/24', '"acme.test/24" isn’t a host name'],
    ['ptr/24', 'ptr takes a colon and a host name'],
    ['ptr:', 'a host name is missing'],
    ['a:', 'a host name is missing'],
    ['a:/24', 'a host name is missing'],
    ['a:localhost', '"localhost" isn’t a host name'],
    ['a/33', '/33 isn’t a prefix length from 0 to 32'],
    ['a/024', '/024 isn’t a prefix length from 0 to 32'],
    ['a/', '/ isn’t a prefix length from 0 to 32'],
    ['mx//', '// isn’t a prefix length from 0 to 128'],
    ['a//129', '//129 isn’t a prefix length from 0 to 128'],
    ['a:acme.test//064', '//064 isn’t a prefix length from 0 to 128'],
    ['a/24/32', '"/24" isn’t allowed here'],
    ['a24', 'there’s no mechanism "a24"'],
    ['ip4', '"" isn’t an IPv4 address'],
    ['ip4:', '"" isn’t an IPv4 address'],
    ['ip4/192.0.2.1', '"" isn’t an IPv4 address'],
    ['ip4:192.0.2', '"192.0.2" isn’t an IPv4 address'],
    ['ip4:192.0.2.256', '"192.0.2.256" isn’t an IPv4 address'],
    ['ip4:192.0.02.1', '"192.0.02.1" isn’t an IPv4 address'],
    ['ip4:2001:db8::1', '"2001:db8::1" isn’t an IPv4 address'],
    ['ip4:192.0.2.0/33', '"/33" isn’t a prefix length from 0 to 32'],
    ['ip4:192.0.2.0/', '"/" isn’t a prefix length from 0 to 32'],
    ['ip4:192.0.2.0/024', '"/024" isn’t a prefix length from 0 to 32'],
    ['ip4:192.0.2.0/255.255.255.0', '"/255.255.255.0" isn’t a prefix length from 0 to 32'],
    ['ip4:192.0.2.0//24', '"//24" isn’t a prefix length from 0 to 32'],
    ['ip6:192.0.2.1', '"192.0.2.1" isn’t an IPv6 address'],
    ['ip6:fe80::1%eth0', '"fe80::1%eth0" isn’t an IPv6 address'],
    ['ip6:[2001:db8::1]', '"[2001:db8::1]" isn’t an IPv6 address'],
    ['ip6:2001:db8::/129', '"/129" isn’t a prefix length from 0 to 128'],
    ['redirect=', 'a host name is missing'],
    ['redirect=localhost', '"localhost" isn’t a host name'],
    ['exp=', 'a host name is missing'],
    ['foo=50%', '"%" isn’t a macro'],
    ['mx\t-all', 'there’s no mechanism "mx\ufffd-all"'],
    ['foo=\u00c3\u00bc', '"\u00fc" has a character that isn’t allowed'],
  ])('%j: %s', (text, problem) => {
    expect(termOf(text)).toEqual({ kind: 'invalid', text, position: 7, problem })
  })
})

describe('record', () => {
  test('is split only at spaces, with the position of each term', () => {
    const { terms } = parseSpf('v=spf1   mx  a\tb \u00c2\u00a0 -all ')
    expect(terms.map(({ text, position, kind }) => [text, position, kind])).toEqual([
      ['mx', 9, 'mx'],
      ['a\tb', 13, 'invalid'],
      ['\u00c2\u00a0', 17, 'invalid'],
      ['-all', 20, 'all'],
    ])
  })

  test('may have no terms', () => {
    expect(parseSpf('v=spf1')).toEqual({ text: 'v=spf1', terms: [], active: [], isCut: false })
    expect(parseSpf('v=spf1   ').terms).toEqual([])
  })

  test.each([
    ['mx -all a', ['mx', '-all']],
    ['redirect=a.test mx', ['mx', 'redirect=a.test']],
    ['redirect=a.test -all', ['-all']],
    ['-all redirect=a.test', ['-all']],
    ['foo=bar mx bad exp=a.test', ['mx']],
    ['~all -all', ['~all']],
  ])('"v=spf1 %s" has the active terms %j', (terms, active) => {
    expect(activeTerms(parseSpf(`v=spf1 ${terms}`)).map(({ text }) => text)).toEqual(active)
  })
})
