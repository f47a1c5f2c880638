import { expect, test } from 'vitest'
import { retryAfterMs } from './doh-resolver.js'

const NOW = Date.parse('2026-11-15T12:00:00Z')

test.each([
  ['one second without a header', undefined, 1_000],
  ['one second for an empty header', '', 1_000],
  ['seconds', '7', 7_000],
  ['at least one second', '0', 1_000],
  ['a date in the future', 'Sun, 15 Nov 2026 12:00:30 GMT', 30_000],
  ['a date in the past', 'Sun, 15 Nov 2026 11:59:30 GMT', 1_000],
  ['five minutes', '300', 300_000],
  ['at most five minutes', '301', 300_000],
  ['a date far in the future', 'Mon, 15 Nov 2027 12:00:00 GMT', 300_000],
  ['a number that is too large', '9'.repeat(400), 300_000],
  ['an invalid header', 'later', 1_000],
  ['a negative number', '-5', 1_000],
])('retryAfterMs: %s', (_, header, ms) => {
  expect(retryAfterMs(header, () => NOW)).toBe(ms)
})
