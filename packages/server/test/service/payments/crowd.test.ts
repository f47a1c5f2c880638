/** Many sales at once through our own facilitator, whose transactions go out one behind the other. */
import { expect, test } from 'vitest'
import { type Answer, expectUnavailable } from '../../support/paid-answers.js'
import { ACME, openShop, PRICE, type Shop } from '../../support/paid-service.js'
import { newPayer } from '../../support/payer.js'

/** By as many wallets, each with as many payments. */
async function signedBy(shop: Shop, wallets: number, each: number): Promise<string[]> {
  const { required } = await shop.ask(ACME)
  const payers = await Promise.all(Array.from({ length: wallets }, () => newPayer(shop.chain)))
  return Promise.all(
    payers.flatMap(({ sign }) => Array.from({ length: each }, () => sign(required as never))),
  )
}

const sendAll = (shop: Shop, payments: readonly string[]) =>
  Promise.all(payments.map((payment) => shop.ask(ACME, payment)))

async function expectAllSold(shop: Shop, answers: readonly Answer[]): Promise<void> {
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  const receipts = answers.map(({ receipt }) => receipt?.transaction)
  expect(new Set(receipts).size).toBe(answers.length)
  expect([...receipts].sort()).toEqual([...(await shop.settlements())].sort())
  expect(await shop.earned()).toBe(BigInt(answers.length) * PRICE)
}

test('two hundred payments by twenty wallets: every one is settled once', async () => {
  const shop = await openShop('in-process')
  const payments = await signedBy(shop, 20, 10)
  await expectAllSold(shop, await sendAll(shop, payments))
  expect([shop.reports(), shop.faults]).toEqual([200, []])
}, 60_000)

test('one that the chain would revert does not hold up those behind it', async () => {
  const shop = await openShop('in-process')
  const payment = await shop.sign()
  const others = await signedBy(shop, 3, 3)
  let sent: Promise<Answer[]> | undefined
  shop.duringWork(async () => {
    await shop.payer.spendAll()
    sent = sendAll(shop, others)
  })
  const refused = await shop.ask(ACME, payment)
  expect([refused.status, refused.body.error]).toEqual([402, 'insufficient_funds'])
  await expectAllSold(shop, (await sent) ?? [])
})

test.each(['before', 'after'] as const)(
  'one whose connection breaks %s the chain has it does not, either',
  async (when) => {
    const shop = await openShop('in-process')
    const payments = await signedBy(shop, 3, 3)
    shop.chain.drop('eth_sendRawTransaction', { when, times: 1 })
    const answers = await sendAll(shop, payments)
    const lost = answers.findIndex(({ status }) => status !== 200)
    expectUnavailable(answers[lost] as Answer)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(8)

    answers[lost] = await shop.ask(ACME, payments[lost])
    await expectAllSold(shop, answers)
    expect(shop.reports()).toBe(9)
  },
)
