import { describe, expect, test } from 'vitest'
import { TEST_OFFER } from '../../test/support/payment-fixtures.js'
import {
  DISCONNECT_REPLY,
  HANG_REPLY,
  SCRIPTED_PAYMENT,
  type ScriptedReply,
  startScriptedFacilitator as start,
} from '../../test/support/scripted-facilitator.js'

const NETWORK = 'eip155:8453'
const invalid = (invalidReason?: unknown) => ({ isValid: false, invalidReason })
const failure = (errorReason?: unknown, transaction = '') => ({
  success: false,
  errorReason,
  transaction,
  network: NETWORK,
})
const success = { success: true, transaction: '0xt', network: NETWORK, payer: '0xp' }

const OPEN_REASONS = [
  'settlement_pending',
  'unexpected_verify_error',
  'unexpected_settle_error',
  'unknown_error',
  'Internal Server Error',
  'settle_timeout',
]
/** Not a verdict, whatever the status. */
const NO_ANSWERS: [string, ScriptedReply][] = [
  ['500', [500, { error: 'oops' }]],
  [
    '500 with a verdict',
    [500, { ...invalid('insufficient_funds'), ...failure('insufficient_funds') }],
  ],
  ['503 in HTML', [503, '<html>']],
  ['429', [429, { error: 'slow down' }]],
  ['401', [401, { error: 'unauthorized' }]],
  ['404 in HTML', [404, '<html>']],
  ['garbage', [200, '{"isValid":']],
  ['another shape', [200, { valid: true }]],
  ['no body', [200, '']],
  ['a broken connection', DISCONNECT_REPLY],
  ['a hang', HANG_REPLY],
]

describe('verify', () => {
  const unavailable = { kind: 'unavailable', cause: expect.any(String) }

  test('sends the payment as it came, and what it is to be checked against', async () => {
    const { verify, asked, bodies } = await start([200, { isValid: true, payer: '0xp' }])
    expect(await verify()).toEqual({ kind: 'valid' })
    expect(asked).toEqual(['POST /x402/verify'])
    expect(bodies).toEqual([
      {
        x402Version: 2,
        paymentPayload: SCRIPTED_PAYMENT.payload,
        paymentRequirements: TEST_OFFER.requirements,
      },
    ])
  })

  test.each([200, 400, 402, 412])('a verdict with status %i is one, and final', async (status) => {
    const { verify, asked } = await start([status, invalid('insufficient_funds')])
    expect(await verify()).toEqual({ kind: 'invalid', reason: 'insufficient_funds' })
    expect(asked).toHaveLength(1)
  })

  test('a foreign reason is not passed on', async () => {
    const { verify } = await start([200, invalid('call 0xdeadbeef to https://rpc.example/key')])
    expect(await verify()).toEqual({ kind: 'invalid', reason: 'payment_refused' })
  })

  test.each(NO_ANSWERS)('%s is no verdict, and is asked about once more', async (_, reply) => {
    const { verify, asked } = await start(reply)
    expect(await verify()).toEqual(unavailable)
    expect(asked).toEqual(['POST /x402/verify', 'POST /x402/verify'])
  })

  test.each(NO_ANSWERS)('%s, and then a verdict, is that verdict', async (_, reply) => {
    const { verify, asked } = await start(reply, [200, { isValid: true }])
    expect(await verify()).toEqual({ kind: 'valid' })
    expect(asked).toHaveLength(2)
  })

  test.each(OPEN_REASONS)('%s is no verdict', async (reason) => {
    for (const status of [200, 400]) {
      const { verify, asked } = await start([status, invalid(reason)])
      expect(await verify()).toEqual(unavailable)
      expect(asked).toHaveLength(2)
    }
  })

  test('a reason that is no text is no verdict', async () => {
    const { verify } = await start([400, invalid({ code: 42 })])
    expect(await verify()).toEqual(unavailable)
  })

  test('a closed port is no verdict', async () => {
    const { verify, stop } = await start(HANG_REPLY)
    stop()
    expect(await verify()).toEqual(unavailable)
  })
})

describe('settle', () => {
  const unknown = { kind: 'unknown', cause: expect.any(String) }

  test('sends the payment as it came, and names the transaction', async () => {
    const { settle, asked, bodies } = await start([200, success])
    expect(await settle()).toEqual({ kind: 'settled', transaction: '0xt' })
    expect(asked).toEqual(['POST /x402/settle'])
    expect(bodies).toMatchObject([{ x402Version: 2, paymentPayload: SCRIPTED_PAYMENT.payload }])
  })

  test.each([200, 400, 402])('a refusal with status %i is one', async (status) => {
    const { settle, asked } = await start([status, failure('invalid_exact_evm_nonce_already_used')])
    expect(await settle()).toEqual({ kind: 'rejected', reason: 'payment_already_used' })
    expect(asked).toHaveLength(1)
  })

  test.each(NO_ANSWERS)('%s leaves it open, and is not asked about again', async (_, reply) => {
    const { settle, asked } = await start(reply, [200, success])
    expect(await settle()).toEqual(unknown)
    expect(asked).toEqual(['POST /x402/settle'])
  })

  test.each(OPEN_REASONS)('%s leaves it open', async (reason) => {
    for (const status of [200, 400]) {
      const { settle } = await start([status, failure(reason, '0xpending')])
      expect(await settle()).toEqual(unknown)
    }
  })

  test.each([undefined, null, '', 42, { code: 42 }])(
    '%j for a reason leaves it open',
    async (reason) => {
      for (const status of [200, 400]) {
        const { settle } = await start([status, failure(reason)])
        expect(await settle()).toEqual(unknown)
      }
    },
  )

  test('a closed port leaves it open: who knows what closed when', async () => {
    const { settle, stop } = await start(HANG_REPLY)
    stop()
    expect(await settle()).toEqual(unknown)
  })

  test('its cause holds nothing of what was said', async () => {
    const { settle } = await start([500, { ...failure('0xsecret'), errorMessage: '0xsecret' }])
    expect(await settle()).toEqual({ kind: 'unknown', cause: 'SettleError' })
  })
})

describe('its complaint', () => {
  const kind = { x402Version: 2, scheme: 'exact', network: NETWORK }
  const unserved = `the facilitator does not settle exact payments on ${NETWORK}`
  test.each<[string, ScriptedReply, string | null]>([
    [
      'none when it settles what we sell',
      [200, { kinds: [{ ...kind, network: 'a:b' }, kind] }],
      null,
    ],
    ['another network', [200, { kinds: [{ ...kind, network: 'eip155:84532' }] }], unserved],
    ['another scheme', [200, { kinds: [{ ...kind, scheme: 'upto' }] }], unserved],
    ['version 1', [200, { kinds: [{ ...kind, x402Version: 1 }] }], unserved],
    ['nothing at all', [200, { kinds: [] }], unserved],
    ['garbage', [200, '<html>'], 'the facilitator does not answer'],
    ['500', [500, {}], 'the facilitator does not answer'],
    ['a hang', HANG_REPLY, 'the facilitator does not answer'],
  ])('%s', async (_, reply, expected) => {
    const { complaint, asked } = await start(reply)
    expect(await complaint()).toBe(expected)
    expect(asked).toEqual(['GET /x402/supported'])
  })
})
