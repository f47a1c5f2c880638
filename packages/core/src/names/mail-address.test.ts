import { describe, expect, test } from 'vitest'
import type { InvalidAddressCode } from './mail-address.js'
import { type MailAddress, parseMailAddress } from './mail-address.js'

function parsed(text: string): MailAddress {
  const address = parseMailAddress(text)
  if (address.kind === 'refused') throw new Error(`${address.code}: ${address.reason}`)
  return address
}

test('parses an address', () => {
  expect(parseMailAddress('Ann+news@Exämple.com')).toEqual({
    kind: 'address',
    given: 'Ann+news@Exämple.com',
    normalized: 'Ann+news@xn--exmple-cua.com',
    localPart: 'Ann+news',
    domain: 'xn--exmple-cua.com',
    literal: null,
    quoted: false,
    smtpUtf8: false,
    subaddress: 'news',
  })
  expect(parseMailAddress('"Ann Lee"@[IPv6:2001:DB8:0:0:0:0:0:1]')).toEqual({
    kind: 'address',
    given: '"Ann Lee"@[IPv6:2001:DB8:0:0:0:0:0:1]',
    normalized: '"Ann Lee"@[IPv6:2001:db8::1]',
    localPart: 'Ann Lee',
    domain: null,
    literal: { address: '2001:db8::1', bracketed: '[IPv6:2001:db8::1]' },
    quoted: true,
    smtpUtf8: false,
    subaddress: null,
  })
})

describe('normalized form', () => {
  test.each([
    ['ann@example.com', 'ann@example.com'],
    ['Ann.Lee@EXAMPLE.Com', 'Ann.Lee@example.com'],
    ['"ann"@example.com', 'ann@example.com'],
    ['"ann.lee"@example.com', 'ann.lee@example.com'],
    ['"\\a\\n\\n"@example.com', 'ann@example.com'],
    ['"ann+news"@example.com', 'ann+news@example.com'],
    ['"ann..lee"@example.com', '"ann..lee"@example.com'],
    ['".ann"@example.com', '".ann"@example.com'],
    ['"ann\\ lee"@example.com', '"ann lee"@example.com'],
    ['"a@b"@example.com', '"a@b"@example.com'],
    ['"\\a\\"\\\\"@example.com', '"a\\"\\\\"@example.com'],
    ['""@example.com', '""@example.com'],
    ['"<ann>(lee)"@example.com', '"<ann>(lee)"@example.com'],
    ['bjo\u0308rn@example.com', 'björn@example.com'],
    ['"björn"@example.com', 'björn@example.com'],
    ['\u212aurt@example.com', 'Kurt@example.com'],
    ['用户@例え.jp', '用户@xn--r8jz45g.jp'],
    ['ann@bücher。de', 'ann@xn--bcher-kva.de'],
    ['ann@[192.0.2.1]', 'ann@[192.0.2.1]'],
    ['ann@[192.000.002.001]', 'ann@[192.0.2.1]'],
    ['ann@[010.0.0.1]', 'ann@[10.0.0.1]'],
    ['ann@[ipv6:2001:DB8::]', 'ann@[IPv6:2001:db8::]'],
    ['ann@[IPv6:::FFFF:192.0.2.1]', 'ann@[IPv6:::ffff:192.0.2.1]'],
    ['ann@[IPv6:2001:db8:0:0:1:0:0:1]', 'ann@[IPv6:2001:db8::1:0:0:1]'],
    ['ann@printer.LOCAL', 'ann@printer.local'],
    ['ann@x.ｌｏｃａｌ', 'ann@x.local'],
    ['ann@abc.onion', 'ann@abc.onion'],
    ['ann@x.localhost', 'ann@x.localhost'],
    ['ann@router.home.arpa', 'ann@router.home.arpa'],
  ])('%s is %s', (text, normalized) => {
    expect(parsed(text)).toMatchObject({ given: text, normalized })
    expect(parsed(text).quoted).toBe(normalized.startsWith('"'))
  })
})

describe('subaddress', () => {
  test.each([
    ['ann@example.com', null],
    ['ann+news@example.com', 'news'],
    ['ann+a+b@example.com', 'a+b'],
    ['ann+@example.com', ''],
    ['+ann@example.com', null],
    ['"ann+news"@example.com', 'news'],
    ['"ann lee+news"@example.com', null],
    ['björn+ü@example.com', 'ü'],
  ])('%s: %j', (text, subaddress) => {
    expect(parsed(text).subaddress).toBe(subaddress)
  })
})

test.each([
  ['ann@bücher.de', false],
  ['ann@xn--bcher-kva.de', false],
  ['björn@example.com', true],
  ['"björn lee"@example.com', true],
])('%s needs SMTPUTF8: %s', (text, smtpUtf8) => {
  expect(parsed(text).smtpUtf8).toBe(smtpUtf8)
})

describe('length limits in octets', () => {
  const domain = (octets: number) => {
    const labels = `${'a'.repeat(63)}.`.repeat(3)
    return `${labels}${'b'.repeat(octets - labels.length - 3)}.de`
  }

  test.each([
    ['a local part of 64', `${'a'.repeat(64)}@example.com`],
    ['a local part of 64 in 32 characters', `${'ü'.repeat(32)}@example.com`],
    ['a local part of 64 once it is NFC', `${'u\u0308'.repeat(32)}@example.com`],
    ['a whole of 254', `a@${domain(252)}`],
    ['a label of 63', `a@${'a'.repeat(63)}.de`],
  ])('accepts %s', (_, text) => {
    expect(parsed(text).given).toBe(text)
  })

  test.each<[string, string, InvalidAddressCode]>([
    ['a local part of 65', `${'a'.repeat(65)}@example.com`, 'local_part_too_long'],
    ['a local part of 66 in 33 characters', `${'ü'.repeat(33)}@example.com`, 'local_part_too_long'],
    ['64 that grow in NFC', `${'\u0958'.repeat(21)}@example.com`, 'local_part_too_long'],
    ['quotation marks count', `"${'a'.repeat(63)}"@example.com`, 'local_part_too_long'],
    ['a whole of 255', `a@${domain(253)}`, 'too_long'],
    ['a whole that A-labels make longer', `${'a'.repeat(20)}@${'ü.'.repeat(30)}de`, 'too_long'],
    ['a label of 64', `a@${'a'.repeat(64)}.de`, 'bad_domain'],
    ['a megabyte', `a@${'a'.repeat(1_000_000)}`, 'too_long'],
  ])('%s is too long', (_, text, code) => {
    expect(parseMailAddress(text)).toMatchObject({ kind: 'refused', code })
  })
})

describe('invalid addresses', () => {
  const unsafe = ['\0', '\n', '\t', '\x7f', '\u0085', '\u2028', '\u2029']
  const invisible = [
    '\u200b',
    '\u200d',
    '\u00ad',
    '\u2060',
    '\ufeff',
    '\u3164',
    '\ufe0f',
    '\u{e0041}',
  ]
  const bidi = ['\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u061c']
  const nobodys = ['\ue000', '\uffff', '\u{1ffff}', '\ud800', '\u0378']

  test.each<[InvalidAddressCode, string[]]>([
    ['empty', ['']],
    ['no_at_sign', ['ann', 'example.com', 'ann＠example.com', 'ann%40example.com', '"ann"']],
    ['several_at_signs', ['a@b@example.com', 'a@b.de,c@d.de', '"a"@b@example.com', 'a@@b.de']],
    ['angle_brackets', ['Ann <ann@example.com>', '<ann@example.com>', '"Ann" <a@b.de>']],
    ['comment', ['ann(lee)@example.com', 'ann@(lee)example.com', 'ann@example.com (Ann)', '(']],
    ['white_space', ['ann lee@example.com', 'ann@ example.com', 'ann@example .com', ' a@b.de']],
    ['white_space', ['ann\u00a0lee@example.com', '"ann\u3000lee"@example.com', 'a@b\u2003c.de']],
    ['no_local_part', ['@example.com', '@']],
    ['no_domain', ['ann@', '"ann"@']],
    ['local_part_dots', ['.ann@example.com', 'ann.@example.com', 'a..b@example.com', '.@b.de']],
    ['local_part_character', ['a"b@b.de', 'a\\b@b.de', 'a,b@b.de', 'a:b@b.de', 'a;b@b.de']],
    ['local_part_character', ['[a]@b.de', 'mailto:ann@example.com', 'a\u037eb@example.com']],
    ['bad_quotes', ['"ann@example.com', '"ann"lee@example.com', '"a"b"@example.com']],
    ['bad_quotes', ['"ann\\ü"@example.com', '"a".b@example.com', '"ann\\"@example.com']],
    ['bad_quotes', ['"\\=\u0338"@example.com']],
    ['domain_final_dot', ['ann@example.com.', 'ann@example.com。']],
    ['bad_literal', ['a@[192.0.2]', 'a@[192.0.2.256]', 'a@[1.2.3.4', 'a@[1.2.3.4]x', 'a@[]']],
    ['bad_literal', ['a@[2001:db8::1]', 'a@[IPv6:192.0.2.1]', 'a@[IPv6:fe80::1%eth0]']],
    ['bad_literal', ['a@[X-tag:text]', 'a@[example.com]', 'a@[IPv6:]', 'a@[ 192.0.2.1]']],
    ['bad_domain', ['a@localhost', 'a@example', 'a@io', 'a@local', 'a@.de', 'a@b..de', 'a@.']],
    ['bad_domain', ['a@192.0.2.1', 'a@b_c.de', 'a@-b.de', 'a@b-.de', 'a@b.123', 'a@b/c.de']],
    ['bad_domain', ['a@b\u200bc.de', 'a@xn--a.de', 'a@b%41.de', 'a@b.de?x', 'a@b.de:25']],
    ['bad_domain', ['a@b_c.local', 'a@-x.onion', 'a@b\nc.de', 'a@b\ud800.de']],
    ['unsafe_character', [...unsafe, ...invisible, ...bidi, ...nobodys].map((c) => `a${c}b@b.de`)],
    ['unsafe_character', [...unsafe, ...invisible, ...bidi].map((c) => `"a${c}b"@b.de`)],
    ['unsafe_character', ['\u0301a@b.de', '"\u0301a"@b.de']],
  ])('%s: %j', (code, texts) => {
    for (const text of texts) {
      expect([text, parseMailAddress(text)]).toMatchObject([text, { kind: 'refused', code }])
    }
  })

  test('the reason names an invalid domain', () => {
    expect(parseMailAddress('ann.secret@foo_bar.local')).toEqual({
      kind: 'refused',
      code: 'bad_domain',
      reason: 'foo_bar.local has an underscore, which mail domains can’t have; check the spelling.',
    })
  })
})
