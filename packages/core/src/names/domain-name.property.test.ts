import { anyCharacter } from '@mailgrade/testing/any-character'
import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDomain, toUnicodeDomain } from './domain-name.js'

const LDH_NAME =
  /^(?=.{1,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+(?:[a-z]{1,63}|xn--[a-z\d-]{0,58}[a-z\d])$/

const SCRIPTS = [
  'abcXYZ019-',
  'abäößéñøłİǅ\u0308',
  'жшю',
  '中文例え한국ไทย',
  'אבג',
  'مصر\u200c',
  'क्ष\u200d',
]
const anyScript = [...SCRIPTS.join(''), '٠', '😀']
const label = fc.oneof(
  fc
    .constantFrom(...SCRIPTS)
    .chain((script) => fc.string({ unit: fc.constantFrom(...script), minLength: 1, maxLength: 8 })),
  fc.string({ unit: fc.constantFrom(...anyScript), minLength: 1, maxLength: 4 }),
  fc.string({ unit: fc.constantFrom(...'abc123-'), maxLength: 12 }).map((tail) => `xn--${tail}`),
  fc.string({ unit: fc.constantFrom(...'abcXYZ019-'), maxLength: 70 }),
)
const topLevel = fc.constantFrom('de', 'com', 'COM', 'مصر', '中国', 'xn--p1ai', '1', 'local')
const separator = fc.constantFrom('.', '.', '.', '。', '．', '..')
const domainLike = fc
  .tuple(fc.array(label, { minLength: 1, maxLength: 3 }), separator, topLevel)
  .map(([labels, dot, end]) => [...labels, end].join(dot))
const plain = fc.domain()
const urlLike = fc
  .tuple(fc.constantFrom('https://', 'x:', '//', ''), fc.string(), domainLike, fc.string())
  .map((parts) => parts.join(''))
const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 340 }),
  fc.string({ unit: anyCharacter, maxLength: 340 }),
  // Lone surrogates too.
  fc.array(fc.nat(0xffff), { maxLength: 30 }).map((units) => String.fromCharCode(...units)),
  domainLike,
  plain,
  urlLike,
  fc.webUrl(),
  fc.emailAddress(),
)

const runs = { numRuns: propertyRuns(3000) }

describe('any text', () => {
  test('gets a printable reason or a valid DNS name', () => {
    const outcomes = { domain: 0, refused: 0 }
    fc.assert(
      fc.property(anyText, (text) => {
        const parsed = parseDomain(text)
        outcomes[parsed.kind] += 1
        if (parsed.kind === 'domain') expect(parsed.domain).toMatch(LDH_NAME)
        else expect(parsed.reason).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]{20,260}\.$/u)
      }),
      runs,
    )
    expect(Math.min(outcomes.domain, outcomes.refused)).toBeGreaterThan(runs.numRuns / 10)
  })

  test('a name parses to itself, also in its own script', () => {
    let international = 0
    fc.assert(
      fc.property(fc.oneof(anyText, domainLike, domainLike), (text) => {
        const parsed = parseDomain(text)
        if (parsed.kind === 'refused') return
        expect(parseDomain(parsed.domain)).toEqual(parsed)
        const unicode = toUnicodeDomain(parsed.domain)
        expect(unicode !== null).toBe(/(^|\.)xn--/.test(parsed.domain))
        if (unicode === null) return
        international += 1
        expect(parseDomain(unicode)).toEqual(parsed)
      }),
      runs,
    )
    expect(international).toBeGreaterThan(runs.numRuns / 50)
  })

  test('ignores case, a trailing dot and surrounding space', () => {
    fc.assert(
      fc.property(fc.oneof(plain, domainLike), fc.constantFrom('', '.', '。'), (text, dot) => {
        const parsed = parseDomain(text)
        if (parsed.kind === 'refused') return
        const name: string = parsed.domain
        for (const variant of [name, name.toUpperCase(), toUnicodeDomain(parsed.domain) ?? name]) {
          expect(parseDomain(` ${variant}${dot}\n`)).toEqual(parsed)
        }
      }),
      runs,
    )
  })
})

describe('a reason never quotes', () => {
  const piece = fc.string({ unit: fc.constantFrom(...'QZX79'), minLength: 6, maxLength: 9 })
  const joint = fc.constantFrom(...'@/?#:.\\%＠_ "', '%40', '://', '\u200b')
  const secret = fc.array(fc.tuple(piece, joint), { minLength: 1, maxLength: 4 })
  const badHost = fc.constantFrom('a_b', 'a b.de', '192.0.2.1', 'one', 'a..b', '-a.de', '%41.com')
  const scheme = fc.constantFrom('https://ann:', 'https://', 'ann:', 'mailto:', '"', '')

  test('a password or a local part', () => {
    fc.assert(
      fc.property(scheme, secret, piece, badHost, (start, pairs, last, host) => {
        const parsed = parseDomain(`${start}${pairs.flat().join('')}${last}@${host}`)
        const reason = parsed.kind === 'refused' ? parsed.reason : ''
        for (const part of [...pairs.map(([part]) => part), last]) {
          expect(reason).not.toContain(part)
        }
      }),
      runs,
    )
  })

  test('more than sixty characters', () => {
    fc.assert(
      fc.property(fc.nat(250), fc.constantFrom('', '.de', '_.com', '._a.example.com'), (n, end) => {
        const parsed = parseDomain(`${'q'.repeat(n)}${end}`)
        const reason = parsed.kind === 'refused' ? parsed.reason : ''
        expect(reason.replace(/[^q]/g, '').length).toBeLessThanOrEqual(60)
      }),
      { numRuns: propertyRuns(100) },
    )
  })
})
