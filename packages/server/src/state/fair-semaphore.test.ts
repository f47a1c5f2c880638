import { setImmediate as settled } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createFairSemaphore,
  type FairSemaphoreOptions,
  type ReleasePermit,
} from './fair-semaphore.js'

const CONNECTED = new AbortController().signal

/** A semaphore, and which requests hold a permit or were rejected. */
function setUp(options: Partial<FairSemaphoreOptions> = {}) {
  const semaphore = createFairSemaphore({ permits: 1, maxWaiting: 4, maxWaitMs: 1_000, ...options })
  const granted: string[] = []
  const rejected: string[] = []
  const releases = new Map<string, ReleasePermit>()
  const request = (name: string, signal = CONNECTED) => {
    const [caller = ''] = name
    void semaphore.acquire(caller, signal).then((release) => {
      if (release) releases.set(name, release)
      ;(release ? granted : rejected).push(name)
    })
  }
  return {
    semaphore,
    granted,
    rejected,
    async request(...names: string[]) {
      for (const name of names) {
        request(name)
        await settled()
      }
    },
    requestWith: request,
    async release(name: string) {
      releases.get(name)?.()
      await settled()
    },
  }
}

describe('permits', () => {
  test('limit how many run at once; the next waits for a release', async () => {
    const { request, release, granted, semaphore } = setUp({ permits: 2 })
    await request('a1', 'b1', 'c1')
    expect(granted).toEqual(['a1', 'b1'])
    expect([semaphore.running(), semaphore.waiting()]).toEqual([2, 1])

    await release('a1')
    expect(granted).toEqual(['a1', 'b1', 'c1'])
    expect([semaphore.running(), semaphore.waiting()]).toEqual([2, 0])
  })

  test('are returned once, even if released twice', async () => {
    const { request, release, granted, semaphore } = setUp()
    await request('a1', 'b1', 'c1')
    await release('a1')
    await release('a1')
    expect(granted).toEqual(['a1', 'b1'])
    expect(semaphore.running()).toBe(1)
  })
})

describe('waiting requests', () => {
  test('get permits in turn by caller', async () => {
    const { request, release, granted } = setUp({ maxWaiting: 10 })
    await request('x', 'a1', 'a2', 'a3', 'b1', 'c1', 'c2')
    for (const name of ['x', 'a1', 'b1', 'c1', 'a2', 'c2']) await release(name)
    expect(granted).toEqual(['x', 'a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
  })

  test('of a caller that fills the queue make room for another caller', async () => {
    const { request, release, granted, rejected } = setUp()
    await request('x', 'a1', 'a2', 'a3', 'a4', 'b1')
    expect(rejected).toEqual(['a4'])
    await release('x')
    await release('a1')
    expect(granted).toEqual(['x', 'a1', 'b1'])
  })

  test('are rejected at once if they would make the longest queue longer', async () => {
    const { request, rejected, semaphore } = setUp()
    await request('x', 'a1', 'a2', 'b1', 'b2', 'a3', 'b3', 'c1', 'c2')
    expect(rejected).toEqual(['a3', 'b3', 'a2', 'c2'])
    expect(semaphore.waiting()).toBe(4)
  })

  test('leave the queue when the caller hangs up', async () => {
    const { request, requestWith, release, granted, rejected, semaphore } = setUp()
    const call = new AbortController()
    await request('x')
    requestWith('a1', call.signal)
    await request('b1')
    call.abort()
    await release('x')
    expect([granted, rejected]).toEqual([['x', 'b1'], ['a1']])
    expect(semaphore.waiting()).toBe(0)
  })

  test('do not wait if the caller has already hung up', async () => {
    const { request, requestWith, rejected, semaphore } = setUp()
    await request('x')
    requestWith('a1', AbortSignal.abort())
    await settled()
    expect([rejected, semaphore.waiting()]).toEqual([['a1'], 0])
  })
})

describe('the time limit', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('rejects a request that waits too long', async () => {
    const { request, release, granted, rejected } = setUp()
    await request('x', 'a1')
    vi.advanceTimersByTime(999)
    await settled()
    expect(rejected).toEqual([])
    vi.advanceTimersByTime(1)
    await settled()
    expect(rejected).toEqual(['a1'])
    await release('x')
    expect(granted).toEqual(['x'])
    expect(vi.getTimerCount()).toBe(0)
  })
})

test('one caller gets no more than its share', async () => {
  const semaphore = createFairSemaphore({
    permits: 3,
    maxPerCaller: 2,
    maxWaiting: 0,
    maxWaitMs: 0,
  })
  const { signal } = new AbortController()
  const [first, second, third] = await Promise.all(
    ['a', 'a', 'a'].map((caller) => semaphore.acquire(caller, signal)),
  )
  expect([first, second, third]).toEqual([expect.any(Function), expect.any(Function), null])
  expect(await semaphore.acquire('b', signal)).toEqual(expect.any(Function))
  first?.()
  expect(await semaphore.acquire('a', signal)).toEqual(expect.any(Function))
})

test('a caller with its share waits for its own requests, and lets others pass', async () => {
  const { request, release, granted } = setUp({ permits: 3, maxPerCaller: 2 })
  await request('a1', 'a2', 'a3', 'b1')
  expect(granted).toEqual(['a1', 'a2', 'b1'])
  await release('b1')
  expect(granted).toEqual(['a1', 'a2', 'b1'])
  await request('c1')
  await release('a2')
  expect(granted).toEqual(['a1', 'a2', 'b1', 'c1', 'a3'])
})
