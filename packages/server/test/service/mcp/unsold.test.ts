/** A paid tool that is not sold: told as the contract says, and nothing is charged. */

import type { FailureReason } from '@mailgrade/doh/dns'
import { describe, expect, test } from 'vitest'
import {
  enter,
  expectChallengeTool,
  expectProblemTool,
  expectSoldTool,
} from '../../support/mcp-shop.js'
import { expectUnpaid, openShop } from '../../support/paid-service.js'
import type { Overrides } from '../../support/payer.js'

const STRANGER = '0x00000000000000000000000000000000DeaDBeef'

describe('a payment that is none', () => {
  test.each([
    ['null', null],
    ['a number', 5],
    ['a list', []],
    ['an empty object', {}],
    ['the header of HTTP', Buffer.from('{"x402Version":2}').toString('base64')],
    ['of version 1', { x402Version: 1, scheme: 'exact', network: 'base', payload: {} }],
  ])('%s', async (_, payment) => {
    const shop = await openShop('in-process')
    const { buy } = await enter(shop)
    expectProblemTool(await buy(payment), {
      status: 400,
      code: 'malformed_payment',
      detail:
        'The payment is not an x402 version 2 payload with an EIP-3009 authorization. Put the payload itself, as an object and not in base64, into params._meta["x402/payment"].',
    })
    expect([shop.dns.asked, shop.chain.methods]).toEqual([[], []])
    await expectUnpaid(shop)
  })
})

describe('a payment that is not taken', () => {
  test.each<[string, Overrides, string]>([
    ['too little', { authorization: { value: '9999' } }, 'wrong_amount'],
    ['for somebody else', { authorization: { to: STRANGER } }, 'wrong_payee'],
    ['expired', { authorization: { validBefore: '1700000000' } }, 'expired'],
    ['signed by nobody', { signature: `0x${'ab'.repeat(65)}` }, 'invalid_signature'],
  ])('%s', async (_, overrides, error) => {
    const shop = await openShop('in-process')
    const { buy, sign } = await enter(shop)
    const result = await buy(await sign(overrides))
    expectChallengeTool(result, error)
    expect([result.receipt, shop.sales, shop.reports()]).toEqual([null, [error], 0])
    await expectUnpaid(shop)
    await expectSoldTool(shop, await buy(await sign()))
  })
})

describe('the parameter', () => {
  test.each([
    ['no domain', { domain: 'not a domain' }],
    ['a number', { domain: 5 }],
    ['null', { domain: null }],
  ])('%s is refused, paid or not', async (_, given) => {
    const shop = await openShop('in-process')
    const { buy, sign } = await enter(shop)
    const payment = await sign()
    for (const sent of [undefined, payment]) {
      const problem = { status: 400, code: 'invalid_input', parameter: 'domain' }
      expectProblemTool(await buy(sent, given), problem)
    }
    await expectUnpaid(shop)
    await expectSoldTool(shop, await buy(payment))
  })

  test('missing: the price, and with a payment what is missing', async () => {
    const shop = await openShop('in-process')
    const { buy, sign } = await enter(shop)
    const asked = await buy(undefined, {})
    expectChallengeTool(asked, 'payment_required')
    expect(asked.texts[1]).toMatch(
      /^The parameter domain is missing; .* This tool costs 0\.01 USD in USDC on Base /,
    )
    expectProblemTool(await buy(await sign(), {}), {
      code: 'invalid_input',
      detail: 'The parameter domain is missing; give a domain such as example.com.',
    })
    await expectUnpaid(shop)
  })
})

describe('no report, no charge, and the payment is as good as before', () => {
  test('an unknown domain', async () => {
    const shop = await openShop('in-process')
    const { buy, sign } = await enter(shop)
    const payment = await sign()
    const problem = { status: 404, code: 'unknown_domain' }
    expectProblemTool(await buy(payment, { domain: 'nowhere.test' }), problem)
    await expectUnpaid(shop)
    await expectSoldTool(shop, await buy(payment))
  })

  test.each<[number, string, FailureReason]>([
    [502, 'dns_unavailable', 'servfail'],
    [504, 'dns_timeout', 'timeout'],
  ])('a DNS that fails: %i', async (status, code, reason) => {
    const failing: Record<string, FailureReason> = { 'TXT acme.test': reason }
    const shop = await openShop('in-process', { failing })
    const { buy, sign } = await enter(shop)
    const payment = await sign()
    expectProblemTool(await buy(payment), { status, code })
    await expectUnpaid(shop)
    delete failing['TXT acme.test']
    await expectSoldTool(shop, await buy(payment))
  })

  test('an instance that is going away', async () => {
    let isDraining = false
    const shop = await openShop('in-process', { isDraining: () => isDraining })
    const { buy, sign } = await enter(shop)
    const payment = await sign()
    isDraining = true
    expectProblemTool(await buy(payment), { status: 503, code: 'shutting_down' })
    expectChallengeTool(await buy(), 'payment_required')
    await expectUnpaid(shop)
  })

  test('a fault of ours is told without its details', async () => {
    const shop = await openShop('in-process', {
      disturb: (facilitator) => ({
        ...facilitator,
        verify: () => Promise.reject(new Error('at secret.js:1')),
      }),
    })
    const { buy, sign } = await enter(shop)
    const result = await buy(await sign())
    expectProblemTool(result, {
      status: 500,
      code: 'internal',
      detail:
        'The fault is ours. Do not sign a new payment: send the same one again in a moment. If it was charged, you get the report for it.',
    })
    expect([shop.faults.length, result.texts.join('').includes('secret')]).toEqual([1, false])
  })
})
