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
const HASH = `0x${'aB'.repeat(32)}`
const success = { success: true, transaction: HASH, network: NETWORK, payer: '0xp' }

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

/** The payment claims to be for something else; only what its payer signed may be passed on. */
const OUR_BODY = {
  x402Version: 2,
  paymentPayload: {
    x402Version: 2,
    resource: TEST_OFFER.resource,
    accepted: TEST_OFFER.requirements,
    payload: SCRIPTED_PAYMENT.payload.payload,
    extensions: TEST_OFFER.extensions,
  },
  paymentRequirements: TEST_OFFER.requirements,
}

describe('verify', () => {
  const unavailable = { kind: 'unavailable', cause: expect.any(String) }

  test('sends what was signed, with the rest of our own offer', async () => {
    const { verify, requests, bodies } = await start([200, { isValid: true, payer: '0xp' }])
    expect(await verify()).toEqual({ kind: 'valid' })
    expect(requests).toEqual(['POST /x402/verify'])
    expect(bodies).toEqual([OUR_BODY])
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

/** What facilitators and nodes say although the transaction was, or may have been, mined. */
const REFUSALS: [string, ScriptedReply][] = [
  ['error', [200, failure('error')]],
  ['an empty reason', [200, failure('')]],
  ['no reason', [200, failure()]],
  ['context deadline exceeded', [200, failure('context deadline exceeded')]],
  ['nonce too low', [200, failure('nonce too low')]],
  ['already known', [200, failure('already known')]],
  ['replacement transaction underpriced', [200, failure('replacement transaction underpriced')]],
  ['insufficient funds for gas', [200, failure('insufficient funds for gas * price + value')]],
  ['transaction_failed', [200, failure('transaction_failed')]],
  ['transaction_failed with a hash', [200, failure('transaction_failed', HASH)]],
  ['invalid_transaction_state', [400, failure('invalid_transaction_state')]],
  ['settlement_pending with a hash', [200, failure('settlement_pending', HASH)]],
  ['execution reverted', [400, failure('execution reverted')]],
  ['a nonce that was used', [402, failure('invalid_exact_evm_nonce_already_used')]],
  ['insufficient_funds', [402, failure('insufficient_funds')]],
  ['expired', [400, failure('invalid_exact_evm_payload_authorization_valid_before')]],
  ['409', [409, failure('duplicate_settlement')]],
  ['429', [429, failure('rate_limited')]],
  ['success with status 500', [500, success]],
]

describe('settle', () => {
  const unclear = {
    kind: 'sent',
    isClaimedPaid: false,
    transaction: null,
    cause: expect.any(String),
  }

  test('sends the same, and returns the transaction as a claim', async () => {
    const { settle, requests, bodies } = await start([200, success])
    expect(await settle()).toEqual({
      kind: 'sent',
      isClaimedPaid: true,
      transaction: HASH,
      cause: 'not seen on the chain',
    })
    expect(requests).toEqual(['POST /x402/settle'])
    expect(bodies).toEqual([OUR_BODY])
  })

  test.each(REFUSALS)('may have been sent, and is not retried, after %s', async (_, reply) => {
    const { settle, requests } = await start(reply, [200, success])
    const claim = await settle()
    expect(claim).toMatchObject({ kind: 'sent', isClaimedPaid: false })
    expect(requests).toEqual(['POST /x402/settle'])
  })

  test.each(AMBIGUOUS_REPLIES)(
    'may have been sent, and is not retried, after %s',
    async (_, reply) => {
      const { settle, requests } = await start(reply, [200, success])
      expect(await settle()).toEqual(unclear)
      expect(requests).toEqual(['POST /x402/settle'])
    },
  )

  test.each(AMBIGUOUS_REASONS)('may have been sent for the reason %s', async (reason) => {
    for (const status of [200, 400]) {
      const { settle } = await start([status, failure(reason)])
      expect(await settle()).toEqual(unclear)
    }
  })

  test.each([undefined, null, '', 42, { code: 42 }])(
    'may have been sent for the malformed reason %j',
    async (reason) => {
      for (const status of [200, 400]) {
        const { settle } = await start([status, failure(reason)])
        expect(await settle()).toEqual(unclear)
      }
    },
  )

  test('returns the hash of a transaction that did not pay, to look it up', async () => {
    const { settle } = await start([200, failure('transaction_failed', HASH)])
    expect(await settle()).toEqual({ ...unclear, transaction: HASH })
  })

  test.each<[string, unknown]>([
    ['20 KB', `0x${'a'.repeat(20_000)}`],
    ['31 bytes', `0x${'a'.repeat(62)}`],
    ['33 bytes', `0x${'a'.repeat(66)}`],
    ['no prefix', 'a'.repeat(64)],
    ['other characters', `0x${'g'.repeat(64)}`],
    ['a line end', `0x${'a'.repeat(64)}\n`],
    ['an empty string', ''],
    ['a number', 42],
    ['an object', { hash: HASH }],
    ['null', null],
    ['nothing', undefined],
  ])('ignores a transaction that is not a 32-byte hash: %s', async (_, transaction) => {
    const { settle } = await start([200, { ...success, transaction }])
    expect(await settle()).toEqual({ ...unclear, isClaimedPaid: true })
  })

  test('may have been sent if the port is closed', async () => {
    const { settle, stop } = await start(HANG_REPLY)
    stop()
    expect(await settle()).toEqual({ ...unclear, cause: 'ECONNREFUSED' })
  })

  test('the cause does not contain the response', async () => {
    const { settle } = await start([500, { ...failure('0xsecret'), errorMessage: '0xsecret' }])
    expect(await settle()).toEqual({ ...unclear, cause: 'payment_refused' })
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
