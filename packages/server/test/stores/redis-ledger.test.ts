/** The ledger that instances share: its contract, leases and concurrency. */
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { sha256 } from '../../src/payments/payment.js'
import { digestRequestKey, sealReport } from '../../src/payments/sealed-report.js'
import { LedgerUnavailable } from '../../src/state/ledger.js'
import { MAX_REPORT_MS, RECOVERY_MS } from '../../src/state/ledger-rules.js'
import { openState } from '../../src/state/open-state.js'
import { redisKey } from '../../src/state/redis-connection.js'
import {
  describeLedgerContract,
  ledgerActions,
  paidWith,
  TEST_TRANSACTION,
  unknownWith,
} from '../support/ledger-contract.js'
import { createRedisLedger } from '../support/ledgers.js'
import { unsignedPayment } from '../support/payment-fixtures.js'
import { startRedisServer } from '../support/redis-server.js'
import { advanceRedisTime } from './advance-redis-time.js'
import { connectWatchedStore } from './watched-store.js'

const LEASE_MS = 100_000

const server = await startRedisServer()
beforeEach(() => server.reset())

async function openInstance(
  options: { maxEntries?: number; maxReports?: number; leaseMs?: number } = {},
) {
  const store = await connectWatchedStore(server)
  const ledger = createRedisLedger({ store, leaseMs: LEASE_MS, ...options })
  const opened = { ledger, now: Date.now }
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
      now: Date.now,
      wait,
      ledger: {
        async reserve(request) {
          const ledger = next()
          const reservation = await ledger.reserve(request)
          if (['acquired', 'unknown', 'answering'].includes(reservation.kind)) {
            owners.set(request.id, ledger)
          }
          return reservation
        },
        prepare: (id, report) => owner(id).prepare(id, report),
        recordTransaction: (id, hash) => owner(id).recordTransaction(id, hash),
        resolve: (id, transaction) => next().resolve(id, transaction),
        complete: (id, ...paid) => owner(id).complete(id, ...paid),
        keepAnswer: (id, report) => owner(id).keepAnswer(id, report),
        markDelivered: (id) => next().markDelivered(id),
        markUnknown: (id) => owner(id).markUnknown(id),
        release: (id) => owner(id).release(id),
        size: () => next().size(),
        listUnknown: () => next().listUnknown(),
        forgetOld: (chainTime) => next().forgetOld(chainTime),
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

test('limits the stored reports of all instances together', async () => {
  const [one, other] = await Promise.all([1, 2].map(() => openInstance({ maxReports: 2 })))
  await one?.completeOne('a', 'r')
  await other?.completeOne('b', 'r')
  await one?.completeOne('c', 'r')
  const reportOf = async (id: string) => (await other?.reserve(id)) as { report: string | null }
  expect([(await reportOf('b')).report, (await reportOf('c')).report]).toEqual(['r', null])
  // The time of the first two is over.
  await wait(MAX_REPORT_MS)
  await one?.completeOne('d', 'r')
  expect((await reportOf('d')).report).toBe('r')
})

describe('when the instance with a payment is gone', () => {
  test('the payment is in progress until its lease expires', async () => {
    const [dying, other] = await openTwo()
    await dying.prepareOne('a')
    dying.store.close()
    await wait(LEASE_MS / 2)
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
    await dying.prepareOne('a', 'sealed')
    await dying.ledger.recordTransaction('a', '0x1')
    dying.store.close()
    await wait(LEASE_MS)
    expect(await other.reserveKind('a', { requestKey: 'score other.test' })).toBe('conflict')
    expect(await other.reserve('a')).toEqual(unknownWith('sealed', '0x1'))
    expect(await dying.reserveKind('a')).toBe('inProgress')
  })

  test('the payment is listed and stays unknown for a day after it expires', async () => {
    const [dying, other] = await openTwo()
    await dying.prepareOne('a')
    dying.store.close()
    await wait(RECOVERY_MS)
    expect(await other.ledger.listUnknown()).toMatchObject([{ id: 'a', transactions: [] }])
    expect(await other.reserve('a')).toEqual(unknownWith(null))
    other.store.close()
    const third = await openInstance()
    await wait(LEASE_MS)
    expect(await third.reserve('a')).toEqual(unknownWith(null))
    await third.ledger.markUnknown('a')
    await wait(120_000)
    await third.ledger.forgetOld(Date.now() / 1_000)
    expect(await third.ledger.listUnknown()).toEqual([])
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
    await other.ledger.complete('a', TEST_TRANSACTION)
    expect(await other.reserve('a')).toEqual(paidWith('theirs'))
    expect(await other.reserveKind('b')).toBe('acquired')
  })

  test('cannot record a transaction of a payment that another instance has', async () => {
    const [late, other] = await openTwo()
    await late.prepareOne('a')
    await wait(LEASE_MS)
    expect(await other.reserveKind('a')).toBe('unknown')
    await expect(late.ledger.recordTransaction('a', '0xlate')).rejects.toEqual(
      new LedgerUnavailable('the reservation was lost'),
    )
    await other.ledger.markUnknown('a')
    expect(await other.reserve('a')).toEqual(unknownWith('r'))
  })

  test.each([
    ['release', false, (late: Late) => late.ledger.release('a')],
    ['markUnknown', undefined, (late: Late) => late.ledger.markUnknown('a')],
    ['complete', false, (late: Late) => late.ledger.complete('a', '0xlate')],
  ])('cannot %s a payment of another instance', async (_, isDone, end) => {
    const [late, other] = await openTwo()
    await late.prepareOne('a')
    await wait(LEASE_MS)
    expect(await other.reserveKind('a')).toBe('unknown')
    expect(await end(late)).toBe(isDone)
    expect(await late.reserveKind('a')).toBe('inProgress')
    await other.ledger.complete('a', TEST_TRANSACTION)
    expect(await late.reserve('a')).toEqual(paidWith('r'))
  })

  test('writes a payment as paid whose entry the store has lost', async () => {
    const [late, other] = await openTwo()
    await late.prepareOne('a')
    await server.command('FLUSHALL')
    expect(await late.ledger.complete('a', TEST_TRANSACTION)).toBe(true)
    expect(await other.reserve('a')).toEqual(paidWith(null))
    expect(await other.reserveKind('a', { requestKey: 'another request' })).toBe('conflict')
  })

  test('can still end a payment that no other instance has', async () => {
    const [late, other] = await openTwo()
    await late.prepareOne('a')
    await wait(LEASE_MS)
    await late.ledger.complete('a', TEST_TRANSACTION)
    expect(await other.reserve('a')).toEqual(paidWith('r'))
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

describe('a clock of Redis that is wrong takes nothing away that was paid for', () => {
  test.each([20, 365, 50 * 365])('%i days behind, and put right after the sale', async (days) => {
    const { ledger, completeOne, loseOne, reserve, validBefore } = await openInstance()
    const ms = days * 24 * 60 * 60_000
    const changes = { validBefore: validBefore + ms / 1_000 }
    await completeOne('a', null, changes)
    await loseOne('b', null, changes)
    await wait(ms)
    expect(await reserve('a')).toEqual(paidWith(null))
    expect((await ledger.listUnknown()).map(({ id }) => id)).toEqual(['b'])
    expect(await ledger.size()).toBe(2)
  })

  test('ahead by decades, and put right', async () => {
    const { ledger, completeOne, loseOne, reserveKind } = await openInstance()
    await completeOne('a')
    await loseOne('b')
    await wait(99 * 365 * 24 * 60 * 60_000)
    await reserveKind('makes room for itself')
    expect([await reserveKind('a'), await reserveKind('b')]).toEqual(['paid', 'unknown'])
    expect((await ledger.listUnknown()).map(({ id }) => id)).toEqual(['b'])
    expect(await ledger.size()).toBe(3)
  })
})

test('is new until something was prepared, and never again', async () => {
  async function isNew(): Promise<boolean> {
    let said = false
    const { close } = await openState({
      config: {
        mode: 'live',
        redisUrl: server.url,
        dataDir: '',
        acceptedLoss: null,
        rateLimitPerMinute: 1,
      },
      now: () => performance.now(),
      wallClock: Date.now,
      onNewLedger() {
        said = true
      },
    })
    onTestFinished(close)
    return said
  }
  expect(await isNew()).toBe(true)
  const { ledger, reserveKind, prepareOne } = await openInstance()
  await reserveKind('a')
  await ledger.release('a')
  expect(await isNew()).toBe(true)
  await prepareOne('b')
  expect(await isNew()).toBe(false)
  await ledger.release('b')
  expect(await ledger.size()).toBe(0)
  expect(await isNew()).toBe(false)
})

test('Redis deletes what nobody forgets after a century', async () => {
  const { ledger, completeOne, loseOne } = await openInstance()
  await completeOne('a')
  await loseOne('b')
  await wait(101 * 365 * RECOVERY_MS)
  expect(await ledger.size()).toBe(0)
})

test('counts no entry that the store has evicted, in all or of its payer', async () => {
  const { ledger, loseOne, reserveKind } = await openInstance()
  const payer = { payer: 'ann' }
  for (const id of ['a', 'b', 'c', 'd', 'e']) await loseOne(id, null, payer)
  expect(await reserveKind('f', payer)).toBe('tooManyUnknown')
  await server.command('DEL', ...['a', 'b'].map((id) => redisKey('ledger', 'entry', id)))
  expect(await reserveKind('f', payer)).toBe('acquired')
  await ledger.release('f')
  await wait(RECOVERY_MS + 122_000)
  await ledger.forgetOld(Date.now() / 1_000)
  expect(await ledger.size()).toBe(0)
})

type Late = Awaited<ReturnType<typeof openInstance>>

test('renews the lease of a payment that takes longer', async () => {
  const [slow, other] = await Promise.all([openInstance({ leaseMs: 600 }), openInstance()])
  const renewals = () => slow.store.commands.filter(({ command }) => command === 'ledger.swap')
  await slow.prepareOne('a')
  await vi.waitUntil(() => renewals().length >= 2 + 5, { timeout: 120_000 })
  expect(await other.reserveKind('a')).toBe('inProgress')
  await slow.ledger.complete('a', TEST_TRANSACTION)
  const before = renewals().length
  await slow.prepareOne('b')
  await vi.waitUntil(() => renewals().length >= before + 2 + 2, { timeout: 120_000 })
  expect(await other.reserveKind('a')).toBe('paid')
})

describe('what is stored', () => {
  async function dump(): Promise<Record<string, string>> {
    const keys = (await server.command('KEYS', redisKey('ledger', '*'))) as string[]
    const read = async (key: string) => {
      const type = String(await server.command('TYPE', key))
      const command = {
        string: ['GET', key],
        hash: ['HGETALL', key],
        zset: ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
      }[type]
      return [key, JSON.stringify(await server.command(...(command ?? [])))]
    }
    return Object.fromEntries(await Promise.all(keys.map(read)))
  }

  test('has neither the request nor the payment in plain text', async () => {
    const { ledger } = await openInstance()
    const payment = unsignedPayment()
    const { id, fingerprint, payer, signature, authorization } = payment
    const question = { payment, requestKey: 'email-check ann@acme.test' }
    const validBefore = Math.ceil(Date.now() / 1_000) + 120
    await ledger.reserve({
      id,
      fingerprint,
      requestKey: digestRequestKey(payment, question.requestKey),
      payer: sha256(payer.toLowerCase()),
      validBefore,
      amount: '10000',
    })
    const report = JSON.stringify({ email: 'ann@acme.test', verdict: 'undeliverable' })
    await ledger.prepare(id, await sealReport(question, report))
    await ledger.recordTransaction(id, '0x1')
    await ledger.markUnknown(id)

    const stored = await dump()
    expect(Object.keys(stored).sort()).toEqual(
      [
        redisKey('ledger', 'entry', id),
        redisKey('ledger', 'index'),
        redisKey('ledger', 'index', 'begun'),
        redisKey('ledger', 'index', 'payer', sha256(payer.toLowerCase())),
        redisKey('ledger', 'index', 'reports'),
        redisKey('ledger', 'open'),
        redisKey('ledger', 'report', id),
      ].sort(),
    )
    const everything = JSON.stringify(stored).toLowerCase()
    for (const secret of ['acme', 'ann@', 'undeliverable', 'email', authorization.nonce.slice(2)]) {
      expect(everything).not.toContain(secret)
    }
    for (const secret of [payer, signature, authorization.to]) {
      expect(everything).not.toContain(secret.slice(2).toLowerCase())
    }
    for (const key of Object.keys(stored)) {
      expect(Number(await server.command('PTTL', key))).toBeGreaterThan(0)
    }
  })

  test('is gone when it is no longer needed: the report first, then the payment', async () => {
    const { ledger, deliverOne, loseOne } = await openInstance()
    await deliverOne('a')
    await loseOne('b', 'r', { validBefore: Math.ceil(Date.now() / 1_000) + 3_600 })
    const kinds = async () =>
      Object.keys(await dump())
        .map((key) => key.replace(redisKey('ledger', ''), ''))
        .sort()
    const sets = [
      'delivered',
      'entry:a',
      'entry:b',
      'index',
      'index:begun',
      'index:payer:payer of b',
      'index:reports',
      'open',
    ]
    expect(await kinds()).toEqual([...sets, 'report:a', 'report:b'])
    await wait(121_000)
    expect(await kinds()).toEqual([...sets, 'report:b'])
    await wait(MAX_REPORT_MS)
    expect(await kinds()).toEqual(sets)
    await wait(RECOVERY_MS + 3_600_000)
    expect(await kinds()).toEqual(sets)
    await ledger.forgetOld(Date.now() / 1_000)
    expect(await kinds()).toEqual(['index:begun'])
  })

  test('does not list or count a payment that was forgotten, however many there are', async () => {
    const { ledger, loseOne, reserveKind } = await openInstance()
    for (let count = 0; count < 1_001; count++) await loseOne(`old ${count}`)
    await wait(RECOVERY_MS + 122_000)
    // As many at a time as one script lists.
    for (let round = 0; round < 2; round++) await ledger.forgetOld(Date.now() / 1_000)
    await loseOne('new')
    expect((await ledger.listUnknown()).map(({ id }) => id)).toEqual(['new'])
    expect(await ledger.size()).toBe(1)
    await reserveKind('another')
    expect(await server.command('ZCARD', redisKey('ledger', 'open'))).toBe(1)
    expect(await server.command('ZCARD', redisKey('ledger', 'index'))).toBe(2)
  })
})
