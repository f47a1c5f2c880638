import { propertyRuns } from '@mailgrade/testing/property-runs'

/** What the limiter decides without the store, and when the store fails. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryRateLimiter } from './memory-rate-limiter.js'
import { StoreUnavailable } from './redis-connection.js'
import {
  createRateLimitKeys,
  createRedisRateLimiter,
  parseRateLimitReply,
} from './redis-rate-limiter.js'
import type { RedisStore } from './redis-store.js'

const LIMIT = 3
const OTHERS = { isUp: () => true, firstAttempt: Promise.resolve(), close: () => {} }

/** A store with a given delay each way for each request, or a failure. */
function setUp() {
  const clock = { now: 0 }
  const now = () => clock.now
  const shared = createMemoryRateLimiter({ limit: LIMIT, now })
  let delayMs: number | null = 0
  let queries = 0
  const run: RedisStore['runScript'] = async () => {
    queries += 1
    if (delayMs === null) throw new StoreUnavailable('down')
    clock.now += delayMs
    const { isAllowed, remaining, resetSeconds } = shared.consume('ann')
    clock.now += delayMs
    return [Number(isAllowed), remaining, resetSeconds * 1_000_000]
  }
  const local = createMemoryRateLimiter({ limit: LIMIT, now })
  const limiter = createRedisRateLimiter({
    store: { runScript: run, ...OTHERS },
    local,
    now,
    keysFor: createRateLimitKeys('secret', () => 0),
  })
  return {
    clock,
    shared,
    async consume(delay: number | null = 0) {
      delayMs = delay
      const before = queries
      const result = await limiter.consume('ann')
      return { result, wasQueried: queries > before }
    },
  }
}

test('rejects locally only what the store would reject', async () => {
  const numRuns = propertyRuns(500)
  const seen = { queried: 0, rejectedLocally: 0 }
  const arrival = fc.record({
    wait: fc.oneof(fc.nat(2_000), fc.constantFrom(0, 20_000, 59_900, 59_999, 60_000)),
    delay: fc.oneof(fc.nat(250), fc.constant(0)),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(arrival, { minLength: 10, maxLength: 40 }), async (arrivals) => {
      const { clock, shared, consume } = setUp()
      for (const { wait, delay } of arrivals) {
        clock.now += wait
        const wouldAccept = shared.peek('ann').isAllowed
        const { result, wasQueried } = await consume(delay)
        seen[wasQueried ? 'queried' : 'rejectedLocally'] += 1
        if (!wasQueried) expect([result.isAllowed, wouldAccept]).toEqual([false, false])
      }
    }),
    { numRuns },
  )
  expect(Math.min(seen.queried, seen.rejectedLocally)).toBeGreaterThan(numRuns * 2)
})

test('continues counting locally when the store fails', async () => {
  const { consume } = setUp()
  await consume()
  const results = [
    (await consume(null)).result,
    (await consume(null)).result,
    (await consume(null)).result,
  ]
  expect(results).toEqual([
    { isAllowed: true, remaining: 1, resetSeconds: 60 },
    { isAllowed: true, remaining: 0, resetSeconds: 60 },
    { isAllowed: false, remaining: 0, resetSeconds: 60 },
  ])
})

test('still counts requests made while the store was down', async () => {
  const { consume } = setUp()
  for (const _ of [1, 2]) await consume(null)
  expect(await consume()).toEqual({
    result: { isAllowed: true, remaining: 0, resetSeconds: 60 },
    wasQueried: true,
  })
  expect((await consume()).result.isAllowed).toBe(false)
})

test('parses the reply of the store', () => {
  expect(parseRateLimitReply([1, 29, 59_000_001])).toEqual({
    isAllowed: true,
    remaining: 29,
    resetSeconds: 60,
  })
  expect(parseRateLimitReply([0, 0, 1]).isAllowed).toBe(false)
})

test.each([[null], ['1'], [[]], [[1, 2]], [[2, 0, 0]], [['1', '2', '3']], [[1, null, 3]]])(
  'rejects the malformed reply %j',
  (reply) => {
    expect(() => parseRateLimitReply(reply)).toThrow(
      new StoreUnavailable('the store sent a malformed rate limit'),
    )
  },
)
