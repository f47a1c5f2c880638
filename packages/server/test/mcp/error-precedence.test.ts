/** Wrong in two ways at once: which of them is told. */
import { describe, expect, test } from 'vitest'
import { REQUEST_META } from '../support/mcp-message.js'
import {
  createMcpServiceUnderTest,
  headersForEra,
  PING_MESSAGE,
} from '../support/mcp-service-under-test.js'

const house = createMcpServiceUnderTest()

describe('what the headers get wrong comes before what the parameters do', () => {
  const params = { name: 'pricing', arguments: [1] }
  const good = headersForEra('modern', 'tools/call', params)

  test.each<[string, Record<string, string>, object, number]>([
    ['no tool in the headers', { 'mcp-name': '' }, REQUEST_META, -32_020],
    ['another tool in the headers', { 'mcp-name': 'email_fix_plan' }, REQUEST_META, -32_020],
    ['another method in the headers', { 'mcp-method': 'tools/list' }, REQUEST_META, -32_020],
    [
      'another revision in the headers',
      { 'mcp-protocol-version': '2025-11-25' },
      REQUEST_META,
      -32_020,
    ],
    [
      'a revision that nobody knows',
      { 'mcp-protocol-version': '2099-01-01' },
      { ...REQUEST_META, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' },
      -32_022,
    ],
  ])('%s', async (_, headers, meta, code) => {
    const message = { ...PING_MESSAGE, method: 'tools/call', params: { ...params, _meta: meta } }
    const [status, answer] = await house.send(message, { ...good, ...headers })
    expect([status, answer]).toMatchObject([400, { id: 1, error: { code } }])
  })

  test('in a legacy message, too', async () => {
    const message = { ...PING_MESSAGE, method: 'tools/call', params }
    const [status] = await house.send(message, { 'mcp-protocol-version': '1999-01-01' })
    expect(status).toBe(400)
  })
})
