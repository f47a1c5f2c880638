/** Rejected payments: each gets a reason and a new 402, and is not charged. */
import { describe, expect, test } from 'vitest'
import {
  expectFacilitatorUnavailable,
  expectPaymentRequired,
} from '../../support/paid-responses.js'
import {
  ACME_SCORE_PATH,
  expectDelivered,
  expectNotCharged,
  openPaidService,
  type PaidService,
} from '../../support/paid-service.js'
import { createTestPayer, nowSeconds, type PaymentOverrides } from '../../support/test-payer.js'

const OTHER_ADDRESS = '0x00000000000000000000000000000000DeaDBeef'
const garbage = (bytes: number) => `0x${'ab'.repeat(bytes)}`

/** No report, no settlement, no charge, and the next payment works. */
async function expectRefused(service: PaidService, payment: string, error: string): Promise<void> {
  const response = await service.send(ACME_SCORE_PATH, payment)
  const isAsked = /signature|funds|used/.test(error)
  expect([...service.chain.methods, ...service.facilitator.requests].length > 0).toBe(isAsked)
  expectPaymentRequired(response, error)
  expect(response.settlement).toBeNull()
  expect([service.reportCount(), service.paymentOutcomes, service.faults]).toEqual([0, [error], []])
  await expectNotCharged(service)
  await expectDelivered(
    service,
    await service.send(ACME_SCORE_PATH, await service.payer.sign(response.paymentRequired)),
  )
}

const TERMS: [string, PaymentOverrides, string][] = [
  ['another scheme', { accepted: { scheme: 'upto' } }, 'wrong_scheme'],
  // Both facilitators would take them for something else.
  ['the scheme in capitals', { accepted: { scheme: 'EXACT' } }, 'wrong_scheme'],
  ['the network in capitals', { accepted: { network: 'EIP155:8453' } }, 'wrong_network'],
  ['another network', { accepted: { network: 'eip155:84532' } }, 'wrong_network'],
  ['another token', { accepted: { asset: OTHER_ADDRESS } }, 'wrong_asset'],
  ['terms with a lower price', { accepted: { amount: '9999' } }, 'wrong_amount'],
  ['terms with a higher price', { accepted: { amount: '10001' } }, 'wrong_amount'],
  ['less than the price', { authorization: { value: '9999' } }, 'wrong_amount'],
  ['more than the price', { authorization: { value: '10001' } }, 'wrong_amount'],
  ['a value of zero', { authorization: { value: '0' } }, 'wrong_amount'],
  ['terms with another payee', { accepted: { payTo: OTHER_ADDRESS } }, 'wrong_payee'],
  ['another payee', { authorization: { to: OTHER_ADDRESS } }, 'wrong_payee'],
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
  ['a resource that is not a URL', { payload: { resource: { url: 'score' } } }, 'wrong_resource'],
]

describe('rejected without a call to the facilitator', () => {
  test.each(TERMS)('a payment with %s', async (_, overrides, error) => {
    const service = await openPaidService('remote')
    const payment = await service.sign(overrides)
    await expectRefused(service, payment, error)
  })

  test.each([
    ['expired', () => ({ validBefore: String(nowSeconds() - 1) }), 'expired'],
    ['about to expire', () => ({ validBefore: String(nowSeconds() + 4) }), 'expired'],
    ['not yet valid', () => ({ validAfter: String(nowSeconds() + 60) }), 'not_yet_valid'],
  ])('%s', async (_, times, error) => {
    const service = await openPaidService('remote')
    const payment = await service.sign({ authorization: times() })
    await expectRefused(service, payment, error)
  })
})

describe.each(['in-process', 'remote'] as const)('rejected by the chain: %s', (kind) => {
  test('signed by another key', async () => {
    const service = await openPaidService(kind)
    const signer = await service.chain.newWallet()
    await expectRefused(service, await service.sign({ signer }), 'invalid_signature')
  })

  test.each([
    ['garbage', garbage(65)],
    ['zeros', `0x${'00'.repeat(65)}`],
    ['garbage of a contract’s length', garbage(1_000)],
  ])('a signature of %s', async (_, signature) => {
    const service = await openPaidService(kind)
    await expectRefused(service, await service.sign({ signature }), 'invalid_signature')
  })

  test.each([
    ['the payer', { from: OTHER_ADDRESS }],
    ['validBefore', { validBefore: String(nowSeconds() + 1_000) }],
    ['validAfter', { validAfter: '1' }],
    ['the nonce', { nonce: garbage(32) }],
  ])('%s changed after signing', async (_, tampered) => {
    const service = await openPaidService(kind)
    await service.chain.fund(OTHER_ADDRESS, 10_000n)
    await expectRefused(service, await service.sign({ tampered }), 'invalid_signature')
  })

  test('canceled by the payer', async () => {
    const service = await openPaidService(kind)
    const payment = await service.sign()
    await service.payer.cancel(payment)
    await expectRefused(service, payment, 'payment_already_used')
  })

  test('used by the payer for another payee', async () => {
    const service = await openPaidService(kind)
    const payment = await service.sign()
    await service.payer.spendNonceElsewhere(payment)
    await expectRefused(service, payment, 'payment_already_used')
  })

  test('one unit short of funds', async () => {
    const service = await openPaidService(kind)
    const poor = await createTestPayer(service.chain, 9_999n)
    const { paymentRequired } = await service.send(ACME_SCORE_PATH)
    await expectRefused(service, await poor.sign(paymentRequired), 'insufficient_funds')
  })

  test('used before a restart: the chain still rejects it', async () => {
    const service = await openPaidService(kind)
    const payment = await service.sign()
    await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
    const again = await service.reopen()
    const response = await again.send(ACME_SCORE_PATH, payment)
    expectPaymentRequired(response, 'payment_already_used')
    expect([response.settlement, again.reportCount()]).toEqual([null, 1])
    expect(await service.settlements()).toHaveLength(1)
  })
})

describe.each(['in-process', 'remote'] as const)('rejected at settlement: %s', (kind) => {
  test.each([
    ['cancels the payment', 'cancel', 'payment_already_used'],
    ['uses the nonce elsewhere', 'spendNonceElsewhere', 'payment_already_used'],
  ] as const)(
    'withholds the report if the payer %s while the operation runs',
    async (_, act, error) => {
      const service = await openPaidService(kind)
      const payment = await service.sign()
      service.onNextDnsQuery(() => service.payer[act](payment))
      const response = await service.send(ACME_SCORE_PATH, payment)
      expectPaymentRequired(response, error)
      expect(response.settlement).toEqual({
        success: false,
        errorReason: error,
        transaction: '',
        network: 'eip155:8453',
        payer: service.payer.address,
      })
      expect(response.text).not.toContain('acme.test')
      await expectNotCharged(service)
      expect([service.reportCount(), service.paymentOutcomes]).toEqual([1, [error]])

      await expectDelivered(service, await service.send(ACME_SCORE_PATH, await service.sign()))
    },
  )
})

describe('a payer that spends the funds while the operation runs', () => {
  test('is rejected in-process, where nothing was sent, and can send the same payment again', async () => {
    const service = await openPaidService('in-process')
    const payment = await service.sign()
    service.onNextDnsQuery(() => service.payer.spendAll())
    const response = await service.send(ACME_SCORE_PATH, payment)
    expectPaymentRequired(response, 'insufficient_funds')
    expect(response.settlement).toMatchObject({ success: false, errorReason: 'insufficient_funds' })
    await expectNotCharged(service)
    await service.chain.fund(service.payer.address, 10_000n)
    await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
  })

  test('stays unknown with a remote facilitator, whose word proves nothing', async () => {
    const service = await openPaidService('remote')
    const payment = await service.sign()
    service.onNextDnsQuery(() => service.payer.spendAll())
    expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment), 'unknown')
    await expectNotCharged(service)
    await service.chain.fund(service.payer.address, 10_000n)
    await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
  })
})

test('rejects a contract signature that cannot be decoded, without an internal error', async () => {
  const service = await openPaidService('in-process')
  const signature = `${garbage(96)}${'6492'.repeat(16)}`
  expectPaymentRequired(
    await service.send(ACME_SCORE_PATH, await service.sign({ signature })),
    'invalid_signature',
  )
  expect([service.reportCount(), service.faults]).toEqual([0, []])
})

test.each(['toLowerCase', 'toUpperCase'] as const)(
  'accepts addresses in another case: %s',
  async (change) => {
    const service = await openPaidService('in-process')
    const inCase = (address: string) => `0x${address.slice(2)[change]()}`
    const { address } = service.payer
    const tampered = { from: inCase(address), to: inCase(service.payee) }
    const response = await service.send(ACME_SCORE_PATH, await service.sign({ tampered }))
    expect([response.status, await service.revenue()]).toEqual([200, 10_000n])
  },
)
