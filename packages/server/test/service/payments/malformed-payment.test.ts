/** Malformed payments: 400, without a call to the facilitator. */
import { describe, expect, test } from 'vitest'
import {
  ACME_SCORE_PATH,
  expectDelivered,
  expectNotCharged,
  openPaidService,
  type PaidService,
} from '../../support/paid-service.js'
import {
  decodeBase64Json,
  encodeBase64Json,
  type PaymentOverrides,
} from '../../support/test-payer.js'

async function expectMalformed(service: PaidService, header: string): Promise<void> {
  const { status, body, paymentRequired, settlement } = await service.send(ACME_SCORE_PATH, header)
  expect([status, body.code]).toEqual([400, 'malformed_payment'])
  expect([paymentRequired, settlement, service.reportCount(), service.faults]).toEqual([
    null,
    null,
    0,
    [],
  ])
  expect([service.facilitator.requests, service.chain.methods]).toEqual([[], []])
  await expectNotCharged(service)
}

const v1 = {
  x402Version: 1,
  scheme: 'exact',
  network: 'base',
  payload: { signature: `0x${'ab'.repeat(65)}`, authorization: {} },
}

describe('a header', () => {
  test.each([
    ['empty', ''],
    ['not base64', 'no payment!'],
    ['JSON, not base64', '{"x402Version":2}'],
    ['base64 of something else', encodeBase64Json('no payment')],
    ['base64 of half a payment', encodeBase64Json('{"x402Version":2,')],
    ['an array', encodeBase64Json([1, 2])],
    ['null', encodeBase64Json('null')],
    ['a number', encodeBase64Json('2')],
    ['an empty object', encodeBase64Json({})],
    ['a payment of version 1', encodeBase64Json(v1)],
    [
      'a __proto__ key',
      encodeBase64Json('{"__proto__":{"x402Version":2,"payload":{},"accepted":{}}}'),
    ],
    ['deep nesting', encodeBase64Json(`${'['.repeat(4_000)}${']'.repeat(4_000)}`)],
  ])('%s', async (_, header) => {
    await expectMalformed(await openPaidService('remote'), header)
  })

  test('with two payments, joined like by a proxy', async () => {
    const service = await openPaidService('remote')
    const payment = await service.sign()
    await expectMalformed(service, `${payment}, ${payment}`)
    await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
  })
})

const PAYLOADS: [string, PaymentOverrides][] = [
  ['has another version', { payload: { x402Version: 1 } }],
  ['has its version as a string', { payload: { x402Version: '2' } }],
  ['has no version', { payload: { x402Version: undefined } }],
  ['has no accepted terms', { payload: { accepted: undefined } }],
  ['has no payload', { payload: { payload: undefined } }],
  ['has no authorization', { payload: { payload: { signature: `0x${'ab'.repeat(65)}` } } }],
  ['has no signature', { signature: undefined }],
  ['has a signature that is not hexadecimal', { signature: `0x${'zz'.repeat(65)}` }],
  ['has a signature that is too short', { signature: '0xab' }],
  ['has a signature with half a byte too much', { signature: `0x${'ab'.repeat(65)}a` }],
  ['has a nonce of 31 bytes', { tampered: { nonce: `0x${'ab'.repeat(31)}` } }],
  ['has a nonce that is a number', { tampered: { nonce: 1 } }],
  [
    'has numbers instead of strings',
    { tampered: { value: 10_000, validAfter: 0, validBefore: 9e9 } },
  ],
  ['has a negative value', { tampered: { value: '-10000' } }],
  ['has a value in hexadecimal', { tampered: { value: '0x2710' } }],
  ['has a value with a fraction', { tampered: { value: '10000.0' } }],
  ['has a time above 256 bits', { tampered: { validBefore: '9'.repeat(78) } }],
  ['has a payer that is not an address', { tampered: { from: 'ann.eth' } }],
  ['has a payee that is not an address', { tampered: { to: '0x1' } }],
  ['has an invalid network', { accepted: { network: 'base' } }],
  ['has a time limit as a string', { accepted: { maxTimeoutSeconds: '120' } }],
  ['has a resource that is a string', { payload: { resource: 'https://mailgrade.example' } }],
]

describe('a payment that', () => {
  test.each(PAYLOADS)('%s', async (_, overrides) => {
    const service = await openPaidService('remote')
    await expectMalformed(service, await service.sign(overrides))
  })
})

test.each(['in-process', 'remote'] as const)(
  'ignores keys that are special in JavaScript (%s)',
  async (kind) => {
    const service = await openPaidService(kind)
    const { accepted, ...rest } = decodeBase64Json(await service.sign())
    const extra = JSON.stringify(accepted.extra).replace('{', '{"__proto__":{"isAdmin":true},')
    const text = JSON.stringify({ ...rest, accepted: { ...accepted, extra: 0 } })
      .replace('"extra":0', `"extra":${extra}`)
      .replace('{', '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}},')
    await expectDelivered(service, await service.send(ACME_SCORE_PATH, encodeBase64Json(text)))
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
  },
)

test('accepts base64url without padding', async () => {
  const service = await openPaidService('in-process')
  const payment = Buffer.from(await service.sign(), 'base64').toString('base64url')
  await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
})
