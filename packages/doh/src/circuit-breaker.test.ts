import { describe, expect, test } from 'vitest'
import { createCircuitBreaker } from './circuit-breaker.js'

/** A breaker with a manual clock and the probes sent so far, which the test ends. */
function setUp() {
  const clock = { now: 1_000_000 }
  const probes: ((isAlive: boolean) => void)[] = []
  const breaker = createCircuitBreaker({
    now: () => clock.now,
    probe: () => new Promise((resolve) => probes.push(resolve)),
  })
  const fail = (times: number) => {
    for (let time = 0; time < times; time++) breaker.recordFailure()
  }
  /** Ends the last probe and waits for the breaker. */
  const endProbe = async (isAlive: boolean) => {
    const probe = breaker.pendingProbe()
    probes.at(-1)?.(isAlive)
    return probe
  }
  return { breaker, clock, probes, fail, endProbe }
}

describe('opening', () => {
  test('a new resolver is available', () => {
    const { breaker, probes } = setUp()
    expect(breaker.checkAvailable()).toBe(true)
    expect(breaker.pendingProbe()).toBeNull()
    expect(probes).toHaveLength(0)
  })

  test('opens at the fifth failure in a row', () => {
    const { breaker, fail } = setUp()
    fail(4)
    expect(breaker.checkAvailable()).toBe(true)
    fail(1)
    expect(breaker.checkAvailable()).toBe(false)
  })

  test('a success resets the count', () => {
    const { breaker, fail } = setUp()
    fail(4)
    breaker.recordSuccess()
    fail(4)
    expect(breaker.checkAvailable()).toBe(true)
  })

  test('sends one probe at the fifth failure', () => {
    const { breaker, probes, fail } = setUp()
    fail(4)
    expect(probes).toHaveLength(0)
    fail(1)
    expect(probes).toHaveLength(1)
    fail(3)
    breaker.checkAvailable()
    breaker.checkAvailable()
    expect(probes).toHaveLength(1)
  })
})

describe('probing', () => {
  test('a successful probe closes the breaker', async () => {
    const { breaker, fail, endProbe } = setUp()
    fail(5)
    expect(await endProbe(true)).toBe(true)
    expect(breaker.checkAvailable()).toBe(true)
    expect(breaker.pendingProbe()).toBeNull()
  })

  test('a failed probe pauses the resolver for one second', async () => {
    const { breaker, clock, probes, fail, endProbe } = setUp()
    fail(5)
    expect(await endProbe(false)).toBe(false)
    clock.now += 999
    expect(breaker.checkAvailable()).toBe(false)
    expect(probes).toHaveLength(1)
    expect(breaker.pendingProbe()).toBeNull()
    clock.now += 1
    expect(breaker.checkAvailable()).toBe(false)
    expect(probes).toHaveLength(2)
    expect(breaker.pendingProbe()).not.toBeNull()
  })

  test('the pause doubles with every failed probe, up to 30 seconds', async () => {
    const { breaker, clock, probes, fail, endProbe } = setUp()
    fail(5)
    const pauses: number[] = []
    for (let round = 0; round < 7; round++) {
      await endProbe(false)
      const [probesBefore, pausedAt] = [probes.length, clock.now]
      while (probes.length === probesBefore) {
        clock.now += 500
        breaker.checkAvailable()
      }
      pauses.push(clock.now - pausedAt)
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  })

  test('closing resets the pause', async () => {
    const { breaker, clock, probes, fail, endProbe } = setUp()
    fail(5)
    await endProbe(false)
    clock.now += 1_000
    breaker.checkAvailable()
    await endProbe(true)
    fail(5)
    expect(probes).toHaveLength(3)
    await endProbe(false)
    clock.now += 1_000
    breaker.checkAvailable()
    expect(probes).toHaveLength(4)
  })

  test('a late answer closes the breaker, and the failed probe does not open it again', async () => {
    const { breaker, fail, endProbe } = setUp()
    fail(5)
    breaker.recordSuccess()
    expect(breaker.checkAvailable()).toBe(true)
    await endProbe(false)
    expect(breaker.checkAvailable()).toBe(true)
  })

  test('opening again waits for the probe under way', async () => {
    const { breaker, probes, fail, endProbe } = setUp()
    fail(5)
    breaker.recordSuccess()
    fail(5)
    expect(probes).toHaveLength(1)
    expect(breaker.checkAvailable()).toBe(false)
    await endProbe(true)
    expect(breaker.checkAvailable()).toBe(true)
  })
})

describe('pauseFor', () => {
  test('makes the resolver unavailable until the time has passed', () => {
    const { breaker, clock } = setUp()
    breaker.pauseFor(7_000)
    clock.now += 6_999
    expect(breaker.checkAvailable()).toBe(false)
    expect(breaker.pendingProbe()).toBeNull()
    clock.now += 1
    expect(breaker.checkAvailable()).toBe(true)
  })

  test('keeps the longest pause', () => {
    const { breaker, clock } = setUp()
    breaker.pauseFor(7_000)
    breaker.pauseFor(1_000)
    clock.now += 6_999
    expect(breaker.checkAvailable()).toBe(false)
  })

  test('is not shortened by a success', () => {
    const { breaker } = setUp()
    breaker.pauseFor(7_000)
    breaker.recordSuccess()
    expect(breaker.checkAvailable()).toBe(false)
  })

  test('delays probes until afterwards', () => {
    const { breaker, clock, probes, fail } = setUp()
    breaker.pauseFor(7_000)
    fail(5)
    breaker.checkAvailable()
    expect(probes).toHaveLength(0)
    clock.now += 7_000
    expect(breaker.checkAvailable()).toBe(false)
    expect(probes).toHaveLength(1)
  })
})

describe('isPaused', () => {
  test('is true for an open breaker and sends no probe', async () => {
    const { breaker, clock, probes, fail, endProbe } = setUp()
    expect(breaker.isPaused()).toBe(false)
    fail(5)
    expect(breaker.isPaused()).toBe(true)
    await endProbe(false)
    clock.now += 60_000
    expect(breaker.isPaused()).toBe(true)
    expect(probes).toHaveLength(1)
    breaker.checkAvailable()
    await endProbe(true)
    expect(breaker.isPaused()).toBe(false)
  })

  test('is true until the pause is over', () => {
    const { breaker, clock } = setUp()
    breaker.pauseFor(2_000)
    expect(breaker.isPaused()).toBe(true)
    clock.now += 2_000
    expect(breaker.isPaused()).toBe(false)
  })
})
