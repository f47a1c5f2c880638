/** Paid tools, called by the official clients with a wallet on a chain. */
import { describe, expect, test } from 'vitest'
import { createPaymentSigner, MCP_CLIENTS } from '../../support/mcp-client.js'
import {
  connectMcpPaidClient,
  expectDeliveredToolResult,
  expectPaymentRequiredToolResult,
  expectProblemToolResult,
} from '../../support/mcp-paid-client.js'
import { expectPaymentRequired } from '../../support/paid-responses.js'
import {
  ACME_SCORE_PATH,
  expectDelivered,
  expectNotCharged,
  OTHER_SCORE_PATH,
  openPaidService,
} from '../../support/paid-service.js'
import { encodeBase64Json } from '../../support/test-payer.js'

const OTHER_DOMAIN = { domain: 'other.test' }
/** Like clients that do not repeat the resource in the payment. */
const WITHOUT_RESOURCE = { payload: { resource: undefined } }

describe.each(MCP_CLIENTS)('client: %s', (kind) => {
  test('gets the price, signs, calls again and gets the report with its settlement', async () => {
    const shop = await openPaidService('in-process')
    const { callScore } = await connectMcpPaidClient(shop, kind)
    const asked = await callScore()
    expectPaymentRequiredToolResult(asked, 'payment_required')
    expect([shop.dns.queries, shop.paymentOutcomes]).toEqual([[], []])

    const account = await shop.chain.newWallet()
    const { isError, structuredContent, paymentResponse } = await callScore(
      await createPaymentSigner(account)(asked.structuredContent),
    )
    expect([isError, structuredContent.domain, structuredContent.score]).toEqual([
      undefined,
      'acme.test',
      68,
    ])
    const [transaction] = await shop.settlements()
    expect(paymentResponse).toEqual({
      success: true,
      transaction,
      network: 'eip155:8453',
      payer: account.address,
    })
    expect([shop.paymentOutcomes, shop.faults]).toEqual([['delivered'], []])
  })

  test('gets ten reports in parallel, each with its own payment', async () => {
    const shop = await openPaidService('in-process')
    const { callScore, signScorePayment } = await connectMcpPaidClient(shop, kind)
    const payments = await Promise.all(Array.from({ length: 10 }, () => signScorePayment()))
    const results = await Promise.all(payments.map((payment) => callScore(payment)))
    expect(results.map(({ structuredContent }) => structuredContent.domain)).toEqual(
      Array(10).fill('acme.test'),
    )
    expect(new Set(results.map(({ paymentResponse }) => paymentResponse.transaction)).size).toBe(10)
    expect(await shop.revenue()).toBe(100_000n)
  })
})

describe.each(['in-process', 'remote'] as const)('facilitator: %s', (kind) => {
  test('returns the same report for the same payment, and no other report', async () => {
    const shop = await openPaidService(kind)
    const { callScore, signScorePayment } = await connectMcpPaidClient(shop)
    const payment = await signScorePayment()
    const first = await callScore(payment)
    expect(await callScore(payment)).toEqual(first)
    expectPaymentRequiredToolResult(await callScore(payment, OTHER_DOMAIN), 'payment_already_used')
    expect(shop.reportCount()).toBe(1)
    await expectDeliveredToolResult(shop, first)
  })

  test('delivers one report for a payment sent over HTTP and MCP', async () => {
    const shop = await openPaidService(kind)
    const { callScore, signScorePayment } = await connectMcpPaidClient(shop)
    const payment = await signScorePayment(WITHOUT_RESOURCE)
    const overMcp = await callScore(payment)
    const overHttp = await shop.send(ACME_SCORE_PATH, encodeBase64Json(payment))
    expect([overHttp.text, overHttp.settlement]).toEqual([
      overMcp.texts[1],
      overMcp.paymentResponse,
    ])
    expectPaymentRequired(
      await shop.send(OTHER_SCORE_PATH, encodeBase64Json(payment)),
      'payment_already_used',
    )
    expect(shop.reportCount()).toBe(1)
    await expectDeliveredToolResult(shop, overMcp)
    await expectDelivered(shop, overHttp)
  })

  test('makes one report when both arrive at the same time', async () => {
    const shop = await openPaidService(kind)
    const { callScore, signScorePayment } = await connectMcpPaidClient(shop)
    const payment = await signScorePayment(WITHOUT_RESOURCE)
    const [overMcp, overHttp] = await Promise.all([
      callScore(payment),
      shop.send(ACME_SCORE_PATH, encodeBase64Json(payment)),
    ])
    const domains = [overMcp.structuredContent.domain, overHttp.body.domain]
    const conditions = [overMcp.structuredContent.condition, overHttp.body.condition]
    expect(domains.filter(Boolean).length).toBeGreaterThan(0)
    expect(
      [...domains, ...conditions].filter((text) => text === 'acme.test' || text === 'waiting'),
    ).toHaveLength(2)
    expect(shop.reportCount()).toBe(1)
    await expectDeliveredToolResult(shop, await callScore(payment))
  })

  test('rejects a payment for an endpoint at a tool, and vice versa', async () => {
    const shop = await openPaidService(kind)
    const { callScore, signScorePayment } = await connectMcpPaidClient(shop)
    expectPaymentRequired(
      await shop.send(ACME_SCORE_PATH, encodeBase64Json(await signScorePayment())),
      'wrong_resource',
    )
    const forEndpoint = { payload: { resource: { url: 'https://mailgrade.example/v1/score' } } }
    expectPaymentRequiredToolResult(
      await callScore(await signScorePayment(forEndpoint)),
      'wrong_resource',
    )
    await expectNotCharged(shop)
  })

  test('returns the time to wait while the payment is in progress', async () => {
    const shop = await openPaidService(kind)
    const { callScore, signScorePayment } = await connectMcpPaidClient(shop)
    const payment = await signScorePayment()
    let second: ReturnType<typeof callScore> | null = null
    shop.onNextDnsQuery(async () => {
      second = callScore(payment)
      expectProblemToolResult(await second, {
        status: 409,
        code: 'report_not_ready',
        condition: 'waiting',
        retryAfterSeconds: 2,
      })
    })
    const first = await callScore(payment)
    expect(second).not.toBeNull()
    await expectDeliveredToolResult(shop, first)
  })
})
