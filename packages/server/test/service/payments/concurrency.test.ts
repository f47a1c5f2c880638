/** Many sales at once through our own facilitator, whose transactions go out one behind the other. */
import { expect, test } from 'vitest'
import { expectFacilitatorUnavailable, type PaidResponse } from '../../support/paid-responses.js'
import {
  ACME_SCORE_PATH,
  expectDelivered,
  expectNotCharged,
  OTHER_SCORE_PATH,
  openPaidService,
  type PaidService,
  SCORE_PRICE_UNITS,
} from '../../support/paid-service.js'
import { LIVE_ENV } from '../../support/test-app.js'
import { createTestPayer } from '../../support/test-payer.js'

/** By as many wallets, each with as many payments. */
async function signedBy(shop: PaidService, wallets: number, each: number): Promise<string[]> {
  const { paymentRequired } = await shop.send(ACME_SCORE_PATH)
  const payers = await Promise.all(
    Array.from({ length: wallets }, () => createTestPayer(shop.chain)),
  )
  return Promise.all(
    payers.flatMap(({ sign }) =>
      Array.from({ length: each }, () => sign(paymentRequired as never)),
    ),
  )
}

const sendAll = (shop: PaidService, payments: readonly string[]) =>
  Promise.all(payments.map((payment) => shop.send(ACME_SCORE_PATH, payment)))

async function expectAllSold(shop: PaidService, answers: readonly PaidResponse[]): Promise<void> {
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  const receipts = answers.map(({ settlement }) => settlement?.transaction)
  expect(new Set(receipts).size).toBe(answers.length)
  expect([...receipts].sort()).toEqual([...(await shop.settlements())].sort())
  expect(await shop.revenue()).toBe(BigInt(answers.length) * SCORE_PRICE_UNITS)
}

test('two hundred payments by twenty wallets: every one is settled once', async () => {
  const shop = await openPaidService('in-process')
  const payments = await signedBy(shop, 20, 10)
  await expectAllSold(shop, await sendAll(shop, payments))
  expect([shop.reportCount(), shop.faults]).toEqual([200, []])
}, 60_000)

test('one that the chain would revert does not hold up those behind it', async () => {
  const shop = await openPaidService('in-process')
  const payment = await shop.sign()
  const others = await signedBy(shop, 3, 3)
  let sent: Promise<PaidResponse[]> | undefined
  shop.onNextDnsQuery(async () => {
    await shop.payer.spendAll()
    sent = sendAll(shop, others)
  })
  const refused = await shop.send(ACME_SCORE_PATH, payment)
  expect([refused.status, refused.body.error]).toEqual([402, 'insufficient_funds'])
  await expectAllSold(shop, (await sent) ?? [])
})

test.each(['before', 'after'] as const)(
  'one whose connection breaks %s the chain has it does not, either',
  async (when) => {
    const shop = await openPaidService('in-process')
    const payments = await signedBy(shop, 3, 3)
    shop.chain.dropConnections('eth_sendRawTransaction', { when, times: 1 })
    const answers = await sendAll(shop, payments)
    const lost = answers.findIndex(({ status }) => status !== 200)
    expectFacilitatorUnavailable(answers[lost] as PaidResponse)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(8)

    answers[lost] = await shop.send(ACME_SCORE_PATH, payments[lost])
    await expectAllSold(shop, answers)
    expect(shop.reportCount()).toBe(9)
  },
)

test('a report that finds no place in time is not charged, and its payment stays good', async () => {
  const shop = await openPaidService('in-process', {
    env: { ...LIVE_ENV, MAX_CONCURRENT_REPORTS: '1' },
  })
  const payment = await shop.sign()
  let goOn = () => {}
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const isAtWork = new Promise<void>((resolve) => {
    shop.onNextDnsQuery(() => {
      resolve()
      return held
    })
  })
  const slow = shop.send('/v1/mx?domain=other.test')
  await isAtWork

  const refused = await shop.send(ACME_SCORE_PATH, payment)
  expect(refused).toMatchObject({ status: 503, body: { code: 'overloaded', retryAfterSeconds: 2 } })
  await expectNotCharged(shop)

  goOn()
  await slow
  await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
  expect((await shop.send(OTHER_SCORE_PATH, payment)).status).toBe(402)
})
