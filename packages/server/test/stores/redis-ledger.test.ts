/** One ledger for several instances: what it promises, leases, and many who come at once. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { LedgerUnavailable } from '../../src/state/ledger.js'
import { createRedisLedger } from '../../src/state/redis-ledger.js'
import { redisKey } from '../../src/state/redis-script.js'
import {
  describeLedgerContract,
  ledgerActions,
  TEST_SETTLEMENT,
} from '../support/ledger-contract.js'
import { startRedisServer } from '../support/redis-server.js'
import { advanceRedisTime } from './advance-redis-time.js'
import { connectWatchedStore } from './watched-store.js'

const LEASE_MS = 10_000

const server = await startRedisServer()
beforeEach(() => server.reset())

async function openInstance(options: { maxEntries?: number; leaseMs?: number } = {}) {
  const store = await connectWatchedStore(server.url)
  const ledger = createRedisLedger({ store, ...options })
  const stage = { ledger, startsAt: Date.now() }
  return { store, ...stage, ...ledgerActions(stage) }
}

const wait = (ms: number) => advanceRedisTime(server, ms)
const openTwo = () => Promise.all([openInstance(), openInstance()])

describe('by one instance', () => {
  describeLedgerContract(async (bounds) => ({ ...(await openInstance(bounds)), wait }))
})

describe('by the next of three instances each time a payment is claimed', () => {
  describeLedgerContract(async (bounds) => {
    const instances = await Promise.all([1, 2, 3].map(() => openInstance(bounds)))
    const ledgers = instances.map(({ ledger }) => ledger)
    let turn = 0
    const next = () => ledgers[turn++ % 3] as (typeof ledgers)[number]
    /** Who has which payment. */
    const owners = new Map<string, (typeof ledgers)[number]>()
    const owner = (id: string) => owners.get(id) ?? next()
    return {
      startsAt: Date.now(),
      wait,
      ledger: {
        async reserve(sale) {
          const ledger = next()
          const claim = await ledger.reserve(sale)
          if (['yours', 'doubtful'].includes(claim.kind)) owners.set(sale.id, ledger)
          return claim
        },
        prepare: (id, report) => owner(id).prepare(id, report),
        complete: (id, receipt) => owner(id).complete(id, receipt),
        markUnknown: (id) => owner(id).markUnknown(id),
        release: (id) => owner(id).release(id),
        size: () => next().size(),
      },
    }
  })
})

test('of hundreds who come at once at four instances, each payment is given to one', async () => {
  const instances = await Promise.all([1, 2, 3, 4].map(() => openInstance()))
  const ids = Array.from({ length: 25 }, (_, index) => `payment ${index}`)
  const kinds = await Promise.all(
    ids.map((id) =>
      Promise.all(
        Array.from({ length: 20 }, (_, index) => instances[index % 4]?.kindOf(id) ?? null),
      ),
    ),
  )
  const given = kinds.map((of) => of.filter((kind) => kind === 'yours').length)
  expect(given).toEqual(ids.map(() => 1))
  expect(new Set(kinds.flat())).toEqual(new Set(['yours', 'busy']))
})

test('the bound is for all instances together, however many come at once', async () => {
  const instances = await Promise.all([1, 2, 3].map(() => openInstance({ maxEntries: 50 })))
  const kinds = await Promise.all(
    Array.from({ length: 200 }, (_, index) => instances[index % 3]?.kindOf(`payment ${index}`)),
  )
  expect(kinds.filter((kind) => kind === 'yours')).toHaveLength(50)
  expect(kinds.filter((kind) => kind === 'full')).toHaveLength(150)
  expect(await instances[0]?.ledger.size()).toBe(50)
})

describe('when the instance that has a payment is gone,', () => {
  test('it is busy until the lease is over', async () => {
    const [dying, other] = await openTwo()
    await dying.begin('a')
    dying.store.close()
    await wait(LEASE_MS - 2_000)
    expect(await other.kindOf('a')).toBe('busy')
  })

  test('it is free after that, when nothing was pledged', async () => {
    const [dying, other] = await openTwo()
    await dying.claim('a')
    dying.store.close()
    await wait(LEASE_MS)
    expect(await other.ledger.size()).toBe(0)
    expect(await other.kindOf('a', { requestKey: 'score other.test' })).toBe('yours')
  })

  test('it is in doubt after that, when the money may have moved', async () => {
    const [dying, other] = await openTwo()
    await dying.begin('a', '{"score":94}')
    dying.store.close()
    await wait(LEASE_MS)
    expect(await other.kindOf('a', { requestKey: 'score other.test' })).toBe('spent')
    expect(await other.claim('a')).toEqual({ kind: 'doubtful', report: '{"score":94}' })
    expect(await dying.kindOf('a')).toBe('busy')
  })

  test('it stays in doubt for ten minutes beyond the payment’s end', async () => {
    const [dying, other] = await openTwo()
    await dying.begin('a')
    dying.store.close()
    await wait(600_000)
    expect(await other.kindOf('a')).toBe('doubtful')
    other.store.close()
    const third = await openInstance()
    await wait(LEASE_MS)
    expect(await third.kindOf('a')).toBe('doubtful')
  })
})

describe('who lost the lease', () => {
  test('cannot pledge, whether somebody else has the payment or nobody', async () => {
    const [late, other] = await openTwo()
    await late.claim('a')
    await late.claim('b')
    await wait(LEASE_MS)
    expect(await other.kindOf('a')).toBe('yours')
    const lost = new LedgerUnavailable('the claim was lost')
    await expect(late.ledger.prepare('a', 'r')).rejects.toEqual(lost)
    await expect(late.ledger.prepare('b', 'r')).rejects.toEqual(lost)
    await other.ledger.prepare('a', 'theirs')
    await other.ledger.complete('a', TEST_SETTLEMENT)
    expect(await other.claim('a')).toMatchObject({ kind: 'sold', report: 'theirs' })
    expect(await other.kindOf('b')).toBe('yours')
  })

  test.each([
    ['release', (late: Late) => late.ledger.release('a')],
    ['doubt', (late: Late) => late.ledger.markUnknown('a')],
    [
      'close',
      (late: Late) => late.ledger.complete('a', { ...TEST_SETTLEMENT, transaction: '0xlate' }),
    ],
  ])('cannot %s what somebody else has', async (_, end) => {
    const [late, other] = await openTwo()
    await late.begin('a')
    await wait(LEASE_MS)
    expect(await other.kindOf('a')).toBe('doubtful')
    await end(late)
    expect(await late.kindOf('a')).toBe('busy')
    await other.ledger.complete('a', TEST_SETTLEMENT)
    expect(await late.claim('a')).toEqual({
      kind: 'sold',
      report: 'r',
      settlement: TEST_SETTLEMENT,
    })
  })

  test('can still say how it ended, when nobody else has it', async () => {
    const [late, other] = await openTwo()
    await late.begin('a')
    await wait(LEASE_MS)
    await late.ledger.complete('a', TEST_SETTLEMENT)
    expect(await other.claim('a')).toEqual({
      kind: 'sold',
      report: 'r',
      settlement: TEST_SETTLEMENT,
    })
  })

  test('does not get the payment a second time before the first sale has ended', async () => {
    const { ledger, begin, kindOf } = await openInstance()
    await begin('a')
    await wait(LEASE_MS)
    expect(await kindOf('a')).toBe('busy')
    await ledger.release('a')
    expect(await kindOf('a')).toBe('yours')
  })
})

type Late = Awaited<ReturnType<typeof openInstance>>

test('a sale may take longer than its lease, which is renewed until it ends', async () => {
  const [slow, other] = await Promise.all([openInstance({ leaseMs: 600 }), openInstance()])
  const renewals = () => slow.store.commands.filter(({ command }) => command === 'ledger.renew')
  await slow.begin('a')
  await vi.waitUntil(() => renewals().length >= 5, { timeout: 10_000 })
  expect(await other.kindOf('a')).toBe('busy')
  await slow.ledger.complete('a', TEST_SETTLEMENT)
  const before = renewals().length
  await slow.begin('b')
  await vi.waitUntil(() => renewals().length >= before + 2, { timeout: 10_000 })
  expect(await other.kindOf('a')).toBe('sold')
})

test('neither the request nor the payment can be read in the store', async () => {
  const { sell } = await openInstance()
  const request = 'email-check ann@acme.test'
  await sell('eip155:8453 0xasset 0xpayer 0xnonce', 'r', { requestKey: request, fingerprint: 'f' })
  const keys = ((await server.command('KEYS', '*')) as string[]).filter(
    (key) => key !== redisKey('probe'),
  )
  expect(keys).toHaveLength(3)
  const entry = keys.find((key) => key.startsWith(redisKey('payment', ''))) ?? ''
  const everything = JSON.stringify([keys, await server.command('HGETALL', entry)])
  expect(everything).not.toMatch(/acme|0xasset|0xnonce/)
  for (const key of keys) expect(Number(await server.command('PTTL', key))).toBeGreaterThan(0)
})
