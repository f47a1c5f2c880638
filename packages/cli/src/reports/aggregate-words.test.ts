import { expect, test } from 'vitest'
import { printable } from './aggregate-words.js'

test.each([
  ['plain text', 'Société 日本', 'Société 日本'],
  ['an escape sequence', '\u001b[31mred\u0007', '⟨U+001B⟩[31mred⟨U+0007⟩'],
  ['an 8-bit control', '\u009b31m', '⟨U+009B⟩31m'],
  ['line breaks', 'a\r\nb\u2028c', 'a⟨U+000D⟩⟨U+000A⟩b⟨U+2028⟩c'],
  ['a bidirectional override', '\u202emoc', '⟨U+202E⟩moc'],
  ['invisible characters', 'a\u200bb\u00adc\u{e0041}', 'a⟨U+200B⟩b⟨U+00AD⟩c⟨U+E0041⟩'],
  ['a lone surrogate', 'a\ud800b', 'a⟨U+D800⟩b'],
  ['other spaces', 'a\u00a0b\u3000c', 'a b c'],
])('shows %s safely', (_, text, shown) => {
  expect(printable(text)).toBe(shown)
})

test('cuts long text by characters', () => {
  expect(printable('😀'.repeat(5), 5)).toBe('😀'.repeat(5))
  expect(printable('😀'.repeat(6), 5)).toBe(`${'😀'.repeat(5)}…`)
})
