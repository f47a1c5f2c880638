/**
 * Sales over a real chain while the store breaks at every step. Before the money moves the caller
 * hears 503 and keeps his payment; once it has moved he gets his report, and nobody pays twice.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Facilitator } from '../../src/payments/facilitator.js'
import { createMemoryRateLimiter } from '../../src/state/memory-rate-limiter.js'
import { createRedisLedger } from '../../src/state/redis-ledger.js'
import { expectPaymentRequired, type PaidResponse } from '../support/paid-responses.js'
import {
  ACME_SCORE_PATH,
  expectDelivered,
  expectNotCharged,
  openPaidService,
  type PaidService,
} from '../support/paid-service.js'
import { startRedisServer } from '../support/redis-server.js'
import { advanceRedisTime } from './advance-redis-time.js'
import { connectWatchedStore, timeOutcome, type WatchedStore } from './watched-store.js'

const LEASE_MS = 10_000

const server = await startRedisServer({ isLasting: true })
beforeEach(() => server.reset())

interface Instance {
  readonly shop: PaidService
  readonly store: WatchedStore
  /** Does something once the next payment is settled, before that is written down. */
  onceSettled(act: () => unknown): void
}

async function openState() {
  const store = await connectWatchedStore(server.url)
  const rateLimiter = createMemoryRateLimiter({ limit: 1_000, now: () => performance.now() })
  let act: () => unknown = () => {}
  const wrapFacilitator = (facilitator: Facilitator): Facilitator => ({
    ...facilitator,
    async settle(...sale) {
      const settled = await facilitator.settle(...sale)
      await act()
      return settled
    },
  })
  const onceSettled = (next: () => unknown) => {
    act = next
  }
  const ledger = createRedisLedger({ store })
  const options = { state: { rateLimiter, ledger, isStoreUp: store.isUp }, wrapFacilitator }
  return { store, onceSettled, options }
}

async function openInstance(): Promise<Instance> {
  const { options, ...instance } = await openState()
  return { ...instance, shop: await openPaidService('remote', options) }
}

/** Another instance of the same service, on the same chain and the same store. */
async function openBeside({ shop }: Instance): Promise<Instance> {
  const { options, ...instance } = await openState()
  return { ...instance, shop: await shop.reopen(options) }
}

function expectNoLedger({
  status,
  headers,
  body,
  paymentRequired,
  settlement,
}: PaidResponse): void {
  expect([status, body.code, body.charged]).toEqual([503, 'ledger_unavailable', 'no'])
  expect(body.detail).toContain('Nothing was charged; send the same payment again')
  expect([headers.get('retry-after'), paymentRequired, settlement]).toEqual(['2', null, null])
}

/** Once the store is back and claims have lapsed or been given back. */
async function askUntilSold({ shop, store }: Instance, payment: string): Promise<PaidResponse> {
  await store.waitUntilUp()
  let answer = await shop.send(ACME_SCORE_PATH, payment)
  const ask = async () => {
    if (answer.status !== 200) answer = await shop.send(ACME_SCORE_PATH, payment)
    return answer.status
  }
  await expect.poll(ask, { timeout: 15_000, interval: 100 }).toBe(200)
  return answer
}

const FAULTS = [
  ['killed', () => server.kill(), () => server.start()],
  ['frozen', () => server.freeze(), () => server.resume()],
] as const

describe.each(FAULTS)('the store is %s', (_, strike, heal) => {
  test('before the payment comes: it is not taken, and is as good as before', async () => {
    const instance = await openInstance()
    const { shop } = instance
    const payment = await shop.sign()
    await strike()
    const first = await timeOutcome(() => shop.send(ACME_SCORE_PATH, payment))
    expectNoLedger(first.outcome as PaidResponse)
    expect(first.ms).toBeLessThan(3_000)
    const second = await timeOutcome(() => shop.send(ACME_SCORE_PATH, payment))
    expectNoLedger(second.outcome as PaidResponse)
    expect(second.ms).toBeLessThan(900)
    expect(shop.reportCount()).toBe(0)
    await expectNotCharged(shop)
    await heal()
    await expectDelivered(shop, await askUntilSold(instance, payment))
    expect(shop.faults).toEqual([])
  })

  test('while the report is made: it is not settled, and is as good as before', async () => {
    const instance = await openInstance()
    const { shop } = instance
    const payment = await shop.sign()
    shop.onNextDnsQuery(strike)
    const { outcome, ms } = await timeOutcome(() => shop.send(ACME_SCORE_PATH, payment))
    expectNoLedger(outcome as PaidResponse)
    expect(ms).toBeLessThan(5_000)
    await expectNotCharged(shop)
    await heal()
    await expectDelivered(shop, await askUntilSold(instance, payment))
    expect(shop.faults).toEqual([])
  })

  test('once the money has moved: the report is handed out, and again later', async () => {
    const instance = await openInstance()
    const { shop, onceSettled } = instance
    const payment = await shop.sign()
    onceSettled(strike)
    const { outcome, ms } = await timeOutcome(() => shop.send(ACME_SCORE_PATH, payment))
    await expectDelivered(shop, outcome as PaidResponse)
    expect(ms).toBeLessThan(5_000)
    onceSettled(() => {})
    await heal()
    const again = await askUntilSold(instance, payment)
    await expectDelivered(shop, again)
    const { text, settlement } = outcome as PaidResponse
    expect([again.text, again.settlement]).toEqual([text, settlement])
    expect([shop.reportCount(), shop.faults]).toEqual([1, []])
  })
})

describe('the store loses everything', () => {
  test('while the report is made: nothing is settled, and the payment is as good as before', async () => {
    const { shop } = await openInstance()
    const payment = await shop.sign()
    shop.onNextDnsQuery(() => server.command('FLUSHALL'))
    expectNoLedger(await shop.send(ACME_SCORE_PATH, payment))
    await expectNotCharged(shop)
    await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
  })

  test('and another instance takes the payment meanwhile: one of them settles it', async () => {
    const first = await openInstance()
    const second = await openBeside(first)
    const payment = await first.shop.sign()
    let sold: PaidResponse | null = null
    first.shop.onNextDnsQuery(async () => {
      await server.command('FLUSHALL')
      sold = await second.shop.send(ACME_SCORE_PATH, payment)
    })
    expectNoLedger(await first.shop.send(ACME_SCORE_PATH, payment))
    await expectDelivered(first.shop, sold as unknown as PaidResponse)
  })

  test('once a payment has bought: the chain knows, and it buys nothing else', async () => {
    const { shop } = await openInstance()
    const payment = await shop.sign()
    await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
    await server.command('FLUSHALL')
    expectPaymentRequired(await shop.send(ACME_SCORE_PATH, payment), 'payment_already_used')
    expect(await shop.settlements()).toHaveLength(1)
  })
})

describe('several instances', () => {
  test('one payment sent to all of them at once buys one report, which all hand out', async () => {
    const first = await openInstance()
    const others = await Promise.all([openBeside(first), openBeside(first)])
    const shops = [first, ...others].map(({ shop }) => shop)
    const payment = await first.shop.sign()
    const all = [...shops, ...shops, ...shops].map((shop) => shop.send(ACME_SCORE_PATH, payment))
    const answers = await Promise.all(all)
    const statuses = answers.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 409]))
    const texts = await Promise.all(
      shops.map(async (shop) => (await shop.send(ACME_SCORE_PATH, payment)).text),
    )
    expect(new Set(texts).size).toBe(1)
    expect(await first.shop.settlements()).toHaveLength(1)
    expect(first.shop.reportCount()).toBe(1)
  })

  test('one dies once the money has moved: another finds out, and hands out its report', async () => {
    const dying = await openInstance()
    const other = await openBeside(dying)
    const payment = await dying.shop.sign()
    dying.onceSettled(() => dying.store.close())
    const lost = await dying.shop.send(ACME_SCORE_PATH, payment)
    expect((await other.shop.send(ACME_SCORE_PATH, payment)).status).toBe(409)
    await advanceRedisTime(server, LEASE_MS)
    const answer = await other.shop.send(ACME_SCORE_PATH, payment)
    await expectDelivered(other.shop, answer)
    expect([answer.text, answer.settlement]).toEqual([lost.text, lost.settlement])
    expect(other.shop.reportCount()).toBe(1)
  })

  test('one dies while it works: the payment is free for another', async () => {
    const dying = await openInstance()
    const other = await openBeside(dying)
    const payment = await dying.shop.sign()
    dying.shop.onNextDnsQuery(() => dying.store.close())
    expectNoLedger(await dying.shop.send(ACME_SCORE_PATH, payment))
    expect((await other.shop.send(ACME_SCORE_PATH, payment)).status).toBe(409)
    await advanceRedisTime(server, LEASE_MS)
    await expectDelivered(other.shop, await other.shop.send(ACME_SCORE_PATH, payment))
  })
})
