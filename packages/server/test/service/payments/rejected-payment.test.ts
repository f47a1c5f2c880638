/** Payments that are not taken: each is told why, gets a fresh challenge, and costs nothing. */
import { describe, expect, test } from 'vitest'
import { expectPaymentRequired } from '../../support/paid-responses.js'
import {
  ACME_SCORE_PATH,
  expectDelivered,
  expectNotCharged,
  openPaidService,
  type PaidService,
} from '../../support/paid-service.js'
import { createTestPayer, nowSeconds, type PaymentOverrides } from '../../support/test-payer.js'

const STRANGER = '0x00000000000000000000000000000000DeaDBeef'
const garbage = (bytes: number) => `0x${'ab'.repeat(bytes)}`

/** No report, no receipt, no settlement, and the next payment is welcome. */
async function expectRefused(shop: PaidService, payment: string, error: string): Promise<void> {
  const answer = await shop.send(ACME_SCORE_PATH, payment)
  const isAsked = /signature|funds|used/.test(error)
  expect([...shop.chain.methods, ...shop.facilitator.requests].length > 0).toBe(isAsked)
  expectPaymentRequired(answer, error)
  expect(answer.settlement).toBeNull()
  expect([shop.reportCount(), shop.paymentOutcomes, shop.faults]).toEqual([0, [error], []])
  await expectNotCharged(shop)
  await expectDelivered(
    shop,
    await shop.send(ACME_SCORE_PATH, await shop.payer.sign(answer.paymentRequired as never)),
  )
}

const TERMS: [string, PaymentOverrides, string][] = [
  ['another scheme', { accepted: { scheme: 'upto' } }, 'wrong_scheme'],
  ['another network', { accepted: { network: 'eip155:84532' } }, 'wrong_network'],
  ['another token', { accepted: { asset: STRANGER } }, 'wrong_asset'],
  ['terms with a lower price', { accepted: { amount: '9999' } }, 'wrong_amount'],
  ['terms with a higher price', { accepted: { amount: '10001' } }, 'wrong_amount'],
  ['less than the price', { authorization: { value: '9999' } }, 'wrong_amount'],
  ['more than the price', { authorization: { value: '10001' } }, 'wrong_amount'],
  ['nothing', { authorization: { value: '0' } }, 'wrong_amount'],
  ['terms with another payee', { accepted: { payTo: STRANGER } }, 'wrong_payee'],
  ['somebody else', { authorization: { to: STRANGER } }, 'wrong_payee'],
  ['terms with more time', { accepted: { maxTimeoutSeconds: 9_999 } }, 'wrong_terms'],
  [
    'a token of another name',
    { accepted: { extra: { name: 'USDC', version: '2' } } },
    'wrong_terms',
  ],
  ['terms without the token’s name', { accepted: { extra: {} } }, 'wrong_terms'],
  [
    'another report',
    { payload: { resource: { url: 'https://mailgrade.example/v1/fix-plan' } } },
    'wrong_resource',
  ],
  ['a resource that is no address', { payload: { resource: { url: 'score' } } }, 'wrong_resource'],
]

describe('what can be told without asking anybody', () => {
  test.each(TERMS)('made out for %s', async (_, overrides, error) => {
    const shop = await openPaidService('remote')
    const payment = await shop.sign(overrides)
    await expectRefused(shop, payment, error)
  })

  test.each([
    ['expired', () => ({ validBefore: String(nowSeconds() - 1) }), 'expired'],
    ['about to expire', () => ({ validBefore: String(nowSeconds() + 4) }), 'expired'],
    ['not yet valid', () => ({ validAfter: String(nowSeconds() + 60) }), 'not_yet_valid'],
  ])('%s', async (_, times, error) => {
    const shop = await openPaidService('remote')
    const payment = await shop.sign({ authorization: times() })
    await expectRefused(shop, payment, error)
  })
})

describe.each(['in-process', 'remote'] as const)('what the chain tells: %s', (kind) => {
  test('signed by another key', async () => {
    const shop = await openPaidService(kind)
    const signer = await shop.chain.newWallet()
    await expectRefused(shop, await shop.sign({ signer }), 'invalid_signature')
  })

  test.each([
    ['garbage', garbage(65)],
    ['zeros', `0x${'00'.repeat(65)}`],
    ['garbage of a contract’s length', garbage(1_000)],
  ])('a signature of %s', async (_, signature) => {
    const shop = await openPaidService(kind)
    await expectRefused(shop, await shop.sign({ signature }), 'invalid_signature')
  })

  test.each([
    ['the payer', { from: STRANGER }],
    ['the end', { validBefore: String(nowSeconds() + 1_000) }],
    ['the beginning', { validAfter: '1' }],
    ['the nonce', { nonce: garbage(32) }],
  ])('%s was changed after it was signed', async (_, tampered) => {
    const shop = await openPaidService(kind)
    await expectRefused(shop, await shop.sign({ tampered }), 'invalid_signature')
  })

  test('cancelled by its owner', async () => {
    const shop = await openPaidService(kind)
    const payment = await shop.sign()
    await shop.payer.cancel(payment)
    await expectRefused(shop, payment, 'payment_already_used')
  })

  test('used by its owner for somebody else', async () => {
    const shop = await openPaidService(kind)
    const payment = await shop.sign()
    await shop.payer.spendNonceElsewhere(payment)
    await expectRefused(shop, payment, 'payment_already_used')
  })

  test('not covered: one unit is missing', async () => {
    const shop = await openPaidService(kind)
    const poor = await createTestPayer(shop.chain, 9_999n)
    const { paymentRequired } = await shop.send(ACME_SCORE_PATH)
    await expectRefused(shop, await poor.sign(paymentRequired as never), 'insufficient_funds')
  })

  test('used before a restart: the chain remembers what we have forgotten', async () => {
    const shop = await openPaidService(kind)
    const payment = await shop.sign()
    await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
    const again = await shop.reopen()
    const answer = await again.send(ACME_SCORE_PATH, payment)
    expectPaymentRequired(answer, 'payment_already_used')
    expect([answer.settlement, again.reportCount()]).toEqual([null, 1])
    expect(await shop.settlements()).toHaveLength(1)
  })
})

describe.each(['in-process', 'remote'] as const)('refused when it is settled: %s', (kind) => {
  test.each([
    ['cancels it', 'cancel', 'payment_already_used'],
    ['uses it elsewhere', 'spendNonceElsewhere', 'payment_already_used'],
    ['spends the money', 'spendAll', 'insufficient_funds'],
  ] as const)('its owner %s while we work: the report is withheld', async (_, act, error) => {
    const shop = await openPaidService(kind)
    const payment = await shop.sign()
    shop.onNextDnsQuery(() => shop.payer[act](payment))
    const answer = await shop.send(ACME_SCORE_PATH, payment)
    expectPaymentRequired(answer, error)
    expect(answer.settlement).toEqual({
      success: false,
      errorReason: error,
      transaction: '',
      network: 'eip155:8453',
      payer: shop.payer.address,
    })
    expect(answer.text).not.toContain('acme.test')
    await expectNotCharged(shop)
    expect([shop.reportCount(), shop.paymentOutcomes]).toEqual([1, [error]])

    await shop.chain.fund(shop.payer.address, 10_000n)
    await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, await shop.sign()))
  })
})

test('a wallet’s signature that cannot be unpacked is a bad signature, and no fault', async () => {
  const shop = await openPaidService('in-process')
  const signature = `${garbage(96)}${'6492'.repeat(16)}`
  expectPaymentRequired(
    await shop.send(ACME_SCORE_PATH, await shop.sign({ signature })),
    'invalid_signature',
  )
  expect([shop.reportCount(), shop.faults]).toEqual([0, []])
})

test.each(['toLowerCase', 'toUpperCase'] as const)(
  'an address is the same in another case: %s',
  async (change) => {
    const shop = await openPaidService('in-process')
    const inCase = (address: string) => `0x${address.slice(2)[change]()}`
    const { address } = shop.payer
    const tampered = { from: inCase(address), to: inCase(shop.payee) }
    const answer = await shop.send(ACME_SCORE_PATH, await shop.sign({ tampered }))
    expect([answer.status, await shop.revenue()]).toEqual([200, 10_000n])
  },
)
