import { expect, test } from 'vitest'
import { formatList, truncateForDisplay } from './format-list.js'

test.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b', 'a'], 'a and b'],
  [['a', 'b', 'c'], 'a, b, and c'],
  [[...'abcdefg'], 'a, b, c, d, e, f, and g'],
  [[...'abcdefgh'], 'a, b, c, d, e, f, and 2 more'],
])('%j reads %j', (items, sentence) => {
  expect(formatList(items)).toBe(sentence)
})

test('cuts long items', () => {
  expect(truncateForDisplay('x'.repeat(300))).toBe('x'.repeat(300))
  expect(truncateForDisplay('x'.repeat(301))).toBe(`${'x'.repeat(300)}…`)
})

test('does not cut items with a custom format', () => {
  const quoted = formatList(['x'.repeat(400)], (text) => `"${truncateForDisplay(text)}"`)
  expect(quoted).toBe(`"${'x'.repeat(300)}…"`)
})
