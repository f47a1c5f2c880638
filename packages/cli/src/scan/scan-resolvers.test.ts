import { describe, expect, test } from 'vitest'
import { createAdaptiveRate } from './scan-resolvers.js'

function createTestRate(max: number) {
  let time = 0
  const rate = createAdaptiveRate(max, () => time)
  return {
    ...rate,
    /** Sends as much as possible for so long; returns how much that was. */
    sendFor(ms: number, isAnswered = true): number {
      let sent = 0
      for (const end = time + ms; time < end; time += 10) {
        const admitted = rate.admit(1_000_000)
        sent += admitted
        const record = isAnswered ? rate.recordAnswer : rate.recordFault
        for (let count = admitted; count > 0; count--) record()
      }
      return sent
    },
    pass(ms: number) {
      time += ms
    },
  }
}

describe('queries', () => {
  test.each([1, 5, 100, 4_000])('are sent at the rate of %i a second', (max) => {
    const rate = createTestRate(max)
    const sent = rate.sendFor(20_000)
    expect(sent).toBeGreaterThanOrEqual(20 * max - 1)
    expect(sent).toBeLessThanOrEqual(20 * max + Math.max(1, max / 10))
  })

  test('do not pile up while none is sent', () => {
    const rate = createTestRate(100)
    rate.pass(3_600_000)
    expect(rate.admit(1_000)).toBe(10)
    expect(rate.waitMs()).toBe(10)
  })

  test('are not limited by an infinite rate', () => {
    const rate = createTestRate(Number.POSITIVE_INFINITY)
    expect([rate.admit(5_000), rate.waitMs()]).toEqual([5_000, 0])
    rate.pass(1)
    expect(rate.admit(5_000)).toBe(5_000)
  })
})

describe('the rate', () => {
  test('halves while answers are faults, down to a tenth of its limit', () => {
    const rate = createTestRate(100)
    rate.sendFor(1_500, false)
    expect(rate.perSecond()).toBeCloseTo(50, 0)
    rate.sendFor(60_000, false)
    expect(rate.perSecond()).toBe(10)
  })

  test('recovers by 5% a second, and never beyond its limit', () => {
    const rate = createTestRate(100)
    rate.sendFor(1_500, false)
    const before = rate.perSecond()
    rate.sendFor(1_000)
    // The window had faults too.
    expect(rate.perSecond()).toBeLessThan(before)
    const reduced = rate.perSecond()
    rate.sendFor(10_000)
    expect(rate.perSecond()).toBeCloseTo(reduced * 1.05 ** 10, 0)
    rate.sendFor(120_000)
    expect(rate.perSecond()).toBe(100)
  })

  test('stays while few answers are faults', () => {
    const rate = createTestRate(100)
    rate.recordFault()
    rate.sendFor(5_000)
    expect(rate.perSecond()).toBe(100)
  })

  test('is reduced at once on request, but once a second', () => {
    const rate = createTestRate(100)
    rate.sendFor(3_000)
    rate.reduce()
    rate.reduce()
    expect(rate.perSecond()).toBeCloseTo(50, 0)
  })

  test('without a limit becomes half of what was sent', () => {
    const rate = createTestRate(Number.POSITIVE_INFINITY)
    for (let count = 0; count < 300; count++) {
      rate.admit(40)
      rate.pass(10)
    }
    rate.reduce()
    expect(rate.perSecond()).toBeCloseTo(2_000, -2)
  })
})
