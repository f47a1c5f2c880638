/** A paid tool whose settlement is refused, lost sight of, or broken into: nobody pays twice. */
import { describe, expect, test, vi } from 'vitest'
import { score } from '../../../src/operations/score.js'
import {
  enter,
  expectChallengeTool,
  expectProblemTool,
  expectSoldTool,
} from '../../support/mcp-shop.js'
import { expectUnpaid, openShop, type TillKind } from '../../support/paid-service.js'

const KINDS = ['in-process', 'remote'] as const

describe('a fault of ours after the money has moved', () => {
  test('in the summary: the report is handed out without it', async () => {
    const shop = await openShop('in-process')
    const { buy, sign } = await enter(shop)
    const { tool } = score
    if (!tool) throw new Error('the score is no tool')
    vi.spyOn(tool, 'digest').mockImplementationOnce(() => {
      throw new Error('broken')
    })
    const { texts, object, receipt } = await buy(await sign())
    expect(texts).toEqual([
      'There is no summary; the report itself is whole.',
      JSON.stringify(object),
    ])
    expect([object.domain, receipt.success, shop.faults.length]).toEqual(['acme.test', true, 1])
  })

  test('in the settlement: the same payment again gets the report, once', async () => {
    let isBroken = true
    const shop = await openShop('in-process', {
      disturb: (facilitator) => ({
        ...facilitator,
        async settle(...terms) {
          const settled = await facilitator.settle(...terms)
          if (isBroken) throw new Error('broken')
          return settled
        },
      }),
    })
    const { buy, sign } = await enter(shop)
    const payment = await sign()
    expectProblemTool(await buy(payment), {
      status: 500,
      detail: expect.stringContaining('Do not sign a new payment: send the same one again'),
    })
    isBroken = false
    await expectSoldTool(shop, await buy(payment))
  })
})

describe.each(KINDS)('the settlement: %s', (kind: TillKind) => {
  test('refused: the price again, the receipt says why, and the report is withheld', async () => {
    const shop = await openShop(kind)
    const { buy, sign } = await enter(shop)
    const payment = await sign()
    shop.duringWork(() => shop.payer.spendAll())
    const result = await buy(payment)
    expectChallengeTool(result, 'insufficient_funds')
    expect(result.receipt).toMatchObject({
      success: false,
      transaction: '',
      errorReason: 'insufficient_funds',
    })
    await expectUnpaid(shop)
  })

  test('lost sight of: no new challenge; the same payment again gets the report, once', async () => {
    const shop = await openShop(kind)
    const { buy, sign } = await enter(shop)
    const payment = await sign()
    if (kind === 'in-process') {
      shop.chain.drop('eth_sendRawTransaction', { when: 'after', times: 1 })
    } else shop.facilitator.breakAt('sent')
    expectProblemTool(await buy(payment), {
      status: 502,
      code: 'facilitator_unavailable',
      retryAfterSeconds: 2,
      detail: expect.stringContaining('Do not sign a new one: send the same payment again'),
    })
    await expectSoldTool(shop, await buy(payment))
    expect(shop.reports()).toBe(1)
  })
})
