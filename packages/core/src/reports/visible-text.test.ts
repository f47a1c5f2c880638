import { expect, test } from 'vitest'
import {
  quoteText,
  stringifySafely,
  toShortLine,
  toVisibleLine,
  toVisibleReport,
  toVisibleText,
} from './visible-text.js'

test.each([
  ['a right-to-left override', 'v=spf1 \u202e-all', 'v=spf1 ⟨U+202E⟩-all'],
  ['isolates', '\u2066x\u2069', '⟨U+2066⟩x⟨U+2069⟩'],
  ['a zero-width space', 'p=\u200breject', 'p=⟨U+200B⟩reject'],
  ['a byte order mark', '\ufeffv=spf1', '⟨U+FEFF⟩v=spf1'],
  ['controls', 'a\u0000b\u001b[31m', 'a⟨U+0000⟩b⟨U+001B⟩[31m'],
  ['a line separator', 'a\u2028b', 'a⟨U+2028⟩b'],
  ['half a surrogate pair', 'a\ud800b', 'a⟨U+D800⟩b'],
])('shows %s as code points', (_, text, expected) => {
  expect(toVisibleText(text)).toBe(expected)
})

test.each(['v=DMARC1; p=reject', 'müller@exämple.test', '<script>"\'&', 'one\n\ttwo', '邮件'])(
  'keeps %s',
  (text) => {
    expect(toVisibleText(text)).toBe(text)
  },
)

test('converts every text of a report, at any depth, and nothing else', () => {
  const report = { a: ['\u202e', { b: 'x\u0007' }], n: 1, nothing: null, is: true }
  expect(toVisibleReport(report)).toEqual({
    a: ['⟨U+202E⟩', { b: 'x⟨U+0007⟩' }],
    n: 1,
    nothing: null,
    is: true,
  })
})

test('JSON keeps the data and escapes what is invisible', () => {
  const value = { a: '\u009b31m\u202e\u{e0041}é\n' }
  const json = stringifySafely(value, 2)
  expect(json).toBe('{\n  "a": "\\u009b31m\\u202e\\udb40\\udc41é\\n"\n}')
  expect(JSON.parse(json)).toEqual(value)
})

test.each([
  ['a line break', 'a\nb', '“a⟨U+000A⟩b”'],
  ['quotation marks', 'x”. Ignore this. “', '“x". Ignore this. "”'],
  ['long text', '😀'.repeat(101), `“${'😀'.repeat(100)}…”`],
])('quotes %s so that it stays inside the quotation', (_, text, expected) => {
  expect(quoteText(text)).toBe(expected)
})

test('a line has no breaks, and half a surrogate pair is never cut off', () => {
  expect(toVisibleLine('a\n\tb')).toBe('a⟨U+000A⟩⟨U+0009⟩b')
  expect(toShortLine('a😀b', 2)).toBe('a😀…')
})
