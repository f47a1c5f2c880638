/** What is no payment at all: 400, before anybody is asked about it. */
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

async function expectMalformed(shop: PaidService, header: string): Promise<void> {
  const { status, body, paymentRequired, settlement } = await shop.send(ACME_SCORE_PATH, header)
  expect([status, body.code]).toEqual([400, 'malformed_payment'])
  expect([paymentRequired, settlement, shop.reportCount(), shop.faults]).toEqual([
    null,
    null,
    0,
    [],
  ])
  expect([shop.facilitator.requests, shop.chain.methods]).toEqual([[], []])
  await expectNotCharged(shop)
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
    ['an object of nothing', encodeBase64Json({})],
    ['a payment of version 1', encodeBase64Json(v1)],
    ['a prototype', encodeBase64Json('{"__proto__":{"x402Version":2,"payload":{},"accepted":{}}}')],
    ['deeper than it should be', encodeBase64Json(`${'['.repeat(4_000)}${']'.repeat(4_000)}`)],
  ])('%s', async (_, header) => {
    await expectMalformed(await openPaidService('remote'), header)
  })

  test('with two payments in it, as proxies join them', async () => {
    const shop = await openPaidService('remote')
    const payment = await shop.sign()
    await expectMalformed(shop, `${payment}, ${payment}`)
    await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
  })
})

const PAYLOADS: [string, PaymentOverrides][] = [
  ['says another version', { payload: { x402Version: 1 } }],
  ['says its version in letters', { payload: { x402Version: '2' } }],
  ['says no version', { payload: { x402Version: undefined } }],
  ['accepts nothing', { payload: { accepted: undefined } }],
  ['has no payload', { payload: { payload: undefined } }],
  ['has no authorization', { payload: { payload: { signature: `0x${'ab'.repeat(65)}` } } }],
  ['has no signature', { signature: undefined }],
  ['has a signature that is not hexadecimal', { signature: `0x${'zz'.repeat(65)}` }],
  ['has a signature that is too short', { signature: '0xab' }],
  ['has half a byte too much', { signature: `0x${'ab'.repeat(65)}a` }],
  ['has a nonce of 31 bytes', { tampered: { nonce: `0x${'ab'.repeat(31)}` } }],
  ['has a nonce that is a number', { tampered: { nonce: 1 } }],
  ['has numbers for texts', { tampered: { value: 10_000, validAfter: 0, validBefore: 9e9 } }],
  ['has a value below nothing', { tampered: { value: '-10000' } }],
  ['has a value in hexadecimal', { tampered: { value: '0x2710' } }],
  ['has a value with a fraction', { tampered: { value: '10000.0' } }],
  ['has a time that no chain can hold', { tampered: { validBefore: '9'.repeat(78) } }],
  ['has a payer who is nobody', { tampered: { from: 'ann.eth' } }],
  ['has a payee who is nobody', { tampered: { to: '0x1' } }],
  ['names no network', { accepted: { network: 'base' } }],
  ['has a time limit in letters', { accepted: { maxTimeoutSeconds: '120' } }],
  ['has a resource that is a text', { payload: { resource: 'https://mailgrade.example' } }],
]

describe('a payment that', () => {
  test.each(PAYLOADS)('%s', async (_, overrides) => {
    const shop = await openPaidService('remote')
    await expectMalformed(shop, await shop.sign(overrides))
  })
})

test.each(['in-process', 'remote'] as const)(
  'names that mean something to JavaScript do nothing (%s)',
  async (kind) => {
    const shop = await openPaidService(kind)
    const { accepted, ...rest } = decodeBase64Json(await shop.sign())
    const extra = JSON.stringify(accepted.extra).replace('{', '{"__proto__":{"isAdmin":true},')
    const text = JSON.stringify({ ...rest, accepted: { ...accepted, extra: 0 } })
      .replace('"extra":0', `"extra":${extra}`)
      .replace('{', '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}},')
    await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, encodeBase64Json(text)))
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
  },
)

test('base64 as addresses have it, without padding, is read, too', async () => {
  const shop = await openPaidService('in-process')
  const payment = Buffer.from(await shop.sign(), 'base64').toString('base64url')
  await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
})
