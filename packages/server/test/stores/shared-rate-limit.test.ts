/** One limit for several instances, and what is left of it without the store. */
import { beforeEach, describe, expect, test } from 'vitest'
import { createMemoryRateLimiter } from '../../src/state/memory-rate-limiter.js'
import { createRedisRateLimiter } from '../../src/state/redis-rate-limiter.js'
import { redisKey } from '../../src/state/redis-script.js'
import { describeRateLimiterContract } from '../support/rate-limiter-contract.js'
import { startRedisServer } from '../support/redis-server.js'
import { advanceRedisTime } from './advance-redis-time.js'
import { connectWatchedStore, timeOutcome } from './watched-store.js'

const server = await startRedisServer()
beforeEach(() => server.reset())

/** Several instances with a store each, and a clock that goes with the server's. */
async function openInstances(limit: number, howMany: number) {
  let passed = 0
  const now = () => performance.now() + passed
  const instances = await Promise.all(
    Array.from({ length: howMany }, async () => {
      const store = await connectWatchedStore(server.url)
      const local = createMemoryRateLimiter({ limit, now })
      const { consume } = createRedisRateLimiter({ store, local, now })
      return { store, local, take: consume }
    }),
  )
  async function wait(ms: number) {
    passed += ms
    await advanceRedisTime(server, ms)
  }
  return { instances, wait }
}

type Instance = Awaited<ReturnType<typeof openInstances>>['instances'][number]

async function openInstance(limit: number): Promise<Instance> {
  const { instances } = await openInstances(limit, 1)
  return instances[0] as Instance
}

/** How many of these are accepted when they all come at once, one instance after the other. */
async function rush(instances: readonly Instance[], times: number, caller = 'ann') {
  const takes = Array.from({ length: times }, (_, index) =>
    instances[index % instances.length]?.take(caller),
  )
  const verdicts = await Promise.all(takes)
  return verdicts.filter((verdict) => verdict?.isAllowed).length
}

describe('by one instance', () => {
  describeRateLimiterContract(async (limit) => {
    const { instances, wait } = await openInstances(limit, 1)
    return { consume: (instances[0] as Instance).take, wait }
  })
})

describe('by three instances in turn', () => {
  describeRateLimiterContract(async (limit) => {
    const { instances, wait } = await openInstances(limit, 3)
    let turn = 0
    return { consume: (caller) => (instances[turn++ % 3] as Instance).take(caller), wait }
  })
})

test('of hundreds that come at once at four instances, 30 are accepted', async () => {
  const { instances, wait } = await openInstances(30, 4)
  expect(await rush(instances, 400)).toBe(30)
  await wait(59_000)
  expect(await rush(instances, 400)).toBe(0)
  await wait(1_000)
  expect(await rush(instances, 400)).toBe(30)
})

test('who has used up his requests here is refused without asking', async () => {
  const { store, take } = await openInstance(3)
  await Promise.all([take('ann'), take('ann'), take('ann')])
  const asked = store.commands.length
  expect(await take('ann')).toEqual({ isAllowed: false, remaining: 0, resetSeconds: 60 })
  expect(store.commands).toHaveLength(asked)
})

test('nothing is kept for longer than it counts', async () => {
  const { take } = await openInstance(3)
  await take('ann')
  const left = Number(await server.command('PTTL', redisKey('limit', 'ann')))
  expect(left).toBeGreaterThan(59_000)
  expect(left).toBeLessThanOrEqual(60_000)
})

test('a server clock that was set back refuses nobody for more than a minute', async () => {
  const { instances } = await openInstances(3, 3)
  const [first, second, third] = instances as [Instance, Instance, Instance]
  await rush([first], 3)
  await advanceRedisTime(server, -30_000)
  expect(await rush([second], 3)).toBe(0)
  await advanceRedisTime(server, -31_000)
  expect(await rush([third], 3)).toBe(3)
})

describe('while the store is away', () => {
  test.each([
    ['killed', () => server.kill(), () => server.start()],
    ['frozen', () => server.freeze(), () => server.resume()],
    [
      'full',
      () => server.command('CONFIG', 'SET', 'maxmemory', '1'),
      () => server.command('CONFIG', 'SET', 'maxmemory', '0'),
    ],
  ])(
    '%s: the count goes on here from where it stood, and is shared again afterwards',
    async (_, fault, cure) => {
      const { instances } = await openInstances(30, 2)
      const [first, second] = instances as [Instance, Instance]
      expect(await rush([first], 10)).toBe(10)
      await fault()
      const { outcome, ms } = await timeOutcome(() => rush([first], 100))
      expect(outcome).toBe(20)
      expect(ms).toBeLessThan(2_000)
      expect(await timeOutcome(() => first.take('ann'))).toEqual({
        outcome: { isAllowed: false, remaining: 0, resetSeconds: expect.any(Number) },
        ms: expect.toSatisfy((ms: number) => ms < 200),
      })
      await cure()
      await Promise.all([first.store.waitUntilUp(), second.store.waitUntilUp()])
      expect(await rush([first], 5)).toBe(0)
      expect(await rush([first, second], 100, 'bob')).toBe(30)
    },
  )

  test('a short hold-up is waited out here, and does not count as an end of the store', async () => {
    const { store, take } = await openInstance(30)
    server.freeze()
    const { outcome, ms } = await timeOutcome(() => take('ann'))
    server.resume()
    expect(outcome).toMatchObject({ isAllowed: true })
    expect(ms).toBeLessThan(900)
    expect(await take('ann')).toMatchObject({ isAllowed: true })
    expect(store.states).toEqual(['up'])
  })

  test('the limit holds for each instance by itself', async () => {
    await server.kill()
    const { instances } = await openInstances(30, 2)
    expect(await rush(instances, 200)).toBe(60)
  })

  test('callers are told what this instance knows', async () => {
    const { store, take } = await openInstance(3)
    await take('ann')
    await server.command('FLUSHALL')
    expect(await take('ann')).toEqual({ isAllowed: true, remaining: 1, resetSeconds: 60 })
    await server.kill()
    await store.waitUntilDown()
    expect(await take('ann')).toEqual({ isAllowed: true, remaining: 0, resetSeconds: 60 })
    expect(await take('ann')).toEqual({ isAllowed: false, remaining: 0, resetSeconds: 60 })
  })
})
