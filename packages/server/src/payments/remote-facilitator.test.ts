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

const AMBIGUOUS_REASONS = [
  'settlement_pending',
  'unexpected_verify_error',
  'unexpected_settle_error',
  'unknown_error',
  'Internal Server Error',
  'settle_timeout',
]
/** Ambiguous, whatever the status. */
const AMBIGUOUS_REPLIES: [string, ScriptedReply][] = [
  ['500', [500, { error: 'oops' }]],
  [
    '500 with a result',
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

  test('sends the payment unchanged with the requirements', async () => {
    const { verify, requests, bodies } = await start([200, { isValid: true, payer: '0xp' }])
    expect(await verify()).toEqual({ kind: 'valid' })
    expect(requests).toEqual(['POST /x402/verify'])
    expect(bodies).toEqual([
      {
        x402Version: 2,
        paymentPayload: SCRIPTED_PAYMENT.payload,
        paymentRequirements: TEST_OFFER.requirements,
      },
    ])
  })

  test.each([200, 400, 402, 412])(
    'accepts an invalid result with status %i without a retry',
    async (status) => {
      const { verify, requests } = await start([status, invalid('insufficient_funds')])
      expect(await verify()).toEqual({ kind: 'invalid', reason: 'insufficient_funds' })
      expect(requests).toHaveLength(1)
    },
  )

  test('does not pass on unknown reasons', async () => {
    const { verify } = await start([200, invalid('call 0xdeadbeef to https://rpc.example/key')])
    expect(await verify()).toEqual({ kind: 'invalid', reason: 'payment_refused' })
  })

  test.each(AMBIGUOUS_REPLIES)('retries once after %s', async (_, reply) => {
    const { verify, requests } = await start(reply)
    expect(await verify()).toEqual(unavailable)
    expect(requests).toEqual(['POST /x402/verify', 'POST /x402/verify'])
  })

  test.each(AMBIGUOUS_REPLIES)('returns the result of the retry after %s', async (_, reply) => {
    const { verify, requests } = await start(reply, [200, { isValid: true }])
    expect(await verify()).toEqual({ kind: 'valid' })
    expect(requests).toHaveLength(2)
  })

  test.each(AMBIGUOUS_REASONS)('is unavailable for the reason %s', async (reason) => {
    for (const status of [200, 400]) {
      const { verify, requests } = await start([status, invalid(reason)])
      expect(await verify()).toEqual(unavailable)
      expect(requests).toHaveLength(2)
    }
  })

  test('is unavailable if the reason is not a string', async () => {
    const { verify } = await start([400, invalid({ code: 42 })])
    expect(await verify()).toEqual(unavailable)
  })

  test('is unavailable if the port is closed', async () => {
    const { verify, stop } = await start(HANG_REPLY)
    stop()
    expect(await verify()).toEqual(unavailable)
  })
})

describe('settle', () => {
  const unknown = { kind: 'unknown', cause: expect.any(String) }

  test('sends the payment unchanged and returns the transaction', async () => {
    const { settle, requests, bodies } = await start([200, success])
    expect(await settle()).toEqual({ kind: 'settled', transaction: '0xt' })
    expect(requests).toEqual(['POST /x402/settle'])
    expect(bodies).toMatchObject([{ x402Version: 2, paymentPayload: SCRIPTED_PAYMENT.payload }])
  })

  test.each([200, 400, 402])('accepts a rejection with status %i', async (status) => {
    const { settle, requests } = await start([
      status,
      failure('invalid_exact_evm_nonce_already_used'),
    ])
    expect(await settle()).toEqual({ kind: 'rejected', reason: 'payment_already_used' })
    expect(requests).toHaveLength(1)
  })

  test.each(AMBIGUOUS_REPLIES)('is unknown and not retried after %s', async (_, reply) => {
    const { settle, requests } = await start(reply, [200, success])
    expect(await settle()).toEqual(unknown)
    expect(requests).toEqual(['POST /x402/settle'])
  })

  test.each(AMBIGUOUS_REASONS)('is unknown for the reason %s', async (reason) => {
    for (const status of [200, 400]) {
      const { settle } = await start([status, failure(reason, '0xpending')])
      expect(await settle()).toEqual(unknown)
    }
  })

  test.each([undefined, null, '', 42, { code: 42 }])(
    'is unknown for the malformed reason %j',
    async (reason) => {
      for (const status of [200, 400]) {
        const { settle } = await start([status, failure(reason)])
        expect(await settle()).toEqual(unknown)
      }
    },
  )

  test('is unknown if the port is closed', async () => {
    const { settle, stop } = await start(HANG_REPLY)
    stop()
    expect(await settle()).toEqual(unknown)
  })

  test('the cause does not contain the response', async () => {
    const { settle } = await start([500, { ...failure('0xsecret'), errorMessage: '0xsecret' }])
    expect(await settle()).toEqual({ kind: 'unknown', cause: 'SettleError' })
  })
})

describe('healthProblem', () => {
  const kind = { x402Version: 2, scheme: 'exact', network: NETWORK }
  const unsupported = `the facilitator does not settle exact payments on ${NETWORK}`
  test.each<[string, ScriptedReply, string | null]>([
    [
      'is null if our kind is supported',
      [200, { kinds: [{ ...kind, network: 'a:b' }, kind] }],
      null,
    ],
    ['another network', [200, { kinds: [{ ...kind, network: 'eip155:84532' }] }], unsupported],
    ['another scheme', [200, { kinds: [{ ...kind, scheme: 'upto' }] }], unsupported],
    ['version 1', [200, { kinds: [{ ...kind, x402Version: 1 }] }], unsupported],
    ['nothing at all', [200, { kinds: [] }], unsupported],
    ['garbage', [200, '<html>'], 'the facilitator does not answer'],
    ['500', [500, {}], 'the facilitator does not answer'],
    ['a hang', HANG_REPLY, 'the facilitator does not answer'],
  ])('%s', async (_, reply, expected) => {
    const { healthProblem, requests } = await start(reply)
    expect(await healthProblem()).toBe(expected)
    expect(requests).toEqual(['GET /x402/supported'])
  })
})
