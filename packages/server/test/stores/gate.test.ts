/**
 * Sales over a real chain while the store breaks at every step. Before the money moves the caller
 * hears 503 and keeps his payment; once it has moved he gets his report, and nobody pays twice.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Facilitator } from '../../src/payments/facilitator.js'
import { createMemoryLimiter } from '../../src/state/memory-limiter.js'
import { createRedisLedger } from '../../src/state/redis-ledger.js'
import { type Answer, expectChallenge } from '../support/paid-answers.js'
import { ACME, expectSold, expectUnpaid, openShop, type Shop } from '../support/paid-service.js'
import { letTimePass } from './let-time-pass.js'
import { startRedis } from './redis-server.js'
import { connectedStore, timed, type WatchedStore } from './stores.js'

const LEASE_MS = 10_000

const server = await startRedis({ isLasting: true })
beforeEach(() => server.restore())

interface Instance {
  readonly shop: Shop
  readonly store: WatchedStore
  /** Does something once the next payment is settled, before that is written down. */
  onceSettled(act: () => unknown): void
}

async function openState() {
  const store = await connectedStore(server.url)
  const limiter = createMemoryLimiter({ limit: 1_000, now: () => performance.now() })
  let act: () => unknown = () => {}
  const disturb = (facilitator: Facilitator): Facilitator => ({
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
  const options = { state: { limiter, ledger, isStoreUp: store.isUp }, disturb }
  return { store, onceSettled, options }
}

async function openInstance(): Promise<Instance> {
  const { options, ...instance } = await openState()
  return { ...instance, shop: await openShop('remote', options) }
}

/** Another instance of the same service, on the same chain and the same store. */
async function openBeside({ shop }: Instance): Promise<Instance> {
  const { options, ...instance } = await openState()
  return { ...instance, shop: await shop.reopened(options) }
}

function expectNoLedger({ status, headers, body, required, receipt }: Answer): void {
  expect([status, body.code, body.charged]).toEqual([503, 'ledger_unavailable', 'no'])
  expect(body.detail).toContain('Nothing was charged; send the same payment again')
  expect([headers.get('retry-after'), required, receipt]).toEqual(['2', null, null])
}

/** Once the store is back and claims have lapsed or been given back. */
async function askUntilSold({ shop, store }: Instance, payment: string): Promise<Answer> {
  await store.back()
  let answer = await shop.ask(ACME, payment)
  const ask = async () => {
    if (answer.status !== 200) answer = await shop.ask(ACME, payment)
    return answer.status
  }
  await expect.poll(ask, { timeout: 15_000, interval: 100 }).toBe(200)
  return answer
}

const FAULTS = [
  ['killed', () => server.kill(), () => server.start()],
  ['frozen', () => server.freeze(), () => server.thaw()],
] as const

describe.each(FAULTS)('the store is %s', (_, strike, heal) => {
  test('before the payment comes: it is not taken, and is as good as before', async () => {
    const instance = await openInstance()
    const { shop } = instance
    const payment = await shop.sign()
    await strike()
    const first = await timed(() => shop.ask(ACME, payment))
    expectNoLedger(first.outcome as Answer)
    expect(first.ms).toBeLessThan(3_000)
    const second = await timed(() => shop.ask(ACME, payment))
    expectNoLedger(second.outcome as Answer)
    expect(second.ms).toBeLessThan(900)
    expect(shop.reports()).toBe(0)
    await expectUnpaid(shop)
    await heal()
    await expectSold(shop, await askUntilSold(instance, payment))
    expect(shop.faults).toEqual([])
  })

  test('while the report is made: it is not settled, and is as good as before', async () => {
    const instance = await openInstance()
    const { shop } = instance
    const payment = await shop.sign()
    shop.duringWork(strike)
    const { outcome, ms } = await timed(() => shop.ask(ACME, payment))
    expectNoLedger(outcome as Answer)
    expect(ms).toBeLessThan(5_000)
    await expectUnpaid(shop)
    await heal()
    await expectSold(shop, await askUntilSold(instance, payment))
    expect(shop.faults).toEqual([])
  })

  test('once the money has moved: the report is handed out, and again later', async () => {
    const instance = await openInstance()
    const { shop, onceSettled } = instance
    const payment = await shop.sign()
    onceSettled(strike)
    const { outcome, ms } = await timed(() => shop.ask(ACME, payment))
    await expectSold(shop, outcome as Answer)
    expect(ms).toBeLessThan(5_000)
    onceSettled(() => {})
    await heal()
    const again = await askUntilSold(instance, payment)
    await expectSold(shop, again)
    const { text, receipt } = outcome as Answer
    expect([again.text, again.receipt]).toEqual([text, receipt])
    expect([shop.reports(), shop.faults]).toEqual([1, []])
  })
})

describe('the store loses everything', () => {
  test('while the report is made: nothing is settled, and the payment is as good as before', async () => {
    const { shop } = await openInstance()
    const payment = await shop.sign()
    shop.duringWork(() => server.command('FLUSHALL'))
    expectNoLedger(await shop.ask(ACME, payment))
    await expectUnpaid(shop)
    await expectSold(shop, await shop.ask(ACME, payment))
  })

  test('and another instance takes the payment meanwhile: one of them settles it', async () => {
    const first = await openInstance()
    const second = await openBeside(first)
    const payment = await first.shop.sign()
    let sold: Answer | null = null
    first.shop.duringWork(async () => {
      await server.command('FLUSHALL')
      sold = await second.shop.ask(ACME, payment)
    })
    expectNoLedger(await first.shop.ask(ACME, payment))
    await expectSold(first.shop, sold as unknown as Answer)
  })

  test('once a payment has bought: the chain knows, and it buys nothing else', async () => {
    const { shop } = await openInstance()
    const payment = await shop.sign()
    await expectSold(shop, await shop.ask(ACME, payment))
    await server.command('FLUSHALL')
    expectChallenge(await shop.ask(ACME, payment), 'payment_already_used')
    expect(await shop.settlements()).toHaveLength(1)
  })
})

describe('several instances', () => {
  test('one payment sent to all of them at once buys one report, which all hand out', async () => {
    const first = await openInstance()
    const others = await Promise.all([openBeside(first), openBeside(first)])
    const shops = [first, ...others].map(({ shop }) => shop)
    const payment = await first.shop.sign()
    const all = [...shops, ...shops, ...shops].map((shop) => shop.ask(ACME, payment))
    const answers = await Promise.all(all)
    const statuses = answers.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 409]))
    const texts = await Promise.all(shops.map(async (shop) => (await shop.ask(ACME, payment)).text))
    expect(new Set(texts).size).toBe(1)
    expect(await first.shop.settlements()).toHaveLength(1)
    expect(first.shop.reports()).toBe(1)
  })

  test('one dies once the money has moved: another finds out, and hands out its report', async () => {
    const dying = await openInstance()
    const other = await openBeside(dying)
    const payment = await dying.shop.sign()
    dying.onceSettled(() => dying.store.close())
    const lost = await dying.shop.ask(ACME, payment)
    expect((await other.shop.ask(ACME, payment)).status).toBe(409)
    await letTimePass(server, LEASE_MS)
    const answer = await other.shop.ask(ACME, payment)
    await expectSold(other.shop, answer)
    expect([answer.text, answer.receipt]).toEqual([lost.text, lost.receipt])
    expect(other.shop.reports()).toBe(1)
  })

  test('one dies while it works: the payment is free for another', async () => {
    const dying = await openInstance()
    const other = await openBeside(dying)
    const payment = await dying.shop.sign()
    dying.shop.duringWork(() => dying.store.close())
    expectNoLedger(await dying.shop.ask(ACME, payment))
    expect((await other.shop.ask(ACME, payment)).status).toBe(409)
    await letTimePass(server, LEASE_MS)
    await expectSold(other.shop, await other.shop.ask(ACME, payment))
  })
})
