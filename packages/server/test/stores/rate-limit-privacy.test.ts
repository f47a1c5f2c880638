/** What Redis and its files reveal about callers. */
import { expect, onTestFinished, test } from 'vitest'
import { openRedisState } from '../../src/state/redis-state.js'
import { startRedisServer } from '../support/redis-server.js'

const PASSWORD = 'hunter2-hunter2'
const CALLERS = ['192.0.2.77', '2001:db8:12:34::/64']
const BEFORE_MIDNIGHT = Date.UTC(2026, 10, 16, 23, 59, 59, 900)

const server = await startRedisServer({ isLasting: true, password: PASSWORD })

async function openInstance(wallClock: () => number, limit = 30) {
  const state = await openRedisState(limit, {
    url: server.url,
    now: () => performance.now(),
    wallClock,
    onNewLedger() {},
  })
  onTestFinished(state.close)
  return state.rateLimiter
}

test('no address of a caller is in a key, the append-only file or a snapshot', async () => {
  const limiter = await openInstance(() => BEFORE_MIDNIGHT)
  for (const caller of CALLERS) {
    expect(await limiter.consume(caller)).toMatchObject({ isAllowed: true, remaining: 29 })
  }
  const keys = (await server.command('KEYS', '*')) as string[]
  const limitKeys = keys.filter((key) => key.includes(':limit:'))
  expect(limitKeys).toHaveLength(2)
  expect(keys.filter((key) => /192|2001|db8/.test(key))).toEqual([])

  // A snapshot without compression, so that its content can be searched.
  await server.command('CONFIG', 'SET', 'rdbcompression', 'no')
  await server.command('SAVE')
  const files = server.readFiles()
  const withKeys = Object.keys(files).filter((name) => files[name]?.includes(limitKeys[0] ?? '-'))
  expect(withKeys.sort()).toEqual(['appendonlydir/appendonly.aof.1.incr.aof', 'dump.rdb'])
  for (const secret of [...CALLERS, '192.0.2.', '2001:db8:', PASSWORD]) {
    const revealing = Object.keys(files).filter((name) => files[name]?.includes(secret))
    expect([secret, revealing]).toEqual([secret, []])
  }
})

test('instances share one limit across midnight, when the names of callers change', async () => {
  let time = BEFORE_MIDNIGHT
  const [first, second] = [await openInstance(() => time, 3), await openInstance(() => time, 3)]
  const accepted: boolean[] = []
  for (const limiter of [first, second]) {
    accepted.push((await limiter.consume('192.0.2.1')).isAllowed)
  }
  time += 200
  for (const limiter of [first, second, second, first]) {
    accepted.push((await limiter.consume('192.0.2.1')).isAllowed)
  }
  expect(accepted).toEqual([true, true, true, false, false, false])
})
