import { expect, test } from 'vitest'
import { queryTimeoutWithin } from './doh-dns.js'

test.each([
  { deadlineMs: 5_000, queryMs: 1_500 },
  { deadlineMs: 1_000, queryMs: 1_500 },
  { deadlineMs: 60_000, queryMs: 18_000 },
  { deadlineMs: 2 ** 31 - 1, queryMs: 60_000 },
  { deadlineMs: Number.POSITIVE_INFINITY, queryMs: 60_000 },
])('a report of $deadlineMs ms gives a resolver $queryMs ms for a query', (it) => {
  expect(queryTimeoutWithin(it.deadlineMs)).toBe(it.queryMs)
})
