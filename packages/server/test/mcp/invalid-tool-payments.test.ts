/** Malformed payments: rejected by paid tools, ignored by free tools. */
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

const service = createMcpServiceUnderTest()
afterEach(() => {
  service.app.paymentOutcomes.length = 0
  expectNoSideEffects(service)
})

const PAYMENT = 'x402/payment'
const PAID: [string, object][] = [
  ['email_security_score', { domain: 'acme.test' }],
  ['check_email_address', { email: 'ann@acme.test' }],
  ['email_fix_plan', { domain: 'acme.test' }],
]
const MALFORMED = expectedProblemResult(
  'malformed_payment',
  'The payment isn’t an x402 version 2 payload with an EIP-3009 authorization. You weren’t charged. Put the payload itself, as an object and not in base64, into params._meta["x402/payment"].',
)
const priceResult = (error: string) =>
  expectedRpcResult(
    expect.objectContaining({
      isError: true,
      structuredContent: expect.objectContaining({ x402Version: 2, error }),
    }),
  )

/** Parsed from text, so that what only text can say arrives. */
function callWith(era: ProtocolEra, name: string, input: object, payment: string) {
  const meta = JSON.stringify({ ...(era === 'modern' && REQUEST_META), [PAYMENT]: 0 })
  const params = JSON.stringify({ name, arguments: input, _meta: 0 })
    .replace('"_meta":0', `"_meta":${meta}`)
    .replace(`"${PAYMENT}":0`, `"${PAYMENT}":${payment}`)
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`
  return service.send(body, headersForEra(era, 'tools/call', { name }))
}

const MALFORMED_PAYMENTS: [string, string][] = [
  ['null', 'null'],
  ['a number', '2'],
  ['a boolean', 'true'],
  ['a string', '"paid"'],
  ['base64', JSON.stringify(btoa(JSON.stringify(unsignedPayload())))],
  ['an array', '[]'],
  ['an array of one payment', JSON.stringify([unsignedPayload()])],
  ['an empty object', '{}'],
  ['a prototype', `{"__proto__":${JSON.stringify(unsignedPayload())}}`],
  ['an x402 version 1 payment', JSON.stringify(unsignedPayload({ top: { x402Version: 1 } }))],
  ['nested arrays', nestedJson(50)],
  ['nested objects', nestedJson(50, '{"a":', '}')],
  ['60 KB of text', JSON.stringify('x'.repeat(60_000))],
  ['900 members', JSON.stringify(Object.fromEntries(Array(900).entries()))],
]

describe.each(PROTOCOL_ERAS)('%s', (era) => {
  describe.each(MALFORMED_PAYMENTS)('%s as a payment', (_, payment) => {
    test.each(PAID)('is rejected by %s', async (name, input) => {
      expect(await callWith(era, name, input, payment)).toEqual([200, MALFORMED])
      expect(service.app.paymentOutcomes).toEqual(['malformed_payment'])
    })

    test('does not hide invalid input', async () => {
      const detail = 'The parameter domain isn’t text. Send a domain such as example.com.'
      const reply = await callWith(era, 'email_fix_plan', { domain: 5 }, payment)
      expect([reply, service.app.paymentOutcomes]).toEqual([
        [200, expectedProblemResult('invalid_input', detail)],
        [],
      ])
    })

    test('does not hide an unknown argument', async () => {
      const detail = 'There’s no argument domian. Did you mean domain?'
      const reply = await callWith(era, 'email_fix_plan', { domian: 'acme.test' }, payment)
      expect([reply, service.app.paymentOutcomes]).toEqual([
        [200, expectedProblemResult('invalid_input', detail)],
        [],
      ])
    })

    test('is ignored by a free tool', async () => {
      const free = expectedRpcResult(expect.not.objectContaining({ isError: true }))
      expect(await callWith(era, 'pricing', {}, payment)).toEqual([200, free])
      expect(service.app.paymentOutcomes).toEqual([])
    })
  })

  test.each([
    ['wrong_amount', unsignedPayload()],
    ['wrong_network', unsignedPayload({ accepted: { network: 'eip155:1' } })],
    ['wrong_scheme', unsignedPayload({ accepted: { scheme: '__proto__' } })],
  ])('rejects a payment that does not match the offer: %s', async (reason, payment) => {
    const input = { domain: 'acme.test' }
    const reply = await service.callTool(era, 'email_fix_plan', input, { [PAYMENT]: payment })
    expect([reply, service.app.paymentOutcomes]).toEqual([[200, priceResult(reason)], [reason]])
  })

  test.each([
    { 'X402/PAYMENT': unsignedPayload() },
    { payment: unsignedPayload() },
    { 'x402/payment-response': { success: true } },
    { 'x402/paid': true, 'com.evil/free': true, progressToken: 'x' },
  ])('returns the price for the _meta %o', async (meta) => {
    const input = { domain: 'acme.test' }
    const reply = await service.callTool(era, 'email_security_score', input, meta)
    expect([reply, service.app.paymentOutcomes]).toEqual([
      [200, priceResult('payment_required')],
      [],
    ])
  })

  test.each([PAYMENT, '_meta'])('takes no payment from the argument %s', async (argument) => {
    const input = { domain: 'acme.test', [argument]: unsignedPayload() }
    const reply = await service.callTool(era, 'email_security_score', input)
    const problem = expectedProblemResult('invalid_input', expect.stringMatching(/^There’s no /))
    expect([reply, service.app.paymentOutcomes]).toEqual([[200, problem], []])
  })

  test('ignores a payment in a header', async () => {
    const name = 'email_security_score'
    const params = {
      name,
      arguments: { domain: 'acme.test' },
      ...(era === 'modern' && { _meta: REQUEST_META }),
    }
    const reply = await service.send(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      { ...headersForEra(era, 'tools/call', { name }), 'payment-signature': btoa('{}') },
    )
    expect([reply, service.app.paymentOutcomes]).toEqual([
      [200, priceResult('payment_required')],
      [],
    ])
  })
})

test.each([nestedJson(30_000), nestedJson(10_000, '{"a":', '}')])(
  'rejects a payment nested beyond the limit: %#',
  async (payment) => {
    const [, [name, input]] = PAID as [unknown, [string, object]]
    const detail = 'The message has more than 1000 values or 64 levels.'
    for (const era of PROTOCOL_ERAS) {
      const reply = await callWith(era, name, input, payment)
      expect(reply).toEqual([400, expectedRpcError(-32_600, 1, detail)])
    }
  },
)

test.each([5, null, [], 'x'])('rejects a legacy message with the _meta %o', async (meta) => {
  const params = { name: 'email_security_score', arguments: { domain: 'acme.test' }, _meta: meta }
  const [status, reply] = await service.request('legacy', 'tools/call', params)
  expect([status, reply]).toMatchObject([400, { error: { code: -32_600 } }])
})
