/** A paid service as MCP clients see it. */
import { expect } from 'vitest'
import { connectMcpClient, type McpClientKind, type McpToolResult } from './mcp-client.js'
import { createAppFetch } from './mcp-message.js'
import { type PaidService, SCORE_PRICE_UNITS } from './paid-service.js'
import { decodeBase64Json, type PaymentOverrides } from './test-payer.js'

const SCORE = 'email_security_score'
const ACME = { domain: 'acme.test' }

export interface McpPaidClient {
  /** Calls the score tool, for acme.test by default. */
  callScore(payment?: unknown, input?: Record<string, unknown>): Promise<McpToolResult>
  callTool(name: string, input?: Record<string, unknown>, payment?: unknown): Promise<McpToolResult>
  /** Signs a payment for the score. */
  signScorePayment(overrides?: PaymentOverrides): Promise<unknown>
}

export async function connectMcpPaidClient(
  service: PaidService,
  kind: McpClientKind = 'current',
): Promise<McpPaidClient> {
  const { client, callTool } = await connectMcpClient(
    kind,
    'https://mailgrade.example',
    createAppFetch(service),
  )
  // Clients validate results against the schemas they have listed.
  await client.listTools()
  const callScore: McpPaidClient['callScore'] = (payment, input = ACME) =>
    callTool(SCORE, input, payment)
  return {
    callScore,
    callTool,
    async signScorePayment(overrides) {
      const { structuredContent } = await callScore()
      return decodeBase64Json(await service.payer.sign(structuredContent, overrides))
    },
  }
}

export async function expectDeliveredToolResult(
  service: PaidService,
  result: McpToolResult,
): Promise<void> {
  expect([result.isError, result.structuredContent.domain]).toEqual([undefined, 'acme.test'])
  expect(result.texts).toEqual([
    expect.stringMatching(/^acme\.test scores \d+ of 100/),
    JSON.stringify(result.structuredContent),
  ])
  const [transaction, ...others] = await service.settlements()
  expect([result.paymentResponse, others]).toEqual([
    { success: true, transaction, network: 'eip155:8453', payer: service.payer.address },
    [],
  ])
  expect(await service.revenue()).toBe(SCORE_PRICE_UNITS)
}

/** The price and the reason, as object and as text, without any of the report. */
export function expectPaymentRequiredToolResult(result: McpToolResult, error: string): void {
  expect([result.isError, result.structuredContent]).toMatchObject([
    true,
    { x402Version: 2, error, accepts: [{ amount: '10000' }] },
  ])
  expect(JSON.parse(result.texts[0] ?? '')).toEqual(result.structuredContent)
  expect(result.texts.join('')).not.toContain('acme.test')
}

export function expectProblemToolResult(result: McpToolResult, problem: object): void {
  expect([result.isError, result.structuredContent, result.paymentResponse]).toMatchObject([
    true,
    problem,
    null,
  ])
  expect(result.texts).toEqual([
    `${result.structuredContent.title}. ${result.structuredContent.detail}`,
    JSON.stringify(result.structuredContent),
  ])
}
