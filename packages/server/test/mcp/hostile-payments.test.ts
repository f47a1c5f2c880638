/** What is no payment, and what comes beside one: never a sale, and on free tools never of note. */
import { afterEach, describe, expect, test } from 'vitest'
import { REQUEST_META } from '../support/mcp-message.js'
import {
  createMcpServiceUnderTest,
  expectedProblemResult,
  expectedRpcError,
  expectedRpcResult,
  expectNoSideEffects,
  headersForEra,
  nestedJson,
  PROTOCOL_ERAS,
  type ProtocolEra,
} from '../support/mcp-service-under-test.js'
import { unsignedPayload } from '../support/payment-fixtures.js'

const house = createMcpServiceUnderTest()
afterEach(() => {
  house.app.paymentOutcomes.length = 0
  expectNoSideEffects(house)
})

const PAYMENT = 'x402/payment'
const PAID: [string, object][] = [
  ['email_security_score', { domain: 'acme.test' }],
  ['check_email_address', { email: 'ann@acme.test' }],
  ['email_fix_plan', { domain: 'acme.test' }],
]
const NO_PAYMENT = expectedProblemResult(
  'malformed_payment',
  'The payment is not an x402 version 2 payload with an EIP-3009 authorization. Put the payload itself, as an object and not in base64, into params._meta["x402/payment"].',
)
const asked = (error: string) =>
  expectedRpcResult(
    expect.objectContaining({
      isError: true,
      structuredContent: expect.objectContaining({ x402Version: 2, error }),
    }),
  )

/** Parsed from text, so that what only text can say arrives. */
function callWith(era: ProtocolEra, name: string, given: object, payment: string) {
  const meta = JSON.stringify({ ...(era === 'modern' && REQUEST_META), [PAYMENT]: 0 })
  const params = JSON.stringify({ name, arguments: given, _meta: 0 })
    .replace('"_meta":0', `"_meta":${meta}`)
    .replace(`"${PAYMENT}":0`, `"${PAYMENT}":${payment}`)
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`
  return house.send(body, headersForEra(era, 'tools/call', { name }))
}

const NONSENSE: [string, string][] = [
  ['null', 'null'],
  ['a number', '2'],
  ['a boolean', 'true'],
  ['a text', '"paid"'],
  ['base64', JSON.stringify(btoa(JSON.stringify(unsignedPayload())))],
  ['an array', '[]'],
  ['an array of one payment', JSON.stringify([unsignedPayload()])],
  ['an object of nothing', '{}'],
  ['a prototype', `{"__proto__":${JSON.stringify(unsignedPayload())}}`],
  ['a payment of version 1', JSON.stringify(unsignedPayload({ top: { x402Version: 1 } }))],
  ['arrays in one another', nestedJson(50)],
  ['objects in one another', nestedJson(50, '{"a":', '}')],
  ['60 KB of nothing', JSON.stringify('x'.repeat(60_000))],
  ['900 members', JSON.stringify(Object.fromEntries(Array(900).entries()))],
]

describe.each(PROTOCOL_ERAS)('%s', (era) => {
  describe.each(NONSENSE)('%s', (_, payment) => {
    test.each(PAID)('pays for no %s', async (name, given) => {
      expect(await callWith(era, name, given, payment)).toEqual([200, NO_PAYMENT])
      expect(house.app.paymentOutcomes).toEqual(['malformed_payment'])
    })

    test('buys no answer to what cannot be used', async () => {
      const words = 'The parameter domain is not text. Send a domain such as example.com.'
      const answer = await callWith(era, 'email_fix_plan', { domain: 5 }, payment)
      expect([answer, house.app.paymentOutcomes]).toEqual([
        [200, expectedProblemResult('invalid_input', words)],
        [],
      ])
    })

    test('is not looked at where nothing is sold', async () => {
      const free = expectedRpcResult(expect.not.objectContaining({ isError: true }))
      expect(await callWith(era, 'pricing', {}, payment)).toEqual([200, free])
      expect(house.app.paymentOutcomes).toEqual([])
    })
  })

  test.each([
    ['wrong_amount', unsignedPayload()],
    ['wrong_network', unsignedPayload({ accepted: { network: 'eip155:1' } })],
    ['wrong_scheme', unsignedPayload({ accepted: { scheme: '__proto__' } })],
  ])('a payment that does not keep to the offer: %s', async (reason, payment) => {
    const given = { domain: 'acme.test' }
    const answer = await house.callTool(era, 'email_fix_plan', given, { [PAYMENT]: payment })
    expect([answer, house.app.paymentOutcomes]).toEqual([[200, asked(reason)], [reason]])
  })

  test.each([
    { 'X402/PAYMENT': unsignedPayload() },
    { payment: unsignedPayload() },
    { 'x402/payment-response': { success: true } },
    { 'x402/paid': true, 'com.evil/free': true, progressToken: 'x' },
  ])('%o is no payment either: the answer is the price', async (meta) => {
    const given = { domain: 'acme.test' }
    const answer = await house.callTool(era, 'email_security_score', given, meta)
    expect([answer, house.app.paymentOutcomes]).toEqual([[200, asked('payment_required')], []])
  })

  test('a payment stands beside the arguments, not among them, and in no header', async () => {
    const given = {
      domain: 'acme.test',
      [PAYMENT]: unsignedPayload(),
      _meta: { [PAYMENT]: unsignedPayload() },
    }
    const name = 'email_security_score'
    const params = { name, arguments: given, ...(era === 'modern' && { _meta: REQUEST_META }) }
    const answer = await house.send(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      { ...headersForEra(era, 'tools/call', { name }), 'payment-signature': btoa('{}') },
    )
    expect([answer, house.app.paymentOutcomes]).toEqual([[200, asked('payment_required')], []])
  })
})

test.each([nestedJson(30_000), nestedJson(10_000, '{"a":', '}')])(
  'what is nested without end is not looked at: %#',
  async (payment) => {
    const [, [name, given]] = PAID as [unknown, [string, object]]
    const words = 'The message has more than 1000 values or 64 levels.'
    for (const era of PROTOCOL_ERAS) {
      const answer = await callWith(era, name, given, payment)
      expect(answer).toEqual([400, expectedRpcError(-32_600, 1, words)])
    }
  },
)

test.each([5, null, [], 'x'])('a legacy _meta of %o makes no message', async (meta) => {
  const params = { name: 'email_security_score', arguments: { domain: 'acme.test' }, _meta: meta }
  const [status, answer] = await house.request('legacy', 'tools/call', params)
  expect([status, answer]).toMatchObject([400, { error: { code: -32_600 } }])
})
