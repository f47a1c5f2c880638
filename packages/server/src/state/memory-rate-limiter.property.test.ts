import { propertyRuns } from '@mailgrade/testing/property-runs'
/** For any callers and times: exactly the limit in every window. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryRateLimiter } from './memory-rate-limiter.js'

// Thousands of runs are slow on a busy machine.

const WINDOW_MS = 60_000

/** Bursts, pauses, and waits that end exactly with a window. */
const wait = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 2_000 }),
  fc.integer({ min: 2_001, max: 70_000 }),
  fc.constantFrom(1, 999, 1_000, 20_000, 30_000, 59_999, 60_000, 60_001, 120_000),
)
const arrivals = fc.array(fc.record({ wait, caller: fc.constantFrom('ann', 'bob', 'cy') }), {
  minLength: 20,
  maxLength: 120,
})
const limit = fc.integer({ min: 1, max: 6 })
const runs = { numRuns: propertyRuns(2_000) }

test('accepts a request exactly if the limit allows it', () => {
  const outcomes = { accepted: 0, rejected: 0 }
  fc.assert(
    fc.property(limit, arrivals, (limit, requests) => {
      let time = 0
      const limiter = createMemoryRateLimiter({ limit, now: () => time })
      const accepted: { caller: string; time: number }[] = []
      for (const { wait, caller } of requests) {
        time += wait
        const counting = accepted.filter(
          (earlier) => earlier.caller === caller && earlier.time > time - WINDOW_MS,
        )
        const isAllowed = counting.length < limit
        if (isAllowed) accepted.push({ caller, time })
        outcomes[isAllowed ? 'accepted' : 'rejected'] += 1
        expect(limiter.consume(caller)).toEqual({
          isAllowed,
          remaining: Math.max(limit - counting.length - 1, 0),
          resetSeconds: Math.ceil(((counting[0]?.time ?? time) + WINDOW_MS - time) / 1_000),
        })
      }
    }),
    runs,
  )
  const total = outcomes.accepted + outcomes.rejected
  expect(Math.min(outcomes.accepted, outcomes.rejected)).toBeGreaterThan(total / 10)
})

test('accepts no more than the limit in any window', () => {
  let fullest = 0
  fc.assert(
    fc.property(limit, arrivals, (limit, requests) => {
      let time = 0.1
      const limiter = createMemoryRateLimiter({ limit, now: () => time })
      const times: Record<string, number[]> = { ann: [], bob: [], cy: [] }
      for (const { wait, caller } of requests) {
        time += wait * 1.000_123
        if (limiter.consume(caller).isAllowed) times[caller]?.push(time)
      }
      // The fullest window can be shifted to begin with a request.
      for (const own of Object.values(times)) {
        for (const start of own) {
          const held = own.filter((at) => at >= start && at - start < WINDOW_MS).length
          expect(held).toBeLessThanOrEqual(limit)
          fullest = Math.max(fullest, held)
        }
      }
    }),
    runs,
  )
  expect(fullest).toBe(6)
})

test('accepts a rejected caller after resetSeconds, and not a millisecond too early', () => {
  let refusals = 0
  fc.assert(
    fc.property(limit, fc.array(wait, { minLength: 20, maxLength: 60 }), (limit, waits) => {
      let time = 0
      const limiter = createMemoryRateLimiter({ limit, now: () => time })
      const accepted: number[] = []
      for (const wait of waits) {
        time += wait
        const { isAllowed, resetSeconds } = limiter.consume('ann')
        if (isAllowed) {
          accepted.push(time)
          continue
        }
        refusals += 1
        const promisedAt = time + resetSeconds * 1_000
        const freeAt = (accepted.at(-limit) ?? 0) + WINDOW_MS
        expect(promisedAt - freeAt).toBeLessThan(1_000)
        time = freeAt - 1
        expect(limiter.consume('ann').isAllowed).toBe(false)
        time = promisedAt
        expect(limiter.consume('ann').isAllowed).toBe(true)
        accepted.push(time)
      }
    }),
    runs,
  )
  expect(refusals).toBeGreaterThan(runs.numRuns)
})
