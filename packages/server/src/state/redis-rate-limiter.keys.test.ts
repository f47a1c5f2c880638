import { expect, test } from 'vitest'
import { createRateLimitKeys } from './redis-rate-limiter.js'

const NOON = Date.UTC(2026, 10, 16, 12)
const DAY_MS = 86_400_000

const keysAt = (time: number, caller = '192.0.2.1', secret = 'secret') =>
  createRateLimitKeys(secret, () => time)(caller)

test('are the same for all instances with the same secret', () => {
  expect(keysAt(NOON)).toEqual(keysAt(NOON + 1))
  expect(keysAt(NOON)).toHaveLength(2)
})

test('hide the caller', () => {
  for (const key of keysAt(NOON)) expect(key).toMatch(/^\{mailgrade\}:limit:[\w-]{22}$/)
  for (const key of keysAt(NOON, '2001:db8:1:2::/64')) expect(key).not.toMatch(/2001|db8/)
})

test('differ for each caller and each secret', () => {
  const keys = [
    ...keysAt(NOON),
    ...keysAt(NOON, '192.0.2.2'),
    ...keysAt(NOON, '192.0.2.1', 'another'),
  ]
  expect(new Set(keys).size).toBe(keys.length)
})

test('change with the UTC day, and the second is the one of the day before', () => {
  let time = Date.UTC(2026, 11, 31, 23, 59, 59, 999)
  const keysFor = createRateLimitKeys('secret', () => time)
  const [lastDay, dayBefore] = keysFor('192.0.2.1')
  time += 1
  const [newYear, previous] = keysFor('192.0.2.1')
  expect(previous).toBe(lastDay)
  expect(new Set([dayBefore, lastDay, newYear]).size).toBe(3)
  time -= DAY_MS
  expect(keysFor('192.0.2.1')).toEqual([lastDay, dayBefore])
})
