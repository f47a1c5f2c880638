/** Whatever an operation answers over HTTP, it answers over MCP, for every demo domain. */

import { readdirSync } from 'node:fs'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasTool, isPaid } from '../../../src/operations/operation.js'
import { OPERATIONS } from '../../../src/operations/table.js'
import { DEMO_PAYER } from '../../../src/sandbox/chain/wallets.js'
import { connect, signer, type ToolResult } from '../../support/mcp-client.js'
import { type Service, startService } from '../../support/service.js'

const zones = readdirSync('packages/server/zones').filter((file) => /\.test\.zone$/.test(file))
const DOMAINS = [
  ...zones.map((file) => file.replace('.zone', '')),
  'team.good.test',
  'nowhere.test',
]
const TOOLS = OPERATIONS.filter(hasTool)

const account = privateKeyToAccount(DEMO_PAYER.privateKey)
const wallet = new x402Client().register('eip155:84532', new ExactEvmScheme(account))
const buy = wrapFetchWithPayment(fetch, wallet)
const sign = signer(account)

let service: Service
beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PER_MINUTE: '1000' })
})
afterAll(() => void service.process.kill('SIGKILL'))

test('there are seven domains, an unknown one, and a tool for four operations', () => {
  expect([DOMAINS.length, TOOLS.length]).toEqual([8, 4])
})

describe.each(DOMAINS)('%s', (domain) => {
  test.each(TOOLS)('$id', async (operation) => {
    const [name = ''] = Object.keys(operation.input.shape)
    const given = { [name]: name === 'email' ? `Sales+news@${domain}` : domain }
    const { client, call } = await connect('previous', service.url)
    // Having seen the schemas, this client throws away what does not fit them, errors too.
    await client.listTools()

    const query = new URLSearchParams(given)
    const overHttp = await buy(`${service.url}${operation.path}?${query}`)
    let overMcp: ToolResult = await call(operation.tool.name, given)
    if (isPaid(operation)) {
      overMcp = await call(operation.tool.name, given, await sign(overMcp.object))
    }

    expect(overMcp.isError ?? false).toBe(!overHttp.ok)
    expect(still(overMcp.object)).toEqual(still(await overHttp.json()))
    expect(still(JSON.parse(overMcp.texts[1] ?? ''))).toEqual(still(overMcp.object))
  })
})

/** Without what no two answers have in common. */
function still({ meta, requestId, ...rest }: Record<string, object>) {
  return { ...rest, meta: { ...meta, checkedAt: '', durationMs: 0 } }
}
