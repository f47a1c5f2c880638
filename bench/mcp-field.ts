/** The same questions over HTTP and MCP, and found to have the same answers. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import type { PaymentRequired } from '@x402/core/types'
import { type BenchMcpEra, expectToolResult, mcpRequestText } from './bench-mcp-messages.js'
import { CHECK_PATH, CHECK_TOOL_CALL, SCORE_TOOL_CALL } from './mcp-aims.js'
import { fetchPaymentRequired, paidContestant, unpaidContestant } from './pay-field.js'
import type { Contestant, Contestants } from './pay-load.js'
import type { ChainProcess, PaymentServer } from './pay-processes.js'
import { expectResponse, parseResponseJson, requestOnce } from './pay-replies.js'
import { createPaymentSource } from './pay-wallet.js'
import { getRequestText, paidRequests, repeatRequest } from './payment-requests.js'

export type McpContestants = Contestants<'http' | BenchMcpEra>

export async function freeToolContestants(server: PaymentServer): Promise<McpContestants> {
  const trio = {
    http: fixed(server, getRequestText(CHECK_PATH), expectResponse(200, '"status":"pass"')),
    ...inBothEras((era) =>
      fixed(
        server,
        mcpRequestText(era, 'tools/call', CHECK_TOOL_CALL),
        expectToolResult('"status":"pass"'),
      ),
    ),
  }
  await compareReports(trio)
  return trio
}

export async function unpaidToolContestants(server: PaymentServer): Promise<McpContestants> {
  const trio = {
    http: unpaidContestant(server),
    ...inBothEras((era) =>
      fixed(
        server,
        mcpRequestText(era, 'tools/call', SCORE_TOOL_CALL),
        expectToolResult('"amount":"10000"', true),
      ),
    ),
  }
  const { accepts } = await fetchPaymentRequired(server)
  for (const era of [trio.modern, trio.legacy]) {
    deepStrictEqual((await offerOverMcp(era)).accepts, accepts)
  }
  return trio
}

/** Without a chain every payment is good. */
export async function paidToolContestants(
  server: PaymentServer,
  chain: ChainProcess | null,
): Promise<McpContestants> {
  const { modern } = await unpaidToolContestants(server)
  const wallet = createPaymentSource(await offerOverMcp(modern), chain !== null)
  const trio = {
    http: paidContestant(server, await fetchPaymentRequired(server), chain).contestant,
    ...inBothEras((era) => ({
      server,
      requests: paidRequests(wallet, (payment) => paidCall(era, payment)),
      verify: expectToolResult('"x402/payment-response":{"success":true'),
    })),
  }
  await compareReports(trio)
  return trio
}

/** What a client asks before it calls anything; there is nothing like it over HTTP. */
export function toolListingContestants(server: PaymentServer): Record<string, Contestant> {
  const asked = (era: BenchMcpEra, method: string, part: string) =>
    fixed(server, mcpRequestText(era, method), expectToolResult(part))
  return {
    'tools/list, modern': asked('modern', 'tools/list', '"outputSchema"'),
    'tools/list, legacy': asked('legacy', 'tools/list', '"outputSchema"'),
    'server/discover': asked('modern', 'server/discover', '"instructions"'),
  }
}

function paidCall(era: BenchMcpEra, payment: object): string {
  return mcpRequestText(era, 'tools/call', {
    ...SCORE_TOOL_CALL,
    _meta: { 'x402/payment': payment },
  })
}

function fixed(server: PaymentServer, text: string, verify: Contestant['verify']): Contestant {
  return { server, requests: repeatRequest(text), verify }
}

function inBothEras(make: (era: BenchMcpEra) => Contestant): Record<BenchMcpEra, Contestant> {
  return { modern: make('modern'), legacy: make('legacy') }
}

async function offerOverMcp(contestant: Contestant): Promise<PaymentRequired> {
  return parseResponseJson(await requestOnce(contestant)).result.structuredContent
}

async function compareReports(trio: McpContestants): Promise<void> {
  const { meta, ...report } = parseResponseJson(await requestOnce(trio.http))
  ok(meta)
  for (const contestant of [trio.modern, trio.legacy]) {
    const { content, structuredContent } = parseResponseJson(await requestOnce(contestant)).result
    const { meta, ...same } = structuredContent
    deepStrictEqual(same, report)
    strictEqual(content[1].text, JSON.stringify({ ...same, meta }))
  }
}
