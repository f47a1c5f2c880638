import { describe, expect, test } from 'vitest'
import { parseDomain } from './domain-name.js'

function reasonOf(text: string): string {
  const parsed = parseDomain(text)
  return parsed.kind === 'refused' ? parsed.reason : `the domain ${parsed.domain}`
}

describe('IP address', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1.', '192.0.2.1.'],
    ['127.1', '127.1'],
    ['0x7f.1', '0x7f.1'],
    ['0X7F000001', '0X7F000001'],
    ['2130706433', '2130706433'],
    ['１２７.０.０.１', '１２７.０.０.１'],
    ['①②⑦。0。0。1', '①②⑦。0。0。1'],
    ['2001:db8::1', '2001:db8::1'],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    ['[::1]', '[::1]'],
    ['[::1]:25', '[::1]:25'],
    ['https://[2001:DB8::1]:443/', '[2001:DB8::1]'],
    ['https://2001:db8::1/', '2001:db8::1'],
    ['https://192.0.2.1:8080/', '192.0.2.1'],
    ['https://ann:secret@192.0.2.1/', 'The name'],
    ['ann@192.0.2.1', '192.0.2.1'],
    ['ann@[192.0.2.1]', '[192.0.2.1]'],
    ['ann@[IPv6:2001:db8::1]', '[IPv6:2001:db8::1]'],
  ])('%j', (text, shown) => {
    expect(reasonOf(text)).toBe(`${shown} is an IP address; enter a domain name instead.`)
  })
})

const DOT = 'has an extra dot; remove it.'
const TOP_LEVEL = 'doesn’t end in a top-level domain, which has only letters; check the last part.'
const NO_DOT = 'has no dot; enter the full domain name, such as example.com.'
const HYPHEN = 'has a hyphen at the start or end of a part; remove it.'
const LONG_LABEL = 'has a part longer than 63 bytes, which is the DNS limit; check the spelling.'
const LONG_NAME = 'is longer than 253 bytes, which is the DNS limit; check the spelling.'
const UNDERSCORE = 'has an underscore, which mail domains can’t have; check the spelling.'
const RECORD = 'is the name of a record; enter the domain itself,'
const A_LABEL =
  'has a part that starts with xn-- but doesn’t encode a valid name; check it, or enter the name as it’s normally written.'
const BIDI =
  'mixes right-to-left and other characters, which isn’t allowed (RFC 5893); check the spelling.'
const JOINER =
  'has an invisible joiner that isn’t allowed there; type the name instead of pasting it.'
const MARK =
  'has a part that starts with an accent or other combining mark; put a letter before it.'

describe('not a public domain name', () => {
  test.each([
    ...['.', '..', 'a..b', '.example.com', 'example.com..', 'a。｡b'].map((text) => [text, DOT]),
    ...['example', 'example.', 'com', 'xn--wgbh1c'].map((text) => [text, NO_DOT]),
    ...['example.1', 'example.0x1', 'example.c0m', 'a.x-y', '1.2.3.4.5'].map((text) => [
      text,
      TOP_LEVEL,
    ]),
    ...['-a.de', 'a-.de', '-.de', '-ü.de', 'xn----eha.de', 'a.-de'].map((text) => [text, HYPHEN]),
    ['_dmarc.example.com', `${RECORD} such as example.com.`],
    ['_25._tcp.mx.example.com', `${RECORD} such as mx.example.com.`],
    ['Mail._DomainKey.Bücher.de.', `${RECORD} such as Bücher.de.`],
    [`_dmarc.${'a'.repeat(30)}.de`, `${RECORD} without the parts before it.`],
    ...['_dmarc.com', 'foo_bar.com', 'a_b.example.com', 'a＿b.de'].map((t) => [t, UNDERSCORE]),
  ])('%j %s', (text, problem) => {
    expect(reasonOf(text ?? '')).toBe(`${text} ${problem}`)
  })

  test.each([
    [`${'a'.repeat(64)}.de`, LONG_LABEL],
    [`${'ü'.repeat(58)}.de`, LONG_LABEL],
    [`${'a.'.repeat(126)}de`, LONG_NAME],
    [`_dmarc.${'a'.repeat(60)}.de`, `${RECORD} without the parts before it.`],
  ])('%j %s', (text, problem) => {
    expect(reasonOf(text)).toBe(`${text.slice(0, 60)}… ${problem}`)
  })

  test('does not quote a domain behind credentials', () => {
    expect(reasonOf('https://ann:secret@_dmarc.example.com')).toBe(
      `The name ${RECORD} without the parts before it.`,
    )
  })
})

describe('characters', () => {
  test.each([
    ['%41.com', '“%”'],
    ['a*b.de', '“*”'],
    ['a"b.de', '“"”'],
    ['[example.com]', '“[”'],
    ['<example.com>', '“<”'],
    ['a\\b.de', '“\\”'],
    ['a／b.de', '“／”'],
    ['℀.com', '“℀”'],
    ['⒈.com', '“⒈”'],
  ])('%j contains %s', (text, character) => {
    const problem = `contains ${character}, which domain names can’t have; use letters, digits, hyphens, and dots.`
    expect(reasonOf(text)).toBe(`${text} ${problem}`)
  })

  test.each([
    ...['xn--.de', 'xn--a.de', 'xn--abc-.de', 'xn--invalid-.de', 'xn--127-.0.0.1', 'xn--0.de'],
    ...['xn--a-ecp.ru', 'xn--ü.de', 'XN--99999999999.com'],
    // Two surrogates, encoded one by one: tr46 decodes them into 💩, which is xn--ls8h.
    ...['xn--8c9by4f.la', 'ｘn--8c9by4f.la'],
  ])('%j is not an A-label', (text) => {
    expect(reasonOf(text)).toBe(`${text} ${A_LABEL}`)
  })

  test.each([
    ['aא.com', `aא.com ${BIDI}`],
    ['xn--a-0hc.com', `xn--a-0hc.com ${BIDI}`],
    ['1a.אב.com', `1a.אב.com ${BIDI}`],
    ['a\u200d.de', `a\ufffd.de ${JOINER}`],
    ['👨\u200d👩.de', `👨\ufffd👩.de ${JOINER}`],
    ['\u0300a.de', `\u0300a.de ${MARK}`],
    [
      'a\ue000.de',
      'a\ufffd.de contains U+E000, which domain names can’t have; use letters, digits, hyphens, and dots.',
    ],
  ])('%j: %s', (text, reason) => {
    expect(reasonOf(text)).toBe(reason)
  })

  test.each([
    ...['\u200b', '\u00ad', '\u2060', '\u200e', '\u202e', '\u2066', '\ufeff', '\ufe0f', '\u3164'],
    ...['\u061c', '\u{e0001}', '\u{e0100}'],
  ])('reports the invisible character %j', (character) => {
    const hex = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
    expect(reasonOf(`a${character}b.de`)).toBe(
      `a\ufffdb.de has an invisible character, U+${hex}; type the name instead of pasting it.`,
    )
  })
})
