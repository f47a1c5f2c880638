/** What an instance may say without asking the store, and what it says when the store does not. */
import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryRateLimiter } from './memory-rate-limiter.js'
import { createRedisRateLimiter } from './redis-rate-limiter.js'
import type { RedisStore } from './redis-store.js'
import { StoreUnavailable } from './store-unavailable.js'

const LIMIT = 3
const OTHERS = { isUp: () => true, firstAttempt: Promise.resolve(), close: () => {} }

/** A store that is told for each request how long it takes each way, or that it does not arrive. */
function setUp() {
  const clock = { now: 0 }
  const now = () => clock.now
  const shared = createMemoryRateLimiter({ limit: LIMIT, now })
  let delayMs: number | null = 0
  let asked = 0
  const run: RedisStore['runScript'] = async () => {
    asked += 1
    if (delayMs === null) throw new StoreUnavailable('down')
    clock.now += delayMs
    const { isAllowed, remaining, resetSeconds } = shared.consume('ann')
    clock.now += delayMs
    return [Number(isAllowed), remaining, resetSeconds * 1_000_000]
  }
  const local = createMemoryRateLimiter({ limit: LIMIT, now })
  const limiter = createRedisRateLimiter({ store: { runScript: run, ...OTHERS }, local, now })
  return {
    clock,
    shared,
    async take(delay: number | null = 0) {
      delayMs = delay
      const before = asked
      const verdict = await limiter.consume('ann')
      return { verdict, wasAsked: asked > before }
    },
  }
}

test('whoever is refused without asking would have been refused by the store', async () => {
  const numRuns = propertyRuns(500)
  const seen = { asked: 0, refusedHere: 0 }
  const arrival = fc.record({
    wait: fc.oneof(fc.nat(2_000), fc.constantFrom(0, 20_000, 59_900, 59_999, 60_000)),
    delay: fc.oneof(fc.nat(250), fc.constant(0)),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(arrival, { minLength: 10, maxLength: 40 }), async (arrivals) => {
      const { clock, shared, take } = setUp()
      for (const { wait, delay } of arrivals) {
        clock.now += wait
        const wouldAccept = shared.peek('ann').isAllowed
        const { verdict, wasAsked } = await take(delay)
        seen[wasAsked ? 'asked' : 'refusedHere'] += 1
        if (!wasAsked) expect([verdict.isAllowed, wouldAccept]).toEqual([false, false])
      }
    }),
    { numRuns },
  )
  expect(Math.min(seen.asked, seen.refusedHere)).toBeGreaterThan(numRuns * 2)
})

test('without the store it counts on by itself, from where it stood', async () => {
  const { take } = setUp()
  await take()
  const told = [(await take(null)).verdict, (await take(null)).verdict, (await take(null)).verdict]
  expect(told).toEqual([
    { isAllowed: true, remaining: 1, resetSeconds: 60 },
    { isAllowed: true, remaining: 0, resetSeconds: 60 },
    { isAllowed: false, remaining: 0, resetSeconds: 60 },
  ])
})

test('what came while the store was away still counts when it is back', async () => {
  const { take } = setUp()
  for (const _ of [1, 2]) await take(null)
  expect(await take()).toEqual({
    verdict: { isAllowed: true, remaining: 0, resetSeconds: 60 },
    wasAsked: true,
  })
  expect((await take()).verdict.isAllowed).toBe(false)
})
