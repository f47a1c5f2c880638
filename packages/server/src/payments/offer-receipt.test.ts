import { createReportDns } from '@mailgrade/doh'
import { failed } from '@mailgrade/doh/dns'
import { isPaid, type PaidOperation } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import {
  decodeSignedOffers,
  type EIP712SignedOffer,
  type EIP712SignedReceipt,
  extractOffersFromPaymentRequired,
  findAcceptsObjectFromSignedOffer,
  verifyOfferSignatureEIP712,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureEIP712,
} from '@x402/extensions/offer-receipt'
import { recoverMessageAddress } from 'viem'
import { describe, expect, test, vi } from 'vitest'
import { TEST_PAYER, testTerms } from '../../test/support/payment-fixtures.js'
import { createTestPaymentFlow, expectedDelivery } from '../../test/support/payment-flow-fixture.js'
import { createDemoDns } from '../demo/demo-dns.js'
import { exampleResults } from '../discovery/example-results.js'
import { createOfferReceipts } from './offer-receipt.js'
import { createPaymentOffers, httpResourceLocator, toPaymentRequired } from './payment-offer.js'

const KEY = `0x${'11'.repeat(32)}` as const
const ADDRESS = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'
const PAID = OPERATIONS.filter(isPaid)
const [OPERATION] = PAID as [PaidOperation]

const demo = createDemoDns({ query: async () => failed('unreachable', 'not a demo name') })
const results = await exampleResults(PAID, (subject) =>
  createReportDns(demo(subject), { deadlineMs: 600_000 }),
)
const getOffer = createPaymentOffers({
  terms: testTerms('eip155:8453'),
  locateResource: httpResourceLocator('https://mailgrade-with-a-long-name.example.org'),
  serviceName: 'Mailgrade',
  iconUrl: 'https://mailgrade-with-a-long-name.example.org/favicon.svg',
  exampleResult: async ({ id }) => results.get(id) ?? {},
})

const clock = { now: 0 }
const receipts = await createOfferReceipts(KEY, 'https://mailgrade.example/path')
const signedOffers = () => receipts.signOffers(getOffer, () => clock.now)

test('names the key as did:pkh of its address', () => {
  expect(receipts.signer).toBe(`did:pkh:eip155:1:${ADDRESS}`)
})

test('proves with the key that the origin is ours', async () => {
  const signature = receipts.ownershipProof
  const message = 'https://mailgrade.example'
  expect(await recoverMessageAddress({ message, signature })).toBe(ADDRESS)
})

describe('a signed offer', () => {
  test.each(PAID)('of $id verifies and states the offered terms', async (operation) => {
    const offer = await signedOffers()(operation)
    const required = toPaymentRequired(offer, 'payment_required')
    const [signed, ...others] = extractOffersFromPaymentRequired(required)
    expect(others).toEqual([])
    const { signer, payload } = await verifyOfferSignatureEIP712(signed as EIP712SignedOffer)
    const { scheme, network, asset, payTo, amount } = offer.requirements
    expect(signer).toBe(ADDRESS)
    expect(payload).toEqual({
      version: 1,
      resourceUrl: offer.resource.url,
      scheme,
      network,
      asset,
      payTo,
      amount,
      validUntil: expect.any(Number),
    })
    const [decoded] = decodeSignedOffers([signed as EIP712SignedOffer])
    expect(decoded && findAcceptsObjectFromSignedOffer(decoded, required.accepts)).toBe(
      offer.requirements,
    )
  })

  test('leaves the other extensions as they are', async () => {
    const { extensions } = await signedOffers()(OPERATION)
    expect(extensions).toMatchObject((await getOffer(OPERATION)).extensions)
    expect(Object.keys(extensions)).toEqual(['bazaar', 'payment-identifier', 'offer-receipt'])
  })

  test('is signed once a minute and valid for five', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 })
    try {
      const getSigned = signedOffers()
      const first = await getSigned(OPERATION)
      expect(first.extensions['offer-receipt']).toMatchObject({
        info: { offers: [{ payload: { validUntil: 1_800_000_300 } }] },
      })
      clock.now += 59_999
      expect(await getSigned(OPERATION)).toBe(first)
      clock.now += 1
      expect(await getSigned(OPERATION)).not.toBe(first)
    } finally {
      vi.useRealTimers()
    }
  })

  /** The usual limit of proxies is 8 KB, for one header or for all of them. */
  test.each(PAID)('of $id fits into a header, also as the payment echoes it', async (operation) => {
    const offer = await signedOffers()(operation)
    const required = toPaymentRequired(offer, 'payment_already_used')
    const payment = {
      x402Version: 2,
      resource: offer.resource,
      accepted: offer.requirements,
      payload: { signature: `0x${'0'.repeat(130)}`, authorization: 'x'.repeat(300) },
      extensions: offer.extensions,
    }
    for (const value of [required, payment]) {
      expect(Buffer.from(JSON.stringify(value)).toString('base64').length).toBeLessThan(7_168)
    }
  })
})

describe('a receipt', () => {
  const issued = {
    resourceUrl: 'https://mailgrade.example/v1/score',
    network: 'eip155:8453',
    payer: TEST_PAYER,
    transaction: '0xfirst',
    issuedAt: 1_800_000_000,
  } as const

  test('verifies, states the payment and matches its offer', async () => {
    const offer = await signedOffers()(OPERATION)
    const required = toPaymentRequired(offer, 'payment_required')
    const [decoded] = decodeSignedOffers(extractOffersFromPaymentRequired(required))
    const now = Math.floor(Date.now() / 1_000)
    const receipt = receiptOf(
      await receipts.issueReceipt({
        ...issued,
        resourceUrl: offer.resource.url,
        issuedAt: now,
      }),
    )
    expect(await verifyReceiptSignatureEIP712(receipt)).toEqual({
      signer: ADDRESS,
      payload: { version: 1, ...issued, resourceUrl: offer.resource.url, issuedAt: now },
    })
    expect(decoded && verifyReceiptMatchesOffer(receipt, decoded, [TEST_PAYER])).toBe(true)
    expect(decoded && verifyReceiptMatchesOffer(receipt, decoded, [ADDRESS])).toBe(false)
  })

  test('comes with a delivered report, and is the same when the report is sent again', async () => {
    const flow = createTestPaymentFlow({ issueReceipt: receipts.issueReceipt })
    const { settlement, ...first } = expectedDelivery()
    const extensions = await receipts.issueReceipt(issued)
    const withReceipt = { ...first, settlement: { ...settlement, extensions } }
    expect(await flow.pay()).toEqual(withReceipt)
    flow.clock.now += 30_000
    expect(await flow.pay()).toEqual({ ...withReceipt, isRedelivery: true })
  })

  test('is not issued without a payment on the chain', async () => {
    const issueReceipt = vi.fn(receipts.issueReceipt)
    const notPaid = createTestPaymentFlow({
      issueReceipt,
      readState: [{ kind: 'void', hasReverted: false }],
    })
    expect(await notPaid.pay()).toMatchObject({
      kind: 'paymentRequired',
      settlement: { success: false },
    })
    const unused = { kind: 'unused', hasReverted: false } as const
    const unknown = createTestPaymentFlow({ issueReceipt, readState: Array(9).fill(unused) })
    expect(await unknown.pay()).toMatchObject({ kind: 'problem', charged: 'unknown' })
    expect(issueReceipt).not.toHaveBeenCalled()
  })

  test('is dated when the chain first showed the payment', async () => {
    const unused = { kind: 'unused', hasReverted: false } as const
    const flow = createTestPaymentFlow({
      issueReceipt: receipts.issueReceipt,
      readState: Array(5).fill(unused),
    })
    await flow.pay()
    flow.clock.now += 5_000
    expect(await flow.pay()).toMatchObject({
      settlement: {
        extensions: await receipts.issueReceipt({ ...issued, issuedAt: 1_800_000_005 }),
      },
    })
  })
})

function receiptOf(extensions: Record<string, unknown>): EIP712SignedReceipt {
  const { 'offer-receipt': extension } = extensions as {
    'offer-receipt': { info: { receipt: EIP712SignedReceipt } }
  }
  return extension.info.receipt
}
