import { describe, expect, test } from 'vitest'
import { describeRateLimiterContract } from '../../test/support/rate-limiter-contract.js'
import { createMemoryRateLimiter, type MemoryRateLimiterOptions } from './memory-rate-limiter.js'

/** A limiter with a manual clock. */
function setUp(options: Partial<MemoryRateLimiterOptions> = {}) {
  const clock = { now: 1_000_000 }
  const limiter = createMemoryRateLimiter({ limit: 30, now: () => clock.now, ...options })
  const consume = (caller: string, times = 1) => {
    const verdicts = Array.from({ length: times }, () => limiter.consume(caller))
    return verdicts.map(({ isAllowed }) => isAllowed)
  }
  return { clock, limiter, consume }
}

const yes = (times: number) => Array(times).fill(true)

describeRateLimiterContract((limit) => {
  const { clock, limiter } = setUp({ limit })
  return {
    consume: limiter.consume,
    wait(ms) {
      clock.now += ms
    },
  }
})

test('frees a request after the window, to the millisecond', () => {
  const { clock, consume } = setUp()
  consume('ann', 30)
  clock.now += 59_999
  expect(consume('ann')).toEqual([false])
  clock.now += 1
  expect(consume('ann', 31)).toEqual([...yes(30), false])
})

describe('resetSeconds', () => {
  test('never exceeds the window, even with fractional times', () => {
    for (let start = 0.1; start < 1e9; start *= 1.1) {
      const { limiter } = setUp({ now: () => start })
      expect(limiter.consume('ann')).toEqual({ isAllowed: true, remaining: 29, resetSeconds: 60 })
    }
  })
})

describe('memory', () => {
  test('is bounded for more addresses than it remembers', () => {
    const { limiter } = setUp()
    let most = 0
    for (let index = 0; index < 210_000; index++) {
      limiter.consume(`caller ${index}`)
      if (index % 10_000 === 9_999) most = Math.max(most, limiter.entryCounts().callers)
    }
    expect(most).toBe(100_000)
  })

  test('is bounded for a few callers with a high limit', () => {
    const { limiter } = setUp({ limit: 100, maxRequests: 600 })
    let most = 0
    for (let index = 0; index < 2_000; index++) {
      limiter.consume(`caller ${Math.floor(index / 100)}`)
      most = Math.max(most, limiter.entryCounts().requests)
    }
    expect(most).toBeLessThanOrEqual(600)
    expect(most).toBeGreaterThan(300)
  })

  test('drops expired entries while one caller continues', () => {
    const { clock, limiter, consume } = setUp()
    for (let index = 0; index < 1_000; index++) limiter.consume(`caller ${index}`)
    for (let minute = 0; minute < 2; minute++) {
      clock.now += 60_000
      consume('ann')
    }
    expect(limiter.entryCounts()).toEqual({ callers: 1, requests: 1 })
  })

  test('does not grow for a caller at the limit', () => {
    const { clock, limiter } = setUp({ limit: 100 })
    let most = 0
    for (let step = 0; step < 10_000; step++) {
      clock.now += 100
      limiter.consume('ann')
      most = Math.max(most, limiter.entryCounts().requests)
    }
    expect(most).toBeLessThan(200)
  })
})

describe('a flood', () => {
  test('does not drop a caller that continues', () => {
    const { limiter, consume } = setUp({ maxCallers: 1_000 })
    consume('ann', 30)
    for (let index = 0; index < 20_000; index++) {
      limiter.consume(`caller ${index}`)
      if (index % 400 === 0) expect(consume('ann')).toEqual([false])
    }
  })

  test('drops no caller before others use half of the entries', () => {
    const { limiter, consume } = setUp({ maxCallers: 1_000 })
    for (let index = 0; index < 499; index++) limiter.consume(`caller ${index}`)
    consume('ann', 30)
    for (let index = 1_000; index < 1_499; index++) limiter.consume(`caller ${index}`)
    expect(consume('ann')).toEqual([false])
  })

  test('does not reject new callers', () => {
    const { limiter, consume } = setUp({ maxCallers: 1_000 })
    for (let index = 0; index < 10_000; index++) limiter.consume(`caller ${index}`)
    expect(consume('ann', 31)).toEqual([...yes(30), false])
  })
})

describe('a request recorded from another instance', () => {
  test('counts from the time it was made', () => {
    const { clock, limiter, consume } = setUp({ limit: 3 })
    limiter.record('ann', clock.now - 59_000)
    limiter.record('ann', clock.now - 10_000)
    expect(limiter.peek('ann')).toEqual({ isAllowed: true, remaining: 1, resetSeconds: 1 })
    expect(consume('ann', 2)).toEqual([true, false])
    clock.now += 1_000
    expect(consume('ann', 2)).toEqual([true, false])
  })

  test('is inserted in order if it arrives late', () => {
    const { clock, limiter, consume } = setUp({ limit: 3 })
    consume('ann')
    for (const age of [200, 100]) limiter.record('ann', clock.now - age)
    clock.now += 59_800
    expect(consume('ann', 2)).toEqual([true, false])
    clock.now += 100
    expect(consume('ann', 2)).toEqual([true, false])
  })

  test('is not changed by peek', () => {
    const { limiter } = setUp({ limit: 1 })
    const free = { isAllowed: true, remaining: 1, resetSeconds: 60 }
    expect([limiter.peek('ann'), limiter.peek('ann')]).toEqual([free, free])
    limiter.consume('ann')
    expect(limiter.peek('ann')).toEqual({ isAllowed: false, remaining: 0, resetSeconds: 60 })
  })
})
