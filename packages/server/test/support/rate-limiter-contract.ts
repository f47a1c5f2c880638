/** The tests that every rate limiter must pass. Ten seconds of slack allow for a real clock. */
import { describe, expect, test } from 'vitest'
import type { RateLimiter } from '../../src/state/memory-rate-limiter.js'

export interface RateLimiterUnderTest {
  readonly consume: RateLimiter['consume']
  wait(ms: number): unknown
  /** How late its clock may be; not at all by default. */
  readonly slackSeconds?: number
}

const allowed = (times: number) => Array(times).fill(true)
const denied = (times: number) => Array(times).fill(false)

export function describeRateLimiterContract(
  open: (limit: number) => RateLimiterUnderTest | Promise<RateLimiterUnderTest>,
): void {
  async function setUp(limit = 30) {
    const opened = await open(limit)
    const consumeMany = async (caller: string, times = 1) => {
      const accepted: boolean[] = []
      for (let time = 0; time < times; time++) {
        accepted.push((await opened.consume(caller)).isAllowed)
      }
      return accepted
    }
    return { ...opened, result: opened.consume, consumeMany }
  }

  describe('the limit', () => {
    test('accepts 30 requests and rejects the 31st', async () => {
      const { consumeMany } = await setUp()
      expect(await consumeMany('ann', 31)).toEqual([...allowed(30), false])
    })

    test('is separate for each caller', async () => {
      const { consumeMany } = await setUp(1)
      expect([...(await consumeMany('ann', 2)), ...(await consumeMany('bob', 2))]).toEqual([
        true,
        false,
        true,
        false,
      ])
    })

    test('holds across the turn of a minute, where a fixed window would accept 60', async () => {
      const { wait, consumeMany } = await setUp()
      await wait(59_000)
      await consumeMany('ann', 30)
      await wait(2_000)
      expect(await consumeMany('ann')).toEqual([false])
    })

    test('frees requests one by one, where a token bucket would refill earlier', async () => {
      const { wait, consumeMany } = await setUp()
      await consumeMany('ann', 15)
      await wait(30_000)
      await consumeMany('ann', 15)
      await wait(20_000)
      expect(await consumeMany('ann')).toEqual([false])
      await wait(10_000)
      expect(await consumeMany('ann', 16)).toEqual([...allowed(15), false])
    })

    test('does not count rejected requests', async () => {
      const { wait, consumeMany } = await setUp()
      await consumeMany('ann', 30)
      for (let round = 1; round <= 5; round++) {
        await wait(10_000)
        expect(await consumeMany('ann', 5)).toEqual(denied(5))
      }
      await wait(10_000)
      expect(await consumeMany('ann', 31)).toEqual([...allowed(30), false])
    })
  })

  test('returns the remaining requests and the time until the next', async () => {
    const { wait, result, slackSeconds = 0 } = await setUp(3)
    const results: number[][] = []
    const atMost = (seconds: number) =>
      expect.toSatisfy((found: number) => found <= seconds && found >= seconds - slackSeconds)
    for (const ms of [0, 10_000, 1_000, 0, 49_000, 0]) {
      await wait(ms)
      const { isAllowed, remaining, resetSeconds } = await result('ann')
      results.push([Number(isAllowed), remaining, resetSeconds])
    }
    expect(results).toEqual([
      [1, 2, atMost(60)],
      [1, 1, atMost(50)],
      [1, 0, atMost(49)],
      [0, 0, atMost(49)],
      [1, 0, atMost(10)],
      [0, 0, atMost(10)],
    ])
  })
}
