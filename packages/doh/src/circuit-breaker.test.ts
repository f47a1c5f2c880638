import { describe, expect, test } from 'vitest'
import { createCircuitBreaker } from './circuit-breaker.js'

/** A breaker, a clock that stands still, and the probes sent so far, each waiting for its outcome. */
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
  /** Ends the last probe, and waits until the breaker knows. */
  const endProbe = async (isAlive: boolean) => {
    const recovery = breaker.pendingProbe()
    probes.at(-1)?.(isAlive)
    return recovery
  }
  return { breaker, clock, probes, fail, endProbe }
}

describe('opening', () => {
  test('a resolver that has not been asked may be', () => {
    const { breaker, probes } = setUp()
    expect(breaker.checkAvailable()).toBe(true)
    expect(breaker.pendingProbe()).toBeNull()
    expect(probes).toHaveLength(0)
  })

  test('four failures in a row are forgiven, the fifth is not', () => {
    const { breaker, fail } = setUp()
    fail(4)
    expect(breaker.checkAvailable()).toBe(true)
    fail(1)
    expect(breaker.checkAvailable()).toBe(false)
  })

  test('a success in between starts the count anew', () => {
    const { breaker, fail } = setUp()
    fail(4)
    breaker.recordSuccess()
    fail(4)
    expect(breaker.checkAvailable()).toBe(true)
  })

  test('the fifth failure sends a probe at once, and only one', () => {
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
  test('an answered probe closes the breaker, and whoever waits hears of it', async () => {
    const { breaker, fail, endProbe } = setUp()
    fail(5)
    expect(await endProbe(true)).toBe(true)
    expect(breaker.checkAvailable()).toBe(true)
    expect(breaker.pendingProbe()).toBeNull()
  })

  test('after an unanswered probe the resolver is left alone for a second', async () => {
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

  test('the pause doubles with every unanswered probe, up to 30 seconds', async () => {
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

  test('once closed, the next trouble begins with the shortest pause again', async () => {
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

  test('an answer that was still on its way closes the breaker; the probe’s failure is one failure', async () => {
    const { breaker, fail, endProbe } = setUp()
    fail(5)
    breaker.recordSuccess()
    expect(breaker.checkAvailable()).toBe(true)
    await endProbe(false)
    expect(breaker.checkAvailable()).toBe(true)
  })

  test('trouble anew while an old probe is still out waits for that probe', async () => {
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

describe('resting', () => {
  test('a resolver that asked for rest is not asked until the time has passed', () => {
    const { breaker, clock } = setUp()
    breaker.pauseFor(7_000)
    clock.now += 6_999
    expect(breaker.checkAvailable()).toBe(false)
    expect(breaker.pendingProbe()).toBeNull()
    clock.now += 1
    expect(breaker.checkAvailable()).toBe(true)
  })

  test('the longest rest asked for counts', () => {
    const { breaker, clock } = setUp()
    breaker.pauseFor(7_000)
    breaker.pauseFor(1_000)
    clock.now += 6_999
    expect(breaker.checkAvailable()).toBe(false)
  })

  test('a success does not cut the rest short', () => {
    const { breaker } = setUp()
    breaker.pauseFor(7_000)
    breaker.recordSuccess()
    expect(breaker.checkAvailable()).toBe(false)
  })

  test('a resting resolver is not probed either; afterwards it is', () => {
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

describe('reading only', () => {
  test('an open breaker says so, and sends no probe for it', async () => {
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

  test('a resolver that asked to be left alone is, until then', () => {
    const { breaker, clock } = setUp()
    breaker.pauseFor(2_000)
    expect(breaker.isPaused()).toBe(true)
    clock.now += 2_000
    expect(breaker.isPaused()).toBe(false)
  })
})
