/** The rate limit that instances share, and its fallback without the store. */
import { beforeEach, describe, expect, test } from 'vitest'
import { createMemoryRateLimiter } from '../../src/state/memory-rate-limiter.js'
import { createRateLimitKeys, createRedisRateLimiter } from '../../src/state/redis-rate-limiter.js'
import { describeRateLimiterContract } from '../support/rate-limiter-contract.js'
import { startRedisServer } from '../support/redis-server.js'
import { advanceRedisTime } from './advance-redis-time.js'
import { connectWatchedStore, type WatchedServer } from './watched-store.js'

const server = await startRedisServer()
beforeEach(() => server.reset())

const keysFor = createRateLimitKeys('secret', () => Date.UTC(2026, 10, 16))

/** How late the server's clock may be, which cannot be stopped. */
const SLACK_SECONDS = 9

interface Waiting {
  readonly watched?: WatchedServer
  /** How long a caller waits for the store; as long as the store itself by default. */
  readonly timeoutMs?: number
}

/** Instances with one store each, and a clock that stands still until a test waits. */
async function openInstances(
  limit: number,
  count: number,
  { watched = server, timeoutMs = 600_000 }: Waiting = {},
) {
  let passed = 0
  const now = () => passed
  const instances = await Promise.all(
    Array.from({ length: count }, async () => {
      const store = await connectWatchedStore(watched)
      const local = createMemoryRateLimiter({ limit, now })
      const { consume } = createRedisRateLimiter({ store, local, now, keysFor, timeoutMs })
      return { store, local, consume }
    }),
  )
  async function wait(ms: number) {
    passed += ms
    await advanceRedisTime(server, ms)
  }
  return { instances, wait }
}

type Instance = Awaited<ReturnType<typeof openInstances>>['instances'][number]

async function openInstance(limit: number, waiting?: Waiting): Promise<Instance> {
  const { instances } = await openInstances(limit, 1, waiting)
  return instances[0] as Instance
}

/** Sends concurrent requests to the instances in turn; returns how many are accepted. */
async function countAccepted(instances: readonly Instance[], times: number, caller = 'ann') {
  const requests = Array.from({ length: times }, (_, index) =>
    instances[index % instances.length]?.consume(caller),
  )
  const results = await Promise.all(requests)
  return results.filter((result) => result?.isAllowed).length
}

describe('with one instance', () => {
  describeRateLimiterContract(async (limit) => {
    const { instances, wait } = await openInstances(limit, 1)
    const { consume } = instances[0] as Instance
    return { consume, wait, slackSeconds: SLACK_SECONDS }
  })
})

describe('with three instances in turn', () => {
  describeRateLimiterContract(async (limit) => {
    const { instances, wait } = await openInstances(limit, 3)
    let turn = 0
    return {
      consume: (caller) => (instances[turn++ % 3] as Instance).consume(caller),
      wait,
      slackSeconds: SLACK_SECONDS,
    }
  })
})

test('accepts 30 of hundreds of concurrent requests at four instances', async () => {
  const { instances, wait } = await openInstances(30, 4)
  expect(await countAccepted(instances, 400)).toBe(30)
  await wait(30_000)
  expect(await countAccepted(instances, 400)).toBe(0)
  await wait(30_000)
  expect(await countAccepted(instances, 400)).toBe(30)
})

test('rejects a caller over the local limit without a query', async () => {
  const { store, consume } = await openInstance(3)
  await Promise.all([consume('ann'), consume('ann'), consume('ann')])
  const commandCount = store.commands.length
  expect(await consume('ann')).toEqual({ isAllowed: false, remaining: 0, resetSeconds: 60 })
  expect(store.commands).toHaveLength(commandCount)
})

test('stores nothing longer than the window', async () => {
  const { consume } = await openInstance(3)
  await consume('ann')
  const left = Number(await server.command('PTTL', keysFor('ann')[0]))
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThanOrEqual(60_000)
})

test('recovers within a minute if the server clock is set back', async () => {
  const { instances } = await openInstances(3, 3)
  const [first, second, third] = instances as [Instance, Instance, Instance]
  await countAccepted([first], 3)
  await advanceRedisTime(server, -30_000)
  expect(await countAccepted([second], 3)).toBe(0)
  await advanceRedisTime(server, -31_000)
  expect(await countAccepted([third], 3)).toBe(3)
})

describe('while the store is down', () => {
  test.each([
    ['killed', () => server.kill(), () => server.start()],
    ['frozen', () => server.freeze(), () => server.resume()],
    [
      'full',
      () => server.command('CONFIG', 'SET', 'maxmemory', '1'),
      () => server.command('CONFIG', 'SET', 'maxmemory', '0'),
    ],
  ])('%s: continues the count locally, and shares it again afterwards', async (_, fault, cure) => {
    const { instances } = await openInstances(30, 2)
    const [first, second] = instances as [Instance, Instance]
    expect(await countAccepted([first], 10)).toBe(10)
    await fault()
    expect(await countAccepted([first], 100)).toBe(20)
    const queries = () =>
      first.store.commands.filter(({ command }) => command === 'rateLimit.consume').length
    const before = queries()
    expect(await first.consume('ann')).toEqual({
      isAllowed: false,
      remaining: 0,
      resetSeconds: 60,
    })
    expect(queries()).toBe(before)
    await cure()
    await Promise.all([first.store.waitUntilUp(), second.store.waitUntilUp()])
    expect(await countAccepted([first], 5)).toBe(0)
    expect(await countAccepted([first, second], 100, 'bob')).toBe(30)
  })

  test('waits out a short delay without marking the store as down', async () => {
    // The caller does not wait for the store, which has more time than the test lets pass.
    const watched = { url: server.url }
    const { store, consume } = await openInstance(30, { watched, timeoutMs: 250 })
    server.freeze()
    const result = await consume('ann')
    expect(store.commands.map(({ command }) => command)).toEqual(['probe'])
    server.resume()
    expect(result).toMatchObject({ isAllowed: true })
    expect(await consume('ann')).toMatchObject({ isAllowed: true })
    expect(store.states).toEqual(['up'])
  })

  test('applies the limit to each instance', async () => {
    await server.kill()
    const { instances } = await openInstances(30, 2)
    expect(await countAccepted(instances, 200)).toBe(60)
  })

  test('returns the state of the local log', async () => {
    const { store, consume } = await openInstance(3)
    await consume('ann')
    await server.command('FLUSHALL')
    expect(await consume('ann')).toEqual({ isAllowed: true, remaining: 1, resetSeconds: 60 })
    await server.kill()
    await store.waitUntilDown()
    expect(await consume('ann')).toEqual({ isAllowed: true, remaining: 0, resetSeconds: 60 })
    expect(await consume('ann')).toEqual({ isAllowed: false, remaining: 0, resetSeconds: 60 })
  })
})
