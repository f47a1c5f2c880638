/** The ledger that instances share: its contract, leases and concurrency. */
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
  const opened = { ledger, startsAt: Date.now() }
  return { store, ...opened, ...ledgerActions(opened) }
}

const wait = (ms: number) => advanceRedisTime(server, ms)
const openTwo = () => Promise.all([openInstance(), openInstance()])

describe('with one instance', () => {
  describeLedgerContract(async (bounds) => ({ ...(await openInstance(bounds)), wait }))
})

describe('with three instances in turn', () => {
  describeLedgerContract(async (bounds) => {
    const instances = await Promise.all([1, 2, 3].map(() => openInstance(bounds)))
    const ledgers = instances.map(({ ledger }) => ledger)
    let turn = 0
    const next = () => ledgers[turn++ % 3] as (typeof ledgers)[number]
    /** The ledger that reserved each payment. */
    const owners = new Map<string, (typeof ledgers)[number]>()
    const owner = (id: string) => owners.get(id) ?? next()
    return {
      startsAt: Date.now(),
      wait,
      ledger: {
        async reserve(request) {
          const ledger = next()
          const reservation = await ledger.reserve(request)
          if (['acquired', 'unknown'].includes(reservation.kind)) owners.set(request.id, ledger)
          return reservation
        },
        prepare: (id, report) => owner(id).prepare(id, report),
        complete: (id, settlement) => owner(id).complete(id, settlement),
        markUnknown: (id) => owner(id).markUnknown(id),
        release: (id) => owner(id).release(id),
        size: () => next().size(),
      },
    }
  })
})

test('gives each payment to one of hundreds of concurrent requests at four instances', async () => {
  const instances = await Promise.all([1, 2, 3, 4].map(() => openInstance()))
  const ids = Array.from({ length: 25 }, (_, index) => `payment ${index}`)
  const kinds = await Promise.all(
    ids.map((id) =>
      Promise.all(
        Array.from({ length: 20 }, (_, index) => instances[index % 4]?.reserveKind(id) ?? null),
      ),
    ),
  )
  const given = kinds.map((of) => of.filter((kind) => kind === 'acquired').length)
  expect(given).toEqual(ids.map(() => 1))
  expect(new Set(kinds.flat())).toEqual(new Set(['acquired', 'inProgress']))
})

test('limits the entries of all instances together', async () => {
  const instances = await Promise.all([1, 2, 3].map(() => openInstance({ maxEntries: 50 })))
  const kinds = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      instances[index % 3]?.reserveKind(`payment ${index}`),
    ),
  )
  expect(kinds.filter((kind) => kind === 'acquired')).toHaveLength(50)
  expect(kinds.filter((kind) => kind === 'full')).toHaveLength(150)
  expect(await instances[0]?.ledger.size()).toBe(50)
})

describe('when the instance with a payment is gone', () => {
  test('the payment is in progress until its lease expires', async () => {
    const [dying, other] = await openTwo()
    await dying.prepareOne('a')
    dying.store.close()
    await wait(LEASE_MS - 2_000)
    expect(await other.reserveKind('a')).toBe('inProgress')
  })

  test('the payment is free after the lease if no report was prepared', async () => {
    const [dying, other] = await openTwo()
    await dying.reserve('a')
    dying.store.close()
    await wait(LEASE_MS)
    expect(await other.ledger.size()).toBe(0)
    expect(await other.reserveKind('a', { requestKey: 'score other.test' })).toBe('acquired')
  })

  test('the payment is unknown after the lease if it may have been charged', async () => {
    const [dying, other] = await openTwo()
    await dying.prepareOne('a', '{"score":94}')
    dying.store.close()
    await wait(LEASE_MS)
    expect(await other.reserveKind('a', { requestKey: 'score other.test' })).toBe('conflict')
    expect(await other.reserve('a')).toEqual({ kind: 'unknown', report: '{"score":94}' })
    expect(await dying.reserveKind('a')).toBe('inProgress')
  })

  test('the payment stays unknown for ten minutes after it expires', async () => {
    const [dying, other] = await openTwo()
    await dying.prepareOne('a')
    dying.store.close()
    await wait(600_000)
    expect(await other.reserveKind('a')).toBe('unknown')
    other.store.close()
    const third = await openInstance()
    await wait(LEASE_MS)
    expect(await third.reserveKind('a')).toBe('unknown')
  })
})

describe('an instance that lost its lease', () => {
  test('cannot prepare, whether or not another instance has the payment', async () => {
    const [late, other] = await openTwo()
    await late.reserve('a')
    await late.reserve('b')
    await wait(LEASE_MS)
    expect(await other.reserveKind('a')).toBe('acquired')
    const lost = new LedgerUnavailable('the reservation was lost')
    await expect(late.ledger.prepare('a', 'r')).rejects.toEqual(lost)
    await expect(late.ledger.prepare('b', 'r')).rejects.toEqual(lost)
    await other.ledger.prepare('a', 'theirs')
    await other.ledger.complete('a', TEST_SETTLEMENT)
    expect(await other.reserve('a')).toMatchObject({ kind: 'completed', report: 'theirs' })
    expect(await other.reserveKind('b')).toBe('acquired')
  })

  test.each([
    ['release', (late: Late) => late.ledger.release('a')],
    ['markUnknown', (late: Late) => late.ledger.markUnknown('a')],
    [
      'close',
      (late: Late) => late.ledger.complete('a', { ...TEST_SETTLEMENT, transaction: '0xlate' }),
    ],
  ])('cannot %s a payment of another instance', async (_, end) => {
    const [late, other] = await openTwo()
    await late.prepareOne('a')
    await wait(LEASE_MS)
    expect(await other.reserveKind('a')).toBe('unknown')
    await end(late)
    expect(await late.reserveKind('a')).toBe('inProgress')
    await other.ledger.complete('a', TEST_SETTLEMENT)
    expect(await late.reserve('a')).toEqual({
      kind: 'completed',
      report: 'r',
      settlement: TEST_SETTLEMENT,
    })
  })

  test('can still end a payment that no other instance has', async () => {
    const [late, other] = await openTwo()
    await late.prepareOne('a')
    await wait(LEASE_MS)
    await late.ledger.complete('a', TEST_SETTLEMENT)
    expect(await other.reserve('a')).toEqual({
      kind: 'completed',
      report: 'r',
      settlement: TEST_SETTLEMENT,
    })
  })

  test('cannot reserve the payment again before it ends the first reservation', async () => {
    const { ledger, prepareOne, reserveKind } = await openInstance()
    await prepareOne('a')
    await wait(LEASE_MS)
    expect(await reserveKind('a')).toBe('inProgress')
    await ledger.release('a')
    expect(await reserveKind('a')).toBe('acquired')
  })
})

type Late = Awaited<ReturnType<typeof openInstance>>

test('renews the lease of a payment that takes longer', async () => {
  const [slow, other] = await Promise.all([openInstance({ leaseMs: 600 }), openInstance()])
  const renewals = () => slow.store.commands.filter(({ command }) => command === 'ledger.renew')
  await slow.prepareOne('a')
  await vi.waitUntil(() => renewals().length >= 5, { timeout: 10_000 })
  expect(await other.reserveKind('a')).toBe('inProgress')
  await slow.ledger.complete('a', TEST_SETTLEMENT)
  const before = renewals().length
  await slow.prepareOne('b')
  await vi.waitUntil(() => renewals().length >= before + 2, { timeout: 10_000 })
  expect(await other.reserveKind('a')).toBe('completed')
})

test('stores neither the request nor the payment in plain text', async () => {
  const { completeOne } = await openInstance()
  const request = 'email-check ann@acme.test'
  await completeOne('eip155:8453 0xasset 0xpayer 0xnonce', 'r', {
    requestKey: request,
    fingerprint: 'f',
  })
  const keys = ((await server.command('KEYS', '*')) as string[]).filter(
    (key) => key !== redisKey('probe'),
  )
  expect(keys).toHaveLength(3)
  const entry = keys.find((key) => key.startsWith(redisKey('payment', ''))) ?? ''
  const everything = JSON.stringify([keys, await server.command('HGETALL', entry)])
  expect(everything).not.toMatch(/acme|0xasset|0xnonce/)
  for (const key of keys) expect(Number(await server.command('PTTL', key))).toBeGreaterThan(0)
})
