/** A paid tool, bought by the official clients with a wallet on a chain. */
import { describe, expect, test } from 'vitest'
import { CLIENTS, signer } from '../../support/mcp-client.js'
import {
  enter,
  expectChallengeTool,
  expectProblemTool,
  expectSoldTool,
} from '../../support/mcp-shop.js'
import { expectChallenge } from '../../support/paid-answers.js'
import { ACME, expectSold, expectUnpaid, OTHER, openShop } from '../../support/paid-service.js'
import { encode } from '../../support/payer.js'

const OTHER_DOMAIN = { domain: 'other.test' }
/** As clients do that do not repeat what the payment is for. */
const WITHOUT_RESOURCE = { payload: { resource: undefined } }

describe.each(CLIENTS)('the client of MCP: %s', (kind) => {
  test('is asked to pay, signs, calls again, and gets the report with its receipt', async () => {
    const shop = await openShop('in-process')
    const { buy } = await enter(shop, kind)
    const asked = await buy()
    expectChallengeTool(asked, 'payment_required')
    expect([shop.dns.asked, shop.sales]).toEqual([[], []])

    const account = await shop.chain.newWallet()
    const { isError, object, receipt } = await buy(await signer(account)(asked.object))
    expect([isError, object.domain, object.score]).toEqual([undefined, 'acme.test', 68])
    const [transaction] = await shop.settlements()
    expect(receipt).toEqual({
      success: true,
      transaction,
      network: 'eip155:8453',
      payer: account.address,
    })
    expect([shop.sales, shop.faults]).toEqual([['sold'], []])
  })

  test('buys ten reports at once, with a payment for each', async () => {
    const shop = await openShop('in-process')
    const { buy, sign } = await enter(shop, kind)
    const payments = await Promise.all(Array.from({ length: 10 }, () => sign()))
    const results = await Promise.all(payments.map((payment) => buy(payment)))
    expect(results.map(({ object }) => object.domain)).toEqual(Array(10).fill('acme.test'))
    expect(new Set(results.map(({ receipt }) => receipt.transaction)).size).toBe(10)
    expect(await shop.earned()).toBe(100_000n)
  })
})

describe.each(['in-process', 'remote'] as const)('with the facilitator %s', (kind) => {
  test('the same payment gets the same report again, and no other', async () => {
    const shop = await openShop(kind)
    const { buy, sign } = await enter(shop)
    const payment = await sign()
    const first = await buy(payment)
    expect(await buy(payment)).toEqual(first)
    expectChallengeTool(await buy(payment, OTHER_DOMAIN), 'payment_already_used')
    expect(shop.reports()).toBe(1)
    await expectSoldTool(shop, first)
  })

  test('one payment over HTTP and MCP buys one report', async () => {
    const shop = await openShop(kind)
    const { buy, sign } = await enter(shop)
    const payment = await sign(WITHOUT_RESOURCE)
    const overMcp = await buy(payment)
    const overHttp = await shop.ask(ACME, encode(payment))
    expect([overHttp.text, overHttp.receipt]).toEqual([overMcp.texts[1], overMcp.receipt])
    expectChallenge(await shop.ask(OTHER, encode(payment)), 'payment_already_used')
    expect(shop.reports()).toBe(1)
    await expectSoldTool(shop, overMcp)
    await expectSold(shop, overHttp)
  })

  test('sent to both at the same time it is worked for once', async () => {
    const shop = await openShop(kind)
    const { buy, sign } = await enter(shop)
    const payment = await sign(WITHOUT_RESOURCE)
    const [overMcp, overHttp] = await Promise.all([buy(payment), shop.ask(ACME, encode(payment))])
    const domains = [overMcp.object.domain, overHttp.body.domain]
    const conditions = [overMcp.object.condition, overHttp.body.condition]
    expect(domains.filter(Boolean).length).toBeGreaterThan(0)
    expect(
      [...domains, ...conditions].filter((text) => text === 'acme.test' || text === 'waiting'),
    ).toHaveLength(2)
    expect(shop.reports()).toBe(1)
    await expectSoldTool(shop, await buy(payment))
  })

  test('a payment made out for an endpoint is none for a tool, nor the other way round', async () => {
    const shop = await openShop(kind)
    const { buy, sign } = await enter(shop)
    expectChallenge(await shop.ask(ACME, encode(await sign())), 'wrong_resource')
    const forEndpoint = { payload: { resource: { url: 'https://mailgrade.example/v1/score' } } }
    expectChallengeTool(await buy(await sign(forEndpoint)), 'wrong_resource')
    await expectUnpaid(shop)
  })

  test('while it is worked on, it waits, and says for how long', async () => {
    const shop = await openShop(kind)
    const { buy, sign } = await enter(shop)
    const payment = await sign()
    let second: ReturnType<typeof buy> | null = null
    shop.duringWork(async () => {
      second = buy(payment)
      expectProblemTool(await second, {
        status: 409,
        code: 'report_not_ready',
        condition: 'waiting',
        retryAfterSeconds: 2,
      })
    })
    const first = await buy(payment)
    expect(second).not.toBeNull()
    await expectSoldTool(shop, first)
  })
})
