import { expect, test } from 'vitest'
import { retryAfterMs } from './doh-resolver.js'

const TODAY = Date.parse('2026-11-15T12:00:00Z')

test.each([
  ['nothing said', undefined, 1_000],
  ['nothing meant', '', 1_000],
  ['seconds', '7', 7_000],
  ['no time at all', '0', 1_000],
  ['a date ahead', 'Sun, 15 Nov 2026 12:00:30 GMT', 30_000],
  ['a date gone by', 'Sun, 15 Nov 2026 11:59:30 GMT', 1_000],
  ['five minutes, the longest we grant', '300', 300_000],
  ['more than that', '301', 300_000],
  ['a date far ahead', 'Mon, 15 Nov 2027 12:00:00 GMT', 300_000],
  ['more than a number holds', '9'.repeat(400), 300_000],
  ['a word', 'later', 1_000],
  ['less than nothing', '-5', 1_000],
])('%s', (_, header, ms) => {
  expect(retryAfterMs(header, () => TODAY)).toBe(ms)
})
