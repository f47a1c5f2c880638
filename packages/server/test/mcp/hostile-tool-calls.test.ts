/** Methods and tools that are not there, and arguments that nobody should send. */
import { afterEach, describe, expect, test } from 'vitest'
import {
  createMcpServiceUnderTest,
  expectedRpcError,
  expectedRpcResult,
  expectNoSideEffects,
  PROTOCOL_ERAS,
} from '../support/mcp-service-under-test.js'

const house = createMcpServiceUnderTest()
afterEach(() => expectNoSideEffects(house))

const CHECK = 'check_domain_email_security'
const NO_TOOL =
  'There is no tool of this name; there are check_domain_email_security, pricing, email_security_score, check_email_address, email_fix_plan.'

describe.each(PROTOCOL_ERAS)('%s', (era) => {
  test.each([
    '',
    'constructor',
    '__proto__',
    'toString',
    'tools/List',
    'tools/call/',
    'resources/list',
    'resources/read',
    'prompts/list',
    'logging/setLevel',
    'completion/complete',
    'sampling/createMessage',
    'elicitation/create',
    'roots/list',
    'tasks/get',
    'notifications/initialized',
    'rpc.discover',
    'x'.repeat(5_000),
  ])('there is no method %s', async (method) => {
    const status = era === 'legacy' ? 200 : 404
    const none = expectedRpcError(-32_601, 1, 'Method not found')
    expect(await house.request(era, method)).toEqual([status, none])
  })

  test.each([
    '',
    'constructor',
    '__proto__',
    'toString',
    'Pricing',
    'pricing ',
    'pricing\u0000',
    'pricing\r\nset-cookie: a=b',
    '\u202egnicirp',
    'x'.repeat(10_000),
    '<script>alert(1)</script>',
  ])('there is no tool %j, nor is its name repeated', async (name) => {
    expect(await house.callTool(era, name, {})).toEqual([
      200,
      expectedRpcError(-32_602, 1, NO_TOOL),
    ])
  })

  test.each([5, null, true, {}, ['pricing'], undefined])('a name is no %o', async (name) => {
    expect(await house.callTool(era, name, {})).toEqual([200, expectedRpcError(-32_602)])
  })

  test.each([null, [], ['acme.test'], 'acme.test', 5, true])(
    'arguments are no %o, be the tool free or paid',
    async (given) => {
      for (const name of [CHECK, 'pricing', 'email_fix_plan']) {
        expect(await house.callTool(era, name, given)).toEqual([200, expectedRpcError(-32_602)])
      }
    },
  )

  test('arguments that pricing does not know are ignored', async () => {
    const isPrices = expectedRpcResult(
      expect.objectContaining({ structuredContent: expect.anything() }),
    )
    expect(await house.callTool(era, 'pricing', { domain: 5 })).toEqual([200, isPrices])
  })
})
