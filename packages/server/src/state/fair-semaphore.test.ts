import { setImmediate as settled } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createFairSemaphore,
  type FairSemaphoreOptions,
  type ReleasePermit,
} from './fair-semaphore.js'

const HERE = new AbortController().signal

/** Callers who try to come in, and how each has fared so far. */
function story(options: Partial<FairSemaphoreOptions> = {}) {
  const turnstile = createFairSemaphore({ permits: 1, maxWaiting: 4, maxWaitMs: 1_000, ...options })
  const inside: string[] = []
  const away: string[] = []
  const leaves = new Map<string, ReleasePermit>()
  const come = (visitor: string, signal = HERE) => {
    const [caller = ''] = visitor
    turnstile.acquire(caller, signal).then((leave) => {
      if (leave) leaves.set(visitor, leave)
      ;(leave ? inside : away).push(visitor)
    })
  }
  return {
    turnstile,
    inside,
    away,
    async come(...visitors: string[]) {
      for (const visitor of visitors) {
        come(visitor)
        await settled()
      }
    },
    comeWith: come,
    async leave(visitor: string) {
      leaves.get(visitor)?.()
      await settled()
    },
  }
}

describe('places', () => {
  test('are for so many at once; the next waits until one leaves', async () => {
    const { come, leave, inside, turnstile } = story({ permits: 2 })
    await come('a1', 'b1', 'c1')
    expect(inside).toEqual(['a1', 'b1'])
    expect([turnstile.running(), turnstile.waiting()]).toEqual([2, 1])

    await leave('a1')
    expect(inside).toEqual(['a1', 'b1', 'c1'])
    expect([turnstile.running(), turnstile.waiting()]).toEqual([2, 0])
  })

  test('are given back once, however often somebody leaves', async () => {
    const { come, leave, inside, turnstile } = story()
    await come('a1', 'b1', 'c1')
    await leave('a1')
    await leave('a1')
    expect(inside).toEqual(['a1', 'b1'])
    expect(turnstile.running()).toBe(1)
  })
})

describe('who waits', () => {
  test('is let in by turns of callers, whoever of them came with more', async () => {
    const { come, leave, inside } = story({ maxWaiting: 10 })
    await come('x', 'a1', 'a2', 'a3', 'b1', 'c1', 'c2')
    for (const visitor of ['x', 'a1', 'b1', 'c1', 'a2', 'c2']) await leave(visitor)
    expect(inside).toEqual(['x', 'a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
  })

  test('makes room for somebody new where one caller fills the line', async () => {
    const { come, leave, inside, away } = story()
    await come('x', 'a1', 'a2', 'a3', 'a4', 'b1')
    expect(away).toEqual(['a4'])
    await leave('x')
    await leave('a1')
    expect(inside).toEqual(['x', 'a1', 'b1'])
  })

  test('is sent away at once who would make the longest line longer', async () => {
    const { come, away, turnstile } = story()
    await come('x', 'a1', 'a2', 'b1', 'b2', 'a3', 'b3', 'c1', 'c2')
    expect(away).toEqual(['a3', 'b3', 'a2', 'c2'])
    expect(turnstile.waiting()).toBe(4)
  })

  test('leaves the line when the caller hangs up', async () => {
    const { come, comeWith, leave, inside, away, turnstile } = story()
    const call = new AbortController()
    await come('x')
    comeWith('a1', call.signal)
    await come('b1')
    call.abort()
    await leave('x')
    expect([inside, away]).toEqual([['x', 'b1'], ['a1']])
    expect(turnstile.waiting()).toBe(0)
  })

  test('does not even begin to wait when the caller has hung up already', async () => {
    const { come, comeWith, away, turnstile } = story()
    await come('x')
    comeWith('a1', AbortSignal.abort())
    await settled()
    expect([away, turnstile.waiting()]).toEqual([['a1'], 0])
  })
})

describe('time', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('nobody waits longer than allowed', async () => {
    const { come, leave, inside, away } = story()
    await come('x', 'a1')
    vi.advanceTimersByTime(999)
    await settled()
    expect(away).toEqual([])
    vi.advanceTimersByTime(1)
    await settled()
    expect(away).toEqual(['a1'])
    await leave('x')
    expect(inside).toEqual(['x'])
    expect(vi.getTimerCount()).toBe(0)
  })
})
