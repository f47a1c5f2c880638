/**
 * Payments on a real chain while the store fails at every step. Before the charge the caller gets
 * 503 and can reuse the payment; after it the caller gets the report. No one pays twice.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Facilitator } from '../../src/payments/facilitator.js'
import { createMemoryRateLimiter } from '../../src/state/memory-rate-limiter.js'
import { createRedisLedger } from '../support/ledgers.js'
import { expectPaymentRequired, type PaidResponse } from '../support/paid-responses.js'
import {
  ACME_SCORE_PATH,
  expectDelivered,
  expectNotCharged,
  OTHER_SCORE_PATH,
  openPaidService,
  type PaidService,
} from '../support/paid-service.js'
import { startRedisServer } from '../support/redis-server.js'
import { advanceRedisTime } from './advance-redis-time.js'
import { connectWatchedStore, outcomesSince, type WatchedStore } from './watched-store.js'

/** Longer than any test, so only a lease that a test lets expire does. */
const LEASE_MS = 60_000

const server = await startRedisServer({ isLasting: true })
beforeEach(() => server.reset())

interface Instance {
  readonly service: PaidService
  readonly store: WatchedStore
  /** Runs after the next settlement, before the ledger completes it. */
  onceSettled(act: () => unknown): void
}

async function openState() {
  const store = await connectWatchedStore(server)
  const rateLimiter = createMemoryRateLimiter({ limit: 1_000, now: () => performance.now() })
  let act: () => unknown = () => {}
  const wrapFacilitator = (facilitator: Facilitator): Facilitator => ({
    ...facilitator,
    async settle(...args) {
      const settled = await facilitator.settle(...args)
      await act()
      return settled
    },
  })
  const onceSettled = (next: () => unknown) => {
    act = next
  }
  const ledger = createRedisLedger({ store, leaseMs: LEASE_MS, retries: 600 })
  const options = { state: { rateLimiter, ledger, isStoreUp: store.isUp }, wrapFacilitator }
  return { store, onceSettled, options }
}

async function openInstance(): Promise<Instance> {
  const { options, ...instance } = await openState()
  return { ...instance, service: await openPaidService('remote', options) }
}

/** Another instance on the same chain and store. */
async function openBeside({ service }: Instance): Promise<Instance> {
  const { options, ...instance } = await openState()
  return { ...instance, service: await service.reopen(options) }
}

function expectLedgerUnavailable({
  status,
  headers,
  body,
  paymentRequired,
  settlement,
}: PaidResponse): void {
  expect([status, body.code, body.charged]).toEqual([503, 'ledger_unavailable', 'no'])
  expect(body.detail).toContain('You weren’t charged. Send the same payment again')
  expect([headers.get('retry-after'), paymentRequired, settlement]).toEqual(['2', null, null])
}

/** Retries until the store is up and reservations have expired or been released. */
async function payUntilDelivered(
  { service, store }: Instance,
  payment: string,
): Promise<PaidResponse> {
  await store.waitUntilUp()
  let response = await service.send(ACME_SCORE_PATH, payment)
  const retry = async () => {
    if (response.status !== 200) response = await service.send(ACME_SCORE_PATH, payment)
    return response.status
  }
  await expect.poll(retry, { timeout: 120_000, interval: 100 }).toBe(200)
  return response
}

const FAULTS = [
  ['killed', () => server.kill(), () => server.start()],
  ['frozen', () => server.freeze(), () => server.resume()],
] as const

describe.each(FAULTS)('the store is %s', (_, breakStore, repairStore) => {
  test('before the payment arrives: it is not charged and stays usable', async () => {
    const instance = await openInstance()
    const { service, store } = instance
    const payment = await service.sign()
    await breakStore()
    expectLedgerUnavailable(await service.send(ACME_SCORE_PATH, payment))
    const before = store.commands.length
    expectLedgerUnavailable(await service.send(ACME_SCORE_PATH, payment))
    // The second caller does not wait for the store.
    const isStep = (command: string) => command.startsWith('ledger.')
    expect(outcomesSince(store, before, isStep)).toEqual(['skipped'])
    expect(service.reportCount()).toBe(0)
    await expectNotCharged(service)
    await repairStore()
    await expectDelivered(service, await payUntilDelivered(instance, payment))
    expect(service.faults).toEqual([])
  })

  test('while the operation runs: the payment is not charged and stays usable', async () => {
    const instance = await openInstance()
    const { service } = instance
    const payment = await service.sign()
    service.onNextDnsQuery(breakStore)
    expectLedgerUnavailable(await service.send(ACME_SCORE_PATH, payment))
    await expectNotCharged(service)
    await repairStore()
    await expectDelivered(service, await payUntilDelivered(instance, payment))
    expect(service.faults).toEqual([])
  })

  test('after the settlement: the report is delivered, and again later', async () => {
    const instance = await openInstance()
    const { service, onceSettled } = instance
    const payment = await service.sign()
    onceSettled(breakStore)
    const delivered = await service.send(ACME_SCORE_PATH, payment)
    await expectDelivered(service, delivered)
    onceSettled(() => {})
    await repairStore()
    const again = await payUntilDelivered(instance, payment)
    await expectDelivered(service, again)
    expect([again.text, again.settlement]).toEqual([delivered.text, delivered.settlement])
    expect([service.reportCount(), service.faults]).toEqual([1, []])
  })
})

describe('the store is flushed', () => {
  test('while the operation runs: the payment is not charged and stays usable after a flush', async () => {
    const { service } = await openInstance()
    const payment = await service.sign()
    service.onNextDnsQuery(() => server.command('FLUSHALL'))
    expectLedgerUnavailable(await service.send(ACME_SCORE_PATH, payment))
    await expectNotCharged(service)
    await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
  })

  test('and another instance reserves the payment: only one of them settles it', async () => {
    const first = await openInstance()
    const second = await openBeside(first)
    const payment = await first.service.sign()
    const delivered: PaidResponse[] = []
    first.service.onNextDnsQuery(async () => {
      await server.command('FLUSHALL')
      delivered.push(await second.service.send(ACME_SCORE_PATH, payment))
    })
    expectLedgerUnavailable(await first.service.send(ACME_SCORE_PATH, payment))
    for (const response of delivered) await expectDelivered(first.service, response)
    expect(delivered).toHaveLength(1)
  })

  test('after a delivery: the chain rejects a second use', async () => {
    const { service } = await openInstance()
    const payment = await service.sign()
    await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
    await server.command('FLUSHALL')
    expectPaymentRequired(await service.send(ACME_SCORE_PATH, payment), 'payment_already_used')
    expect(await service.settlements()).toHaveLength(1)
  })
})

describe('several instances', () => {
  test('deliver one report for one payment sent to all of them at once', async () => {
    const first = await openInstance()
    const others = await Promise.all([openBeside(first), openBeside(first)])
    const services = [first, ...others].map(({ service }) => service)
    const payment = await first.service.sign()
    const all = [...services, ...services, ...services].map((service) =>
      service.send(ACME_SCORE_PATH, payment),
    )
    const responses = await Promise.all(all)
    const statuses = responses.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 409]))
    const texts = await Promise.all(
      services.map(async (service) => (await service.send(ACME_SCORE_PATH, payment)).text),
    )
    expect(new Set(texts).size).toBe(1)
    expect(await first.service.settlements()).toHaveLength(1)
    expect(first.service.reportCount()).toBe(1)
  })

  test('reconcile a payment whose instance dies after the settlement', async () => {
    const dying = await openInstance()
    const other = await openBeside(dying)
    const payment = await dying.service.sign()
    dying.onceSettled(() => dying.store.close())
    const lost = await dying.service.send(ACME_SCORE_PATH, payment)
    expect((await other.service.send(ACME_SCORE_PATH, payment)).status).toBe(409)
    await advanceRedisTime(server, LEASE_MS)
    const response = await other.service.send(ACME_SCORE_PATH, payment)
    await expectDelivered(other.service, response)
    expect([response.text, response.settlement]).toEqual([lost.text, lost.settlement])
    expect(other.service.reportCount()).toBe(1)
  })

  test('make the report again for a payment that was charged hours ago and not delivered', async () => {
    const dying = await openInstance()
    const other = await openBeside(dying)
    const payment = await dying.service.sign()
    dying.onceSettled(() => dying.store.close())
    const { settlement } = await dying.service.send(ACME_SCORE_PATH, payment)
    await advanceRedisTime(server, 20 * 60 * 60_000)
    expectPaymentRequired(
      await other.service.send(OTHER_SCORE_PATH, payment),
      'payment_already_used',
    )
    const response = await other.service.send(ACME_SCORE_PATH, payment)
    await expectDelivered(other.service, response)
    expect(response.settlement).toEqual(settlement)
    expect(other.service.reportCount()).toBe(2)
  })

  test('can reuse a payment whose instance dies before the settlement', async () => {
    const dying = await openInstance()
    const other = await openBeside(dying)
    const payment = await dying.service.sign()
    dying.service.onNextDnsQuery(() => dying.store.close())
    expectLedgerUnavailable(await dying.service.send(ACME_SCORE_PATH, payment))
    expect((await other.service.send(ACME_SCORE_PATH, payment)).status).toBe(409)
    await advanceRedisTime(server, LEASE_MS)
    await expectDelivered(other.service, await other.service.send(ACME_SCORE_PATH, payment))
  })

  describe('with other answers to a plan', () => {
    const PLAN = '/v1/fix-plan?domain=acme.test'
    const DOLLAR = 1_000_000n
    const answer = (index: number) => `${PLAN}&rua=r${index}@acme.test`

    async function buyPlan() {
      const first = await openInstance()
      const instances = [first, await openBeside(first), await openBeside(first)]
      const services = instances.map(({ service }) => service)
      const payment = await first.service.sign({}, PLAN)
      expect((await first.service.send(PLAN, payment)).status).toBe(200)
      return { first, services, payment }
    }

    test('give twenty of them together, however many are asked for at once', async () => {
      const { first, services, payment } = await buyPlan()
      const askAll = (index: number) =>
        Promise.all(services.map((service) => service.send(answer(index), payment)))
      const indexes = Array.from({ length: 25 }, (_, index) => index)
      const replies = (await Promise.all(indexes.map(askAll))).flat()
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 409]))
      const plans: string[] = []
      for (const index of indexes) {
        const again: PaidResponse[] = []
        for (const service of services) again.push(await service.send(answer(index), payment))
        const [plan] = again
        expect(again.map(({ body }) => body.error ?? body)).toEqual(
          Array(3).fill(plan?.body.error ?? plan?.body),
        )
        if (plan?.status === 200) plans.push(plan.text)
        else expectPaymentRequired(plan as PaidResponse, 'payment_already_used', '1000000')
      }
      expect([plans.length, new Set(plans).size]).toEqual([20, 20])
      expect(await first.service.settlements(DOLLAR)).toHaveLength(1)
    })

    test('go on at another instance when the first dies while it makes one', async () => {
      const { first, services, payment } = await buyPlan()
      const [, other] = services as [PaidService, PaidService]
      first.service.onNextDnsQuery(() => first.store.close())
      expectLedgerUnavailable(await first.service.send(answer(0), payment))
      expect((await other.send(PLAN, payment)).status).toBe(409)
      await advanceRedisTime(server, LEASE_MS)
      expect((await other.send(PLAN, payment)).status).toBe(200)
      for (let index = 0; index < 20; index++) {
        expect((await other.send(answer(index), payment)).status).toBe(200)
      }
      expect((await other.send(answer(20), payment)).status).toBe(402)
      expect(await other.settlements(DOLLAR)).toHaveLength(1)
    })
  })
})
