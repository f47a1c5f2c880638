/** HTTP and MCP return the same for every operation and demo domain. */

import { readdirSync } from 'node:fs'
import { hasTool, isPaid } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEMO_PAYER_WALLET } from '../../../src/sandbox/chain/sandbox-wallets.js'
import {
  connectMcpClient,
  createPaymentSigner,
  type McpToolResult,
} from '../../support/mcp-client.js'
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.js'

const zones = readdirSync('packages/server/zones').filter((file) => /\.test\.zone$/.test(file))
const DOMAINS = [
  ...zones.map((file) => file.replace('.zone', '')),
  'team.good.test',
  'nowhere.test',
]
const TOOLS = OPERATIONS.filter(hasTool)

const account = privateKeyToAccount(DEMO_PAYER_WALLET.privateKey)
const wallet = new x402Client().register('eip155:84532', new ExactEvmScheme(account))
const payingFetch = wrapFetchWithPayment(fetch, wallet)
const sign = createPaymentSigner(account)

let service: ServiceProcess
beforeAll(async () => {
  service = await startServiceProcess({ RATE_LIMIT_PER_MINUTE: '1000' })
})
afterAll(() => void service.process.kill('SIGKILL'))

test('covers eight domains, an unknown one and four tools', () => {
  expect([DOMAINS.length, TOOLS.length]).toEqual([9, 4])
})

describe.each(DOMAINS)('%s', (domain) => {
  test.each(TOOLS)('$id', async (operation) => {
    const [name = ''] = Object.keys(operation.input.shape)
    const input = { [name]: name === 'email' ? `Sales+news@${domain}` : domain }
    const { client, callTool } = await connectMcpClient('previous', service.url)
    // After listing, this client rejects results, including errors, that do not match the schemas.
    await client.listTools()

    const query = new URLSearchParams(input)
    const overHttp = await payingFetch(`${service.url}${operation.path}?${query}`)
    let overMcp: McpToolResult = await callTool(operation.tool.name, input)
    if (isPaid(operation)) {
      overMcp = await callTool(operation.tool.name, input, await sign(overMcp.structuredContent))
    }

    expect(overMcp.isError ?? false).toBe(!overHttp.ok)
    expect(withoutVariableParts(overMcp.structuredContent)).toEqual(
      withoutVariableParts(await overHttp.json()),
    )
    const json = JSON.stringify(overMcp.structuredContent)
    const isLarge = Buffer.byteLength(json) > 8_192
    expect(overMcp.texts).toEqual(
      isLarge
        ? [expect.stringMatching(/ The full report is in structuredContent\.$/)]
        : [expect.any(String), json],
    )
  })
})

/** Without what differs between two responses, such as the time at which a calendar was written. */
function withoutVariableParts(response: Record<string, object>) {
  const { meta, requestId, ...rest } = response
  const sameTime = JSON.stringify(rest).replace(/DTSTAMP:\w+/g, 'DTSTAMP:')
  return { ...JSON.parse(sameTime), meta: { ...meta, checkedAt: '', durationMs: 0 } }
}
