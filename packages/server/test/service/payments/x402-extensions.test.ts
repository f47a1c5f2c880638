/** The x402 extensions on a real chain, with the official package on the side of the client. */
import type { PaymentRequired } from '@x402/core/types'
import {
  decodeSignedOffers,
  type EIP712SignedOffer,
  type EIP712SignedReceipt,
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  verifyOfferSignatureEIP712,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureEIP712,
} from '@x402/extensions/offer-receipt'
import { appendPaymentIdentifierToExtensions } from '@x402/extensions/payment-identifier'
import { type Hex, recoverMessageAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { createOfferReceipts } from '../../../src/payments/offer-receipt.js'
import { connectMcpPaidClient } from '../../support/mcp-paid-client.js'
import {
  ACME_SCORE_PATH,
  OTHER_SCORE_PATH,
  openPaidService,
  type PaidService,
  SCORE_PRICE_UNITS,
} from '../../support/paid-service.js'

const RECEIPTS = await createOfferReceipts(`0x${'11'.repeat(32)}`, 'https://mailgrade.example')
const SIGNER = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'
const ID = 'order_2026-11-17_0001'

const get = (service: PaidService, path: string, payment?: string) =>
  service.get(path, payment === undefined ? {} : { 'PAYMENT-SIGNATURE': payment })

async function fetchPrice(service: PaidService, path = ACME_SCORE_PATH): Promise<PaymentRequired> {
  return (await (await service.get(path)).json()) as PaymentRequired
}

async function signWithId(service: PaidService, path = ACME_SCORE_PATH): Promise<string> {
  const required = await fetchPrice(service, path)
  const extensions = appendPaymentIdentifierToExtensions(required.extensions ?? {}, ID)
  return service.payer.sign({ ...required, extensions })
}

describe('a payment identifier', () => {
  test('keeps a client that signs again from paying twice', async () => {
    const service = await openPaidService('in-process')
    const first = await signWithId(service)
    const report = await (await get(service, ACME_SCORE_PATH, first)).text()
    for (const path of [ACME_SCORE_PATH, OTHER_SCORE_PATH]) {
      const second = await get(service, path, await signWithId(service, path))
      expect([second.status, await second.json()]).toMatchObject([
        409,
        { code: 'identifier_used', charged: 'no' },
      ])
    }
    const again = await get(service, ACME_SCORE_PATH, first)
    expect([again.status, await again.text()]).toEqual([200, report])
    expect(await service.revenue()).toBe(SCORE_PRICE_UNITS)
  })

  test('holds over MCP and HTTP together', async () => {
    const service = await openPaidService('in-process')
    expect((await get(service, ACME_SCORE_PATH, await signWithId(service))).status).toBe(200)
    const { callScore, signScorePayment } = await connectMcpPaidClient(service)
    const { structuredContent } = await callScore()
    const extensions = appendPaymentIdentifierToExtensions(structuredContent.extensions, ID)
    const rejected = await callScore(await signScorePayment({ payload: { extensions } }))
    expect([rejected.isError, rejected.structuredContent]).toMatchObject([
      true,
      { code: 'identifier_used', charged: 'no' },
    ])
    expect(await service.revenue()).toBe(SCORE_PRICE_UNITS)
  })
})

describe('signed offers and receipts', () => {
  const open = () => openPaidService('in-process', { offerReceipts: RECEIPTS })

  test('are by a key that the manifest proves to be ours', async () => {
    const service = await open()
    const manifest = await (await get(service, '/.well-known/x402')).json()
    const { ownershipProofs } = manifest as { ownershipProofs: Hex[] }
    expect(ownershipProofs).toHaveLength(1)
    const [signature = '0x'] = ownershipProofs
    const message = 'https://mailgrade.example'
    expect(await recoverMessageAddress({ message, signature })).toBe(SIGNER)
  })

  test('verify over HTTP, and a report that is sent again has the same receipt', async () => {
    const service = await open()
    const required = await fetchPrice(service)
    const [signed] = extractOffersFromPaymentRequired(required) as [EIP712SignedOffer]
    expect((await verifyOfferSignatureEIP712(signed)).signer).toBe(SIGNER)

    const payment = await service.payer.sign(required)
    const paid = await get(service, ACME_SCORE_PATH, payment)
    const receipt = extractReceiptFromResponse(paid) as EIP712SignedReceipt
    const [transaction] = await service.settlements()
    expect(await verifyReceiptSignatureEIP712(receipt)).toEqual({
      signer: SIGNER,
      payload: {
        version: 1,
        network: 'eip155:8453',
        resourceUrl: 'https://mailgrade.example/v1/score',
        payer: service.payer.address,
        issuedAt: expect.any(Number),
        transaction,
      },
    })
    const [offer] = decodeSignedOffers([signed])
    expect(offer && verifyReceiptMatchesOffer(receipt, offer, [service.payer.address])).toBe(true)

    const again = await get(service, ACME_SCORE_PATH, payment)
    expect(again.headers.get('payment-response')).toBe(paid.headers.get('payment-response'))
    expect(JSON.stringify(receipt)).not.toContain('acme')
  })

  test('verify over MCP', async () => {
    const service = await open()
    const { callScore, signScorePayment } = await connectMcpPaidClient(service)
    const { structuredContent } = await callScore()
    const [signed] = extractOffersFromPaymentRequired(structuredContent) as [EIP712SignedOffer]
    expect(await verifyOfferSignatureEIP712(signed)).toMatchObject({
      signer: SIGNER,
      payload: { resourceUrl: 'https://mailgrade.example/mcp' },
    })
    const { paymentResponse } = await callScore(await signScorePayment())
    const { receipt } = paymentResponse.extensions['offer-receipt'].info
    expect(await verifyReceiptSignatureEIP712(receipt)).toMatchObject({
      signer: SIGNER,
      payload: { resourceUrl: 'https://mailgrade.example/mcp', payer: service.payer.address },
    })
  })

  test('do not come with a rejected payment', async () => {
    const service = await open()
    const payment = await service.payer.sign(await fetchPrice(service))
    service.onNextDnsQuery(() => service.payer.spendAll())
    const rejected = await get(service, ACME_SCORE_PATH, payment)
    expect(rejected.status).toBe(402)
    expect(extractReceiptFromResponse(rejected)).toBeUndefined()
  })

  test('are named in the manifest only if they are on', async () => {
    const manifestOf = async (service: PaidService) =>
      (await (await service.get('/.well-known/x402')).json()) as Record<string, unknown>
    const service = await open()
    expect(await manifestOf(service)).toMatchObject({
      receiptSigner: `did:pkh:eip155:1:${SIGNER}`,
      extensions: { 'offer-receipt': expect.stringContaining(SIGNER) },
    })
    const plain = await manifestOf(await openPaidService('in-process'))
    expect(plain).not.toHaveProperty('receiptSigner')
    expect(Object.keys(plain.extensions as object)).toEqual(['bazaar', 'payment-identifier'])
  })
})
