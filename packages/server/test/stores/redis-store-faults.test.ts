/** The store when its server is killed, frozen, out of memory, locked or unreachable. */
import { startFreezableProxy } from '@mailgrade/testing/freezable-proxy'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openState } from '../../src/state/open-state.js'
import { defineRedisScript, redisKey, StoreUnavailable } from '../../src/state/redis-connection.js'
import { openRedisStore, type RedisStore, type StoreRisk } from '../../src/state/redis-store.js'
import { startRedisServer } from '../support/redis-server.js'
import {
  connectWatchedStore,
  openWatchedStore,
  outcomeOf,
  outcomesSince,
  type WatchedStore,
} from './watched-store.js'

const COUNT = defineRedisScript('count', `return redis.call('INCRBY', KEYS[1], ARGV[1])`)
const TIMEOUT_MS = 300
const count = (store: RedisStore) =>
  store.runScript(COUNT, [redisKey('count')], ['2'], { timeoutMs: TIMEOUT_MS })

const server = await startRedisServer()
beforeEach(() => server.reset())

/** Expects a hundred calls to be rejected at once, without a query. */
async function expectRejected(store: WatchedStore, cause: string): Promise<void> {
  const before = store.commands.length
  for (const call of Array.from({ length: 100 }, () => outcomeOf(() => count(store)))) {
    expect(await call).toEqual(new StoreUnavailable(cause))
  }
  const outcomes = outcomesSince(store, before, (command) => command === 'count')
  expect(outcomes).toEqual(Array(100).fill('skipped'))
}

describe('a healthy server', () => {
  test('runs scripts and loads missing ones', async () => {
    const store = await connectWatchedStore(server)
    expect([await count(store), await count(store)]).toEqual([2, 4])
    await server.command('SCRIPT', 'FLUSH')
    expect(await count(store)).toBe(6)
    expect(store.states).toEqual(['up'])
    expect(store.commands).toEqual(
      ['probe', 'count', 'count', 'count'].map((command) => ({
        command,
        outcome: 'ok',
        ms: expect.any(Number),
      })),
    )
  })

  test('is disconnected when the store is closed', async () => {
    const store = await connectWatchedStore(server)
    store.close()
    expect(store.isUp()).toBe(false)
    await expectRejected(store, 'closed')
    const clients = async () =>
      String(await server.command('CLIENT', 'LIST'))
        .trim()
        .split('\n')
    await expect.poll(clients, { timeout: 120_000 }).toHaveLength(1)
  })
})

describe('a server that may lose payments is reported:', () => {
  /** What the server was found to risk when it answered. */
  async function findRisks(url = server.url): Promise<StoreRisk[]> {
    const found: StoreRisk[] = []
    const onRisk = (risk: StoreRisk) => found.push(risk)
    const store = openRedisStore({ url, now: () => performance.now(), onRisk })
    onTestFinished(store.close)
    // The settings are asked for first, so they are known when this is answered.
    await store.firstAttempt
    await count(store)
    return found
  }

  async function configure(name: string, value: string): Promise<void> {
    const [, before] = (await server.command('CONFIG', 'GET', name)) as string[]
    await server.command('CONFIG', 'SET', name, value)
    onTestFinished(async () => {
      await server.command('CONFIG', 'SET', name, before ?? '')
    })
  }

  test('one that evicts, with its policy', async () => {
    await configure('appendonly', 'yes')
    await configure('maxmemory-policy', 'allkeys-lru')
    expect(await findRisks()).toEqual([{ kind: 'evicts', policy: 'allkeys-lru' }])
  })

  test('one without an append-only file', async () => {
    expect(await findRisks()).toEqual([{ kind: 'forgets' }])
  })

  test('one that does not say, because its user may not ask', async () => {
    await server.command('ACL', 'SETUSER', 'app', 'on', '>pw', '~*', '+@all', '-info')
    onTestFinished(async () => {
      await server.command('ACL', 'DELUSER', 'app')
    })
    const url = server.url.replace('redis://', 'redis://app:pw@')
    expect(await findRisks(url)).toEqual([{ kind: 'unchecked' }])
  })

  test('not one that keeps everything', async () => {
    await configure('appendonly', 'yes')
    expect(await findRisks()).toEqual([])
  })
})

test('the service hears of a server that may lose payments', async () => {
  let report = (_risk: StoreRisk) => {}
  const reported = new Promise<StoreRisk>((resolve) => {
    report = resolve
  })
  const { close } = await openState({
    config: {
      mode: 'live',
      redisUrl: server.url,
      dataDir: '',
      acceptedLoss: null,
      rateLimitPerMinute: 1,
    },
    now: () => performance.now(),
    wallClock: () => Date.now(),
    onRisk: report,
  })
  onTestFinished(close)
  expect(await reported).toEqual({ kind: 'forgets' })
})

test('does not wait for a missing server, and connects when it starts', async () => {
  await server.kill()
  const store = openWatchedStore(server)
  await expectRejected(store, 'not connected yet')
  await store.firstAttempt
  await expectRejected(store, 'the connection failed: ECONNREFUSED')
  await server.start()
  await store.waitUntilUp()
  expect(await count(store)).toBe(2)
  expect(store.states).toEqual(['the connection failed: ECONNREFUSED', 'up'])
})

test('notices a killed server at once, and reconnects', async () => {
  const store = await connectWatchedStore(server)
  await count(store)
  await server.kill()
  await store.waitUntilDown()
  const [, cause = ''] = store.states
  expect(cause).toMatch(/^the connection failed: (ECONNRESET|SocketClosedUnexpectedlyError)$/)
  await server.start()
  await store.waitUntilUp()
  expect(await count(store)).toBe(2)
})

test('waits for a hanging server once, and recovers with it', async () => {
  const store = await connectWatchedStore(server)
  server.freeze()
  expect(await outcomeOf(() => count(store))).toEqual(
    new StoreUnavailable(`no answer within ${TIMEOUT_MS} ms`),
  )
  await expectRejected(store, `no answer within ${TIMEOUT_MS} ms`)
  server.resume()
  await store.waitUntilUp()
  await count(store)
  const counts = outcomesSince(store, 0, (command) => command === 'count')
  expect(counts).toEqual(['failed', ...Array(100).fill('skipped'), 'ok'])
})

test('is not up if the server hangs from the start', async () => {
  server.freeze()
  const store = openWatchedStore(server)
  await store.firstAttempt
  // Before or after the connection is there.
  const noAnswer = expect.stringMatching(/^no answer within (1000|250) ms$/)
  expect([store.isUp(), store.states]).toEqual([false, [noAnswer]])
  server.resume()
  await store.waitUntilUp()
  expect(await count(store)).toBe(2)
})

test('opens another connection if the network drops all packets', async () => {
  const relay = await startFreezableProxy({ url: new URL(server.url) })
  let isFrozen = false
  const store = await connectWatchedStore({ url: relay.url.href, isFrozen: () => isFrozen })
  relay.freeze()
  isFrozen = true
  const outcome = await outcomeOf(() => count(store))
  // Only the connections that were open then are dead.
  isFrozen = false
  expect(outcome).toEqual(new StoreUnavailable(`no answer within ${TIMEOUT_MS} ms`))
  await store.waitUntilUp()
  expect(await count(store)).toBe(2)
  expect(relay.connections()).toBe(2)
})

describe('a server that answers with an error', () => {
  test.each([
    ['OOM', ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0']],
    ['READONLY', ['REPLICAOF', '127.0.0.1', '9'], ['REPLICAOF', 'NO', 'ONE']],
  ])('%s', async (code, fault, cure) => {
    const store = await connectWatchedStore(server)
    await server.command(...fault)
    expect(await outcomeOf(() => count(store))).toEqual(
      new StoreUnavailable(`the store says ${code}`),
    )
    await expectRejected(store, `the store says ${code}`)
    const failed = () => store.commands.filter(({ outcome }) => outcome === 'failed')
    await vi.waitUntil(() => failed().length >= 3, { timeout: 120_000 })
    const commands = failed().map(({ command }) => command)
    expect(commands.slice(0, 3)).toEqual(['count', 'probe', 'probe'])
    await server.command(...cure)
    await store.waitUntilUp()
    expect(await count(store)).toBe(2)
    expect(store.states).toEqual(['up', `the store says ${code}`, 'up'])
  })

  test('WRONGPASS: hides the password, and connects once it is right', async () => {
    const grant = (password: string) =>
      server.command('ACL', 'SETUSER', 'ann', 'on', `>${password}`, '~*', '+@all')
    onTestFinished(async () => void (await server.command('ACL', 'DELUSER', 'ann')))
    await grant('other')
    const store = openWatchedStore({ url: server.url.replace('//', '//ann:hunter2@') })
    await store.firstAttempt
    await expectRejected(store, 'the store says WRONGPASS')
    await grant('hunter2')
    await store.waitUntilUp()
    expect(await count(store)).toBe(2)
  })

  test('NOPERM', async () => {
    onTestFinished(async () => void (await server.command('ACL', 'DELUSER', 'bob')))
    await server.command('ACL', 'SETUSER', 'bob', 'on', '>secret', '~{mailgrade}*', '+set')
    const store = await connectWatchedStore({ url: server.url.replace('//', '//bob:secret@') })
    expect(await outcomeOf(() => count(store))).toEqual(
      new StoreUnavailable('the store says NOPERM'),
    )
  })
})
