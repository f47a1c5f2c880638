/** What accounting reads and ends in the shared ledger. */
import { beforeEach, describe, expect, test } from 'vitest'
import { LedgerUnavailable, type ReservationRequest } from '../../src/state/ledger.js'
import { RECOVERY_MS, toLedgerRecord } from '../../src/state/ledger-rules.js'
import { createRedisLedgerStore } from '../../src/state/redis-ledger-store.js'
import type { RedisStore } from '../../src/state/redis-store.js'
import { createRedisLedger } from '../support/ledgers.js'
import { startRedisServer } from '../support/redis-server.js'
import { advanceRedisTime } from './advance-redis-time.js'
import { connectWatchedStore } from './watched-store.js'

const LEASE_MS = 100_000

const server = await startRedisServer()
beforeEach(() => server.reset())

const readRecords = async (store: RedisStore) =>
  (await createRedisLedgerStore({ store }).listAll()).map(toLedgerRecord)

const validBefore = Math.ceil(Date.now() / 1_000) + 600
const request = (id: string): ReservationRequest => ({
  id,
  fingerprint: `fingerprint of ${id}`,
  requestKey: 'score acme.test',
  payer: `payer of ${id}`,
  validBefore,
  amount: '10000',
})

async function openInstance() {
  const store = await connectWatchedStore(server)
  const ledger = createRedisLedger({ store, leaseMs: LEASE_MS })
  const prepareOne = async (id: string) => {
    expect(await ledger.reserve(request(id))).toEqual({ kind: 'acquired' })
    await ledger.prepare(id, 'sealed')
    await ledger.recordTransaction(id, `0x${id}`)
  }
  return {
    store,
    ledger,
    prepareOne,
    async loseOne(id: string) {
      await prepareOne(id)
      await ledger.markUnknown(id)
    },
  }
}

describe('resolve', () => {
  test('makes an unknown payment due', async () => {
    const [first, second] = [await openInstance(), await openInstance()]
    await first.loseOne('a')
    expect(await second.ledger.resolve('a', '0xpaid')).toBe(true)
    expect(await first.ledger.listUnknown()).toEqual([])
    expect(await first.ledger.reserve(request('a'))).toEqual({
      kind: 'paid',
      report: 'sealed',
      transaction: '0xpaid',
      paidAt: expect.closeTo(Date.now() / 1_000, -2),
    })
  })

  test('releases an unknown payment that was not paid', async () => {
    const { ledger, loseOne } = await openInstance()
    await loseOne('a')
    expect(await ledger.resolve('a', null)).toBe(true)
    expect([await ledger.listUnknown(), await ledger.size()]).toEqual([[], 0])
    expect(await ledger.reserve({ ...request('a'), requestKey: 'other' })).toEqual({
      kind: 'acquired',
    })
  })

  test('ends a payment for one of several instances', async () => {
    const instances = await Promise.all([1, 2, 3].map(openInstance))
    await instances[0]?.loseOne('a')
    const ended = await Promise.all(instances.map(({ ledger }) => ledger.resolve('a', '0xpaid')))
    expect(ended.filter(Boolean)).toHaveLength(1)
  })

  test.each([['0xpaid'], [null]])(
    'leaves a payment in progress alone (%s)',
    async (transaction) => {
      const [first, second] = [await openInstance(), await openInstance()]
      await first.prepareOne('a')
      expect(await first.ledger.resolve('a', transaction)).toBe(false)
      expect(await second.ledger.resolve('a', transaction)).toBe(false)
      expect(await second.ledger.reserve(request('a'))).toEqual({ kind: 'inProgress' })
      await first.ledger.complete('a', '0xtheirs')
      expect(await second.ledger.resolve('a', transaction)).toBe(false)
      expect(await second.ledger.reserve(request('a'))).toMatchObject({ transaction: '0xtheirs' })
    },
  )

  test('ends a payment whose instance is gone, after its lease', async () => {
    const [dying, other] = [await openInstance(), await openInstance()]
    await dying.prepareOne('a')
    dying.store.close()
    await advanceRedisTime(server, LEASE_MS / 2)
    expect(await other.ledger.resolve('a', '0xpaid')).toBe(false)
    await advanceRedisTime(server, LEASE_MS / 2)
    expect(await other.ledger.resolve('a', '0xpaid')).toBe(true)
    expect(await other.ledger.reserve(request('a'))).toMatchObject({ kind: 'paid' })
  })

  test('does nothing for a payment that was not prepared or is not there', async () => {
    const { ledger, store } = await openInstance()
    const other = await openInstance()
    await ledger.reserve(request('a'))
    store.close()
    await advanceRedisTime(server, LEASE_MS / 2)
    expect(await other.ledger.resolve('a', '0xpaid')).toBe(false)
    expect(await other.ledger.resolve('b', null)).toBe(false)
    expect(await other.ledger.reserve(request('b'))).toEqual({ kind: 'acquired' })
  })

  test('frees the place of the payer', async () => {
    const { ledger } = await openInstance()
    const from = (id: string) => ({ ...request(id), payer: 'one' })
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      await ledger.reserve(from(id))
      await ledger.prepare(id, null)
      await ledger.markUnknown(id)
    }
    expect(await ledger.reserve(from('f'))).toEqual({ kind: 'tooManyUnknown' })
    await ledger.resolve('a', '0xpaid')
    expect(await ledger.reserve(from('f'))).toEqual({ kind: 'acquired' })
  })

  test('rejects without the store', async () => {
    const { ledger, store } = await openInstance()
    store.close()
    await expect(ledger.resolve('a', null)).rejects.toBeInstanceOf(LedgerUnavailable)
  })
})

test('lists unknown payments with what is needed to resolve them', async () => {
  const { ledger, loseOne } = await openInstance()
  await loseOne('a')
  expect(await ledger.listUnknown()).toEqual([
    { id: 'a', since: expect.any(Number), validBefore, amount: '10000', transactions: ['0xa'] },
  ])
})

describe('readRedisRecords', () => {
  test('reads every payment that may have been charged', async () => {
    const { store, ledger, prepareOne, loseOne } = await openInstance()
    await prepareOne('delivered')
    await ledger.complete('delivered', '0x1')
    await ledger.markDelivered('delivered')
    await prepareOne('due')
    await ledger.complete('due', '0x2')
    await loseOne('unknown')
    await prepareOne('in progress')
    await ledger.reserve(request('not prepared'))
    const records = await readRecords(store)
    const common = {
      since: expect.any(Number),
      validBefore,
      amount: '10000',
      keepUntil: expect.any(Number),
      isDelivered: false,
    }
    const expected = [
      { ...common, id: 'delivered', state: 'paid', isDelivered: true, transactions: ['0x1'] },
      { ...common, id: 'due', state: 'paid', transactions: ['0x2'] },
      { ...common, id: 'unknown', state: 'unknown', transactions: ['0xunknown'] },
      { ...common, id: 'in progress', state: 'unknown', transactions: ['0xin', 'progress'] },
    ]
    expect(new Map(records.map((record) => [record.id, record]))).toEqual(
      new Map(expected.map((record) => [record.id, record])),
    )
    for (const { since, keepUntil } of records) {
      expect(keepUntil).toBe(validBefore * 1_000 + RECOVERY_MS)
      expect(since).toBeLessThanOrEqual(Date.now())
    }
  })

  test('reads more payments than one script does', async () => {
    const { store, ledger, loseOne } = await openInstance()
    const ids = Array.from({ length: 700 }, (_, index) => `p${index}`)
    for (const id of ids) await loseOne(id)
    const records = await readRecords(store)
    expect(records.map(({ id }) => id).sort()).toEqual([...ids].sort())
    const reads = store.commands.filter(({ command }) => command === 'ledger.listAll')
    expect([reads.length, await ledger.size()]).toEqual([2, 700])
  })
})
