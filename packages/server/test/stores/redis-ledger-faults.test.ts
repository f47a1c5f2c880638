/** The ledger while its store is killed, frozen, full or empty: closed before the money, calm after. */
import { beforeEach, describe, expect, test } from 'vitest'
import { LedgerUnavailable } from '../../src/state/ledger.js'
import { createRedisLedger } from '../../src/state/redis-ledger.js'
import { ledgerActions, TEST_SETTLEMENT } from '../support/ledger-contract.js'
import { startRedisServer } from '../support/redis-server.js'
import { advanceRedisTime } from './advance-redis-time.js'
import { connectWatchedStore, timeOutcome } from './watched-store.js'

/** Of a command, with what a busy machine adds. */
const TIMEOUT_MS = 2_500
const AT_ONCE_MS = 200

const server = await startRedisServer({ isLasting: true })
beforeEach(() => server.reset())

async function openInstance() {
  const store = await connectWatchedStore(server.url)
  const stage = { ledger: createRedisLedger({ store }), startsAt: Date.now() }
  return { store, ...stage, ...ledgerActions(stage) }
}

interface Fault {
  readonly name: string
  strike(): unknown
  heal(): unknown
}

const FAULTS: Fault[] = [
  { name: 'killed', strike: () => server.kill(), heal: () => server.start() },
  { name: 'frozen', strike: () => server.freeze(), heal: () => server.resume() },
  {
    name: 'out of memory',
    strike: () => server.command('CONFIG', 'SET', 'maxmemory', '1'),
    heal: () => server.command('CONFIG', 'SET', 'maxmemory', '0'),
  },
]

describe.each(FAULTS)('a store that is $name', ({ strike, heal }) => {
  test('no payment is claimed or pledged, and later all are', async () => {
    const { store, ledger, claim, kindOf } = await openInstance()
    await claim('a')
    await strike()
    for (const step of [() => ledger.prepare('a', 'r'), () => claim('b'), () => ledger.size()]) {
      const { outcome, ms } = await timeOutcome<unknown>(step)
      expect(outcome).toBeInstanceOf(LedgerUnavailable)
      expect(ms).toBeLessThan(TIMEOUT_MS)
    }
    const { outcome, ms } = await timeOutcome(() => claim('c'))
    expect(outcome).toBeInstanceOf(LedgerUnavailable)
    expect(ms).toBeLessThan(AT_ONCE_MS)
    await heal()
    await store.waitUntilUp()
    expect(await kindOf('c')).toBe('yours')
    await ledger.prepare('c', 'r')
  })

  test.each([
    ['complete', { kind: 'sold', report: 'r', settlement: TEST_SETTLEMENT }],
    ['markUnknown', { kind: 'doubtful', report: 'r' }],
    ['release', { kind: 'yours' }],
  ] as const)('%s waits for nobody, and is made up for', async (step, later) => {
    const { ledger, store, begin } = await openInstance()
    const other = await openInstance()
    await begin('a')
    await strike()
    const { outcome, ms } = await timeOutcome(() => ledger[step]('a', TEST_SETTLEMENT))
    expect(outcome).toBeUndefined()
    expect(ms).toBeLessThan(TIMEOUT_MS)
    await heal()
    await Promise.all([store.waitUntilUp(), other.store.waitUntilUp()])
    const notBusy = async () => {
      const claim = await other.claim('a')
      return claim.kind === 'busy' ? null : claim
    }
    await expect.poll(notBusy, { timeout: 8_000 }).toEqual(later)
  })
})

describe('a store that has lost everything', () => {
  test('a claim that is gone cannot be pledged on', async () => {
    const { ledger, claim } = await openInstance()
    await claim('a')
    await server.command('FLUSHALL')
    await expect(ledger.prepare('a', 'r')).rejects.toEqual(
      new LedgerUnavailable('the claim was lost'),
    )
  })

  test('nor can one that somebody else has got meanwhile', async () => {
    const [first, second] = await Promise.all([openInstance(), openInstance()])
    await first.claim('a')
    await server.command('FLUSHALL')
    expect(await second.kindOf('a')).toBe('yours')
    await expect(first.ledger.prepare('a', 'r')).rejects.toBeInstanceOf(LedgerUnavailable)
    await first.ledger.release('a')
    expect(await first.kindOf('a')).toBe('busy')
    await second.ledger.prepare('a', 'r')
  })

  test.each(['complete', 'markUnknown', 'release'] as const)(
    '%s brings nothing back',
    async (step) => {
      const { ledger, begin, kindOf } = await openInstance()
      await begin('a')
      await server.command('FLUSHALL')
      await ledger[step]('a', TEST_SETTLEMENT)
      expect(await ledger.size()).toBe(0)
      expect(await kindOf('a')).toBe('yours')
    },
  )
})

describe('a claim that was carried out, though nobody heard of it,', () => {
  async function claimUnheard({ claim }: Instance) {
    server.freeze()
    expect((await timeOutcome(() => claim('a'))).outcome).toBeInstanceOf(LedgerUnavailable)
  }

  test('is given back', async () => {
    const [first, other] = await Promise.all([openInstance(), openInstance()])
    await claimUnheard(first)
    server.resume()
    await expect.poll(() => other.kindOf('a'), { timeout: 5_000 }).toBe('yours')
  })

  test('leaves a payment in doubt that was', async () => {
    const [first, other] = await Promise.all([openInstance(), openInstance()])
    await other.lose('a')
    await claimUnheard(first)
    server.resume()
    await expect.poll(() => other.kindOf('a'), { timeout: 5_000 }).toBe('doubtful')
  })

  test('lapses, when the instance is gone, too', async () => {
    const [first, other] = await Promise.all([openInstance(), openInstance()])
    await claimUnheard(first)
    first.store.close()
    server.resume()
    expect(await other.kindOf('a')).toBe('busy')
    await advanceRedisTime(server, 10_000)
    expect(await other.kindOf('a')).toBe('yours')
  })
})

type Instance = Awaited<ReturnType<typeof openInstance>>
