/** Rejected, unknown and interrupted settlements of paid tools: no caller pays twice. */

import { score } from '@mailgrade/operations/score'
import { describe, expect, test, vi } from 'vitest'
import {
  connectMcpPaidClient,
  expectDeliveredToolResult,
  expectPaymentRequiredToolResult,
  expectProblemToolResult,
} from '../../support/mcp-paid-client.js'
import {
  expectNotCharged,
  openPaidService,
  type PaymentBackendKind,
} from '../../support/paid-service.js'

const KINDS = ['in-process', 'remote'] as const

describe('internal error after settlement', () => {
  test('returns the report without a summary when the summary fails', async () => {
    const shop = await openPaidService('in-process')
    const { callScore, signScorePayment } = await connectMcpPaidClient(shop)
    const { tool } = score
    if (!tool) throw new Error('the score is no tool')
    vi.spyOn(tool, 'digest').mockImplementationOnce(() => {
      throw new Error('broken')
    })
    const { texts, structuredContent, paymentResponse } = await callScore(await signScorePayment())
    expect(texts).toEqual([
      'The summary isn’t available, but the report is complete.',
      JSON.stringify(structuredContent),
    ])
    expect([structuredContent.domain, paymentResponse.success, shop.faults.length]).toEqual([
      'acme.test',
      true,
      1,
    ])
  })

  test('delivers the report when the same payment is sent again, charged once', async () => {
    let isBroken = true
    const shop = await openPaidService('in-process', {
      wrapFacilitator: (facilitator) => ({
        ...facilitator,
        async settle(...terms) {
          const settled = await facilitator.settle(...terms)
          if (isBroken) throw new Error('broken')
          return settled
        },
      }),
    })
    const { callScore, signScorePayment } = await connectMcpPaidClient(shop)
    const payment = await signScorePayment()
    expectProblemToolResult(await callScore(payment), {
      status: 500,
      detail: expect.stringContaining('Don’t sign a new payment. Send the same one again'),
    })
    isBroken = false
    await expectDeliveredToolResult(shop, await callScore(payment))
  })
})

test('returns the price and the reason when nothing was sent to the chain', async () => {
  const shop = await openPaidService('in-process')
  const { callScore, signScorePayment } = await connectMcpPaidClient(shop)
  const payment = await signScorePayment()
  shop.onNextDnsQuery(() => shop.payer.spendAll())
  const result = await callScore(payment)
  expectPaymentRequiredToolResult(result, 'insufficient_funds')
  expect(result.paymentResponse).toMatchObject({
    success: false,
    transaction: '',
    errorReason: 'insufficient_funds',
  })
  await expectNotCharged(shop)
})

describe.each(KINDS)('settlement: %s', (kind: PaymentBackendKind) => {
  test('asks for the same payment again when the outcome is unknown, and charges once', async () => {
    const shop = await openPaidService(kind)
    const { callScore, signScorePayment } = await connectMcpPaidClient(shop)
    const payment = await signScorePayment()
    if (kind === 'in-process') shop.chain.dropConnections('eth_sendRawTransaction', { times: 1 })
    else shop.facilitator.restartAt('sending')
    expectProblemToolResult(await callScore(payment), {
      status: 502,
      code: 'facilitator_unavailable',
      retryAfterSeconds: 2,
      detail: expect.stringContaining('Don’t sign a new payment. Send the same payment again'),
    })
    await expectDeliveredToolResult(shop, await callScore(payment))
    expect(shop.reportCount()).toBe(1)
  })
})
