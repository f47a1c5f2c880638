/** Paid tool calls without a report: the caller is not charged. */

import type { FailureReason } from '@mailgrade/doh/dns'
import { describe, expect, test } from 'vitest'
import {
  connectMcpPaidClient,
  expectDeliveredToolResult,
  expectPaymentRequiredToolResult,
  expectProblemToolResult,
} from '../../support/mcp-paid-client.js'
import { expectNotCharged, openPaidService } from '../../support/paid-service.js'
import type { PaymentOverrides } from '../../support/test-payer.js'

const STRANGER = '0x00000000000000000000000000000000DeaDBeef'

describe('malformed payments', () => {
  test.each([
    ['null', null],
    ['a number', 5],
    ['a list', []],
    ['an empty object', {}],
    ['the header of HTTP', Buffer.from('{"x402Version":2}').toString('base64')],
    ['of version 1', { x402Version: 1, scheme: 'exact', network: 'base', payload: {} }],
  ])('%s', async (_, payment) => {
    const shop = await openPaidService('in-process')
    const { callScore } = await connectMcpPaidClient(shop)
    expectProblemToolResult(await callScore(payment), {
      status: 400,
      code: 'malformed_payment',
      detail:
        'The payment isn’t an x402 version 2 payload with an EIP-3009 authorization. You weren’t charged. Put the payload itself, as an object and not in base64, into params._meta["x402/payment"].',
    })
    expect([shop.dns.queries, shop.chain.methods]).toEqual([[], []])
    await expectNotCharged(shop)
  })
})

describe('rejected payments', () => {
  test.each<[string, PaymentOverrides, string]>([
    ['too little', { authorization: { value: '9999' } }, 'wrong_amount'],
    ['for another payee', { authorization: { to: STRANGER } }, 'wrong_payee'],
    ['expired', { authorization: { validBefore: '1700000000' } }, 'expired'],
    ['with an invalid signature', { signature: `0x${'ab'.repeat(65)}` }, 'invalid_signature'],
  ])('%s', async (_, overrides, error) => {
    const shop = await openPaidService('in-process')
    const { callScore, signScorePayment } = await connectMcpPaidClient(shop)
    const result = await callScore(await signScorePayment(overrides))
    expectPaymentRequiredToolResult(result, error)
    expect([result.paymentResponse, shop.paymentOutcomes, shop.reportCount()]).toEqual([
      null,
      [error],
      0,
    ])
    await expectNotCharged(shop)
    await expectDeliveredToolResult(shop, await callScore(await signScorePayment()))
  })
})

describe('parameters', () => {
  test.each([
    ['no domain', { domain: 'not a domain' }, 'domain'],
    ['a number', { domain: 5 }, 'domain'],
    ['null', { domain: null }, 'domain'],
    ['an unknown argument', { domain: 'acme.test', selectr: 'mine' }, 'selectr'],
  ])('rejects %s, with or without a payment', async (_, input, parameter) => {
    const shop = await openPaidService('in-process')
    const { callScore, signScorePayment } = await connectMcpPaidClient(shop)
    const payment = await signScorePayment()
    for (const sent of [undefined, payment]) {
      const problem = { status: 400, code: 'invalid_input', parameter }
      expectProblemToolResult(await callScore(sent, input), problem)
    }
    await expectNotCharged(shop)
    await expectDeliveredToolResult(shop, await callScore(payment))
  })

  test('returns the price without a parameter, and a problem if a payment was sent', async () => {
    const shop = await openPaidService('in-process')
    const { callScore, signScorePayment } = await connectMcpPaidClient(shop)
    const asked = await callScore(undefined, {})
    expectPaymentRequiredToolResult(asked, 'payment_required')
    expect(asked.texts[1]).toMatch(
      /^The parameter domain is missing\. .* This tool costs 0\.01 USD in USDC on Base /,
    )
    expectProblemToolResult(await callScore(await signScorePayment(), {}), {
      code: 'invalid_input',
      detail: 'The parameter domain is missing. Send a domain such as example.com.',
    })
    await expectNotCharged(shop)
  })
})

describe('no report, no charge, and the payment stays valid', () => {
  test('for an unknown domain', async () => {
    const shop = await openPaidService('in-process')
    const { callScore, signScorePayment } = await connectMcpPaidClient(shop)
    const payment = await signScorePayment()
    const problem = { status: 404, code: 'unknown_domain' }
    expectProblemToolResult(await callScore(payment, { domain: 'nowhere.test' }), problem)
    await expectNotCharged(shop)
    await expectDeliveredToolResult(shop, await callScore(payment))
  })

  test.each<[number, string, FailureReason]>([
    [502, 'dns_unavailable', 'servfail'],
    [504, 'dns_timeout', 'timeout'],
  ])('when DNS fails: %i', async (status, code, reason) => {
    const failing: Record<string, FailureReason> = { 'TXT acme.test': reason }
    const shop = await openPaidService('in-process', { failing })
    const { callScore, signScorePayment } = await connectMcpPaidClient(shop)
    const payment = await signScorePayment()
    expectProblemToolResult(await callScore(payment), { status, code })
    await expectNotCharged(shop)
    delete failing['TXT acme.test']
    await expectDeliveredToolResult(shop, await callScore(payment))
  })

  test('during shutdown', async () => {
    let isDraining = false
    const shop = await openPaidService('in-process', { isDraining: () => isDraining })
    const { callScore, signScorePayment } = await connectMcpPaidClient(shop)
    const payment = await signScorePayment()
    isDraining = true
    expectProblemToolResult(await callScore(payment), { status: 503, code: 'shutting_down' })
    expectPaymentRequiredToolResult(await callScore(), 'payment_required')
    await expectNotCharged(shop)
  })

  test('after an internal error, without its details', async () => {
    const shop = await openPaidService('in-process', {
      wrapFacilitator: (facilitator) => ({
        ...facilitator,
        verify: () => Promise.reject(new Error('at secret.js:1')),
      }),
    })
    const { callScore, signScorePayment } = await connectMcpPaidClient(shop)
    const result = await callScore(await signScorePayment())
    expectProblemToolResult(result, {
      status: 500,
      code: 'internal',
      detail:
        'Something went wrong on our side. You may have been charged. Don’t sign a new payment. Send the same one again in a few seconds, and if you were charged, you’ll get your report.',
    })
    expect([shop.faults.length, result.texts.join('').includes('secret')]).toEqual([1, false])
  })
})
