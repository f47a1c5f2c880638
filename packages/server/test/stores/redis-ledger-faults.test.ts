/** The Redis ledger when the store is killed, frozen, out of memory or flushed. */
import { beforeEach, describe, expect, test } from 'vitest'
import { LedgerUnavailable } from '../../src/state/ledger.js'
import {
  ledgerActions,
  paidWith,
  TEST_TRANSACTION,
  unknownWith,
} from '../support/ledger-contract.js'
import { createRedisLedger } from '../support/ledgers.js'
import { startRedisServer } from '../support/redis-server.js'
import { advanceRedisTime } from './advance-redis-time.js'
import { connectWatchedStore, outcomeOf, outcomesSince } from './watched-store.js'

/** Longer than any test, so only a lease that a test lets expire does. */
const LEASE_MS = 60_000
const POLL = { timeout: 120_000 }
const isStep = (command: string) => command.startsWith('ledger.')

const server = await startRedisServer({ isLasting: true })
beforeEach(() => server.reset())

async function openInstance() {
  const store = await connectWatchedStore(server)
  let onSwap = () => {}
  const ledger = createRedisLedger({
    store: {
      ...store,
      runScript(script, ...args) {
        if (script.name === 'ledger.swap') onSwap()
        return store.runScript(script, ...args)
      },
    },
    leaseMs: LEASE_MS,
    retries: 600,
  })
  const opened = { ledger, now: Date.now }
  return {
    store,
    ...opened,
    ...ledgerActions(opened),
    /** Right before the next swap is sent. */
    atNextSwap(act: () => void) {
      onSwap = () => {
        onSwap = () => {}
        act()
      }
    },
  }
}

interface Fault {
  readonly name: string
  breakStore(): unknown
  repairStore(): unknown
}

const FAULTS: Fault[] = [
  { name: 'killed', breakStore: () => server.kill(), repairStore: () => server.start() },
  { name: 'frozen', breakStore: () => server.freeze(), repairStore: () => server.resume() },
  {
    name: 'out of memory',
    breakStore: () => server.command('CONFIG', 'SET', 'maxmemory', '1'),
    repairStore: () => server.command('CONFIG', 'SET', 'maxmemory', '0'),
  },
]

describe.each(FAULTS)('a store that is $name', ({ breakStore, repairStore }) => {
  test('rejects the steps before a charge, and recovers with the store', async () => {
    const { store, ledger, reserve, reserveKind, prepareOne } = await openInstance()
    await reserve('a')
    await prepareOne('b')
    const steps = [
      () => ledger.recordTransaction('b', '0x1'),
      () => ledger.prepare('a', 'r'),
      () => reserve('d'),
    ]
    await breakStore()
    for (const step of steps) {
      expect(await outcomeOf<unknown>(step)).toBeInstanceOf(LedgerUnavailable)
    }
    const before = store.commands.length
    expect(await outcomeOf(() => reserve('c'))).toBeInstanceOf(LedgerUnavailable)
    expect(outcomesSince(store, before, isStep)).toEqual(['skipped'])
    await repairStore()
    await store.waitUntilUp()
    expect(await reserveKind('c')).toBe('acquired')
    await ledger.prepare('c', 'r')
    await ledger.recordTransaction('c', '0x1')
  })

  test.each([
    ['complete', paidWith('r')],
    ['markUnknown', unknownWith('r')],
    ['release', { kind: 'acquired' }],
  ] as const)('%s returns at once and is retried later', async (step, later) => {
    const { ledger, store, prepareOne } = await openInstance()
    const other = await openInstance()
    await prepareOne('a')
    await breakStore()
    const end = async () => void (await ledger[step]('a', TEST_TRANSACTION))
    expect(await outcomeOf(end)).toBeUndefined()
    await repairStore()
    await Promise.all([store.waitUntilUp(), other.store.waitUntilUp()])
    const notBusy = async () => {
      const reservation = await other.reserve('a')
      return reservation.kind === 'inProgress' ? null : reservation
    }
    await expect.poll(notBusy, POLL).toEqual(later)
  })
})

describe('a flushed store', () => {
  test('rejects prepare for a lost reservation', async () => {
    const { ledger, reserve } = await openInstance()
    await reserve('a')
    await server.command('FLUSHALL')
    await expect(ledger.prepare('a', 'r')).rejects.toEqual(
      new LedgerUnavailable('the reservation was lost'),
    )
  })

  test('rejects prepare if another instance has the reservation', async () => {
    const [first, second] = await Promise.all([openInstance(), openInstance()])
    await first.reserve('a')
    await server.command('FLUSHALL')
    expect(await second.reserveKind('a')).toBe('acquired')
    await expect(first.ledger.prepare('a', 'r')).rejects.toBeInstanceOf(LedgerUnavailable)
    await first.ledger.release('a')
    expect(await first.reserveKind('a')).toBe('inProgress')
    await second.ledger.prepare('a', 'r')
  })

  test.each(['markUnknown', 'release'] as const)('%s does not restore an entry', async (step) => {
    const { ledger, prepareOne, reserveKind } = await openInstance()
    await prepareOne('a')
    await server.command('FLUSHALL')
    await ledger[step]('a')
    expect(await ledger.size()).toBe(0)
    expect(await reserveKind('a')).toBe('acquired')
  })
})

describe('a reservation whose reply was lost', () => {
  async function reserveWithLostReply({ reserve, atNextSwap }: Instance) {
    atNextSwap(() => server.freeze())
    expect(await outcomeOf(() => reserve('a'))).toBeInstanceOf(LedgerUnavailable)
  }

  test('is released', async () => {
    const [first, other] = await Promise.all([openInstance(), openInstance()])
    await reserveWithLostReply(first)
    server.resume()
    await expect.poll(() => other.reserveKind('a'), POLL).toBe('acquired')
  })

  test('of an unknown payment leaves it unknown', async () => {
    const [first, other] = await Promise.all([openInstance(), openInstance()])
    await other.loseOne('a')
    await reserveWithLostReply(first)
    server.resume()
    await expect.poll(() => other.reserveKind('a'), POLL).toBe('unknown')
  })

  test('expires if the instance is gone too', async () => {
    const [first, other] = await Promise.all([openInstance(), openInstance()])
    await reserveWithLostReply(first)
    first.store.close()
    server.resume()
    expect(await other.reserveKind('a')).toBe('inProgress')
    await advanceRedisTime(server, LEASE_MS)
    expect(await other.reserveKind('a')).toBe('acquired')
  })
})

type Instance = Awaited<ReturnType<typeof openInstance>>
