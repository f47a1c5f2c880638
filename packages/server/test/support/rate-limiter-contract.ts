/** What every limiter promises, wherever it counts. A second is to spare where a real clock runs. */
import { describe, expect, test } from 'vitest'
import type { RateLimiter } from '../../src/state/rate-limiter.js'

export interface RateLimiterUnderTest {
  readonly consume: RateLimiter['consume']
  wait(ms: number): unknown
}

const yes = (times: number) => Array(times).fill(true)
const no = (times: number) => Array(times).fill(false)

export function describeRateLimiterContract(
  open: (limit: number) => RateLimiterUnderTest | Promise<RateLimiterUnderTest>,
): void {
  async function setUp(limit = 30) {
    const stage = await open(limit)
    const take = async (caller: string, times = 1) => {
      const accepted: boolean[] = []
      for (let time = 0; time < times; time++) {
        accepted.push((await stage.consume(caller)).isAllowed)
      }
      return accepted
    }
    return { ...stage, verdict: stage.consume, take }
  }

  describe('the limit', () => {
    test('30 requests are accepted, the 31st is not', async () => {
      const { take } = await setUp()
      expect(await take('ann', 31)).toEqual([...yes(30), false])
    })

    test('is each caller’s own', async () => {
      const { take } = await setUp(1)
      expect([...(await take('ann', 2)), ...(await take('bob', 2))]).toEqual([
        true,
        false,
        true,
        false,
      ])
    })

    test('holds across the turn of a minute, where a fixed window would let 60 through', async () => {
      const { wait, take } = await setUp()
      await wait(59_000)
      await take('ann', 30)
      await wait(2_000)
      expect(await take('ann')).toEqual([false])
    })

    test('comes back as it was used, where a bucket would refill beforehand', async () => {
      const { wait, take } = await setUp()
      await take('ann', 15)
      await wait(30_000)
      await take('ann', 15)
      await wait(29_000)
      expect(await take('ann')).toEqual([false])
      await wait(1_000)
      expect(await take('ann', 16)).toEqual([...yes(15), false])
    })

    test('is not used up by what was refused', async () => {
      const { wait, take } = await setUp()
      await take('ann', 30)
      for (let round = 1; round <= 5; round++) {
        await wait(11_000)
        expect(await take('ann', 5)).toEqual(no(5))
      }
      await wait(5_000)
      expect(await take('ann', 31)).toEqual([...yes(30), false])
    })
  })

  test('the caller is told how many are left, and when there will be one more', async () => {
    const { wait, verdict } = await setUp(3)
    const told: number[][] = []
    for (const ms of [0, 10_000, 1_000, 0, 49_000, 0]) {
      await wait(ms)
      const { isAllowed, remaining, resetSeconds } = await verdict('ann')
      told.push([Number(isAllowed), remaining, resetSeconds])
    }
    expect(told).toEqual([
      [1, 2, 60],
      [1, 1, 50],
      [1, 0, 49],
      [0, 0, 49],
      [1, 0, 10],
      [0, 0, 10],
    ])
  })
}
