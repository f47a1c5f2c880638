import { createHash } from 'node:crypto'
import { anyCharacter } from '@mailgrade/testing/any-character'
import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type PayloadChanges,
  TEST_NOW_SECONDS,
  TEST_OFFER,
  unsignedPayload,
  unsignedPayment,
} from '../../test/support/payment-fixtures.js'
import { decodePaymentHeader, parsePayment } from './payment.js'

const FROM = '0x857b06519E91e3A54538791bDbb0E22373e36b66'
const NONCE = `0x${'5c'.repeat(32)}`
const base64 = (text: string) => Buffer.from(text).toString('base64')

test('parses the payer, the times and the identifiers', () => {
  expect(parsePayment(unsignedPayload())).toEqual({
    id: createHash('sha256')
      .update(
        `eip155:8453 0x833589fcd6edb6e08f4c7c32d4f71b54bda02913 ${FROM.toLowerCase()} ${NONCE}`,
      )
      .digest('base64url'),
    fingerprint: expect.stringMatching(/^[\w-]{43}$/),
    payer: FROM,
    signature: `0x${'ab'.repeat(65)}`,
    validAfter: TEST_NOW_SECONDS - 600,
    validBefore: TEST_NOW_SECONDS + 120,
    authorization: unsignedPayload().payload.authorization,
    payload: unsignedPayload(),
  })
})

test('treats null like a missing field', () => {
  const { resource, extensions, ...bare } = unsignedPayload()
  const expected = { ...bare, resource: undefined, extensions: undefined }
  expect(parsePayment(bare)?.payload).toEqual(expected)
  expect(parsePayment({ ...bare, resource: null, extensions: null })?.payload).toEqual(expected)
  const { extra, ...accepted } = bare.accepted
  expect(parsePayment({ ...bare, accepted })?.payload.accepted.extra).toEqual({})
})

test('passes the echoed resource and extensions to the facilitator for catalogs', () => {
  const top = {
    resource: { ...TEST_OFFER.resource, iconUrl: 'https://mailgrade.example/icon.png' },
    extensions: { bazaar: { info: { input: { type: 'http' } } } },
  }
  expect(unsignedPayment({ top }).payload).toMatchObject(top)
})

test('accepts the longer signatures of contract wallets', () => {
  for (const bytes of [65, 66, 4_000]) {
    const signature = `0x${'ab'.repeat(bytes)}`
    expect(unsignedPayment({ signature }).payload.payload).toMatchObject({ signature })
  }
})

describe('rejects as malformed', () => {
  const cases: [string, PayloadChanges][] = [
    ['version 1', { top: { x402Version: 1 } }],
    ['a version in quotes', { top: { x402Version: '2' } }],
    ['a resource without a URL', { top: { resource: {} } }],
    ['a resource that is text', { top: { resource: 'https://mailgrade.example' } }],
    ['extensions as a list', { top: { extensions: [] } }],
    ['no terms', { top: { accepted: undefined } }],
    ['no payload', { top: { payload: undefined } }],
    ['a Permit2 payload', { top: { payload: { signature: '0x', permit2Authorization: {} } } }],
    ['a network that is not a CAIP-2 id', { accepted: { network: 'base' } }],
    ['an amount that is a number', { accepted: { amount: 10_000 } }],
    ['a time limit in quotes', { accepted: { maxTimeoutSeconds: '120' } }],
    ['extra as text', { accepted: { extra: 'USDC' } }],
    ['a payer with 39 digits', { authorization: { from: FROM.slice(0, -1) } }],
    ['a payer without 0x', { authorization: { from: FROM.slice(2) } }],
    ['a payee that is a name', { authorization: { to: 'mailgrade.eth' } }],
    ['a value with a sign', { authorization: { value: '-10000' } }],
    ['a value in hexadecimal', { authorization: { value: '0x2710' } }],
    ['a value that is a number', { authorization: { value: 10_000 } }],
    ['a value with a fraction', { authorization: { value: '1.5' } }],
    ['a value beyond 256 bits', { authorization: { value: '9'.repeat(79) } }],
    ['an empty validAfter', { authorization: { validAfter: '' } }],
    ['a validBefore in words', { authorization: { validBefore: 'tomorrow' } }],
    ['a nonce of 31 bytes', { authorization: { nonce: NONCE.slice(0, -2) } }],
    ['a nonce of 33 bytes', { authorization: { nonce: `${NONCE}5c` } }],
    ['a signature of 64 bytes', { signature: `0x${'ab'.repeat(64)}` }],
    ['a signature with half a byte', { signature: `0x${'ab'.repeat(65)}a` }],
    ['a signature that is too long', { signature: `0x${'ab'.repeat(4_001)}` }],
    ['a line end after the nonce', { authorization: { nonce: `${NONCE}\n` } }],
  ]
  test.each(cases)('%s', (_, changes) => {
    expect(parsePayment(unsignedPayload(changes))).toBeNull()
  })

  test('values that are not objects', () => {
    for (const value of [null, undefined, 'x', 2, [], [unsignedPayload()]]) {
      expect(parsePayment(value)).toBeNull()
    }
  })
})

describe('the payment id', () => {
  const { id, fingerprint } = unsignedPayment()

  test('ignores the case of addresses', () => {
    const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`
    const shouted = unsignedPayment({
      accepted: { asset: TEST_OFFER.requirements.asset.toLowerCase() },
      authorization: { from: upper(FROM), nonce: upper(NONCE) },
      signature: `0x${'AB'.repeat(65)}`,
    })
    expect([shouted.id, shouted.fingerprint]).toEqual([id, fingerprint])
  })

  test('ignores signature, value, times and payee, which change the fingerprint', () => {
    const others = [
      unsignedPayment({ signature: `0x${'ac'.repeat(65)}` }),
      unsignedPayment({ authorization: { value: '10001' } }),
      unsignedPayment({ authorization: { validBefore: String(TEST_NOW_SECONDS + 121) } }),
      unsignedPayment({ authorization: { to: FROM } }),
    ]
    expect(others.map((other) => other.id)).toEqual(others.map(() => id))
    expect(new Set([fingerprint, ...others.map((other) => other.fingerprint)]).size).toBe(5)
  })

  test('depends on nonce, payer, token and network', () => {
    const others = [
      unsignedPayment({ authorization: { nonce: `0x${'5d'.repeat(32)}` } }),
      unsignedPayment({ authorization: { from: TEST_OFFER.requirements.payTo } }),
      unsignedPayment({ accepted: { asset: FROM } }),
      unsignedPayment({ accepted: { network: 'eip155:84532' } }),
    ]
    expect(new Set([id, ...others.map((other) => other.id)]).size).toBe(5)
  })
})

describe('the PAYMENT-SIGNATURE header', () => {
  const json = JSON.stringify({ name: 'Zoë>?', list: [1] })

  test('is base64 or base64url of JSON, with or without padding', () => {
    const standard = base64(json)
    expect(standard).toMatch(/[+/].*=$/)
    for (const header of [
      standard,
      standard.replace(/=+$/, ''),
      Buffer.from(json).toString('base64url'),
    ]) {
      expect(decodePaymentHeader(header)).toEqual({ name: 'Zoë>?', list: [1] })
    }
  })

  test.each([
    ['an empty value', ''],
    ['plain JSON', json],
    ['base64 of other text', base64('x402')],
    ['two joined headers', `${base64(json)}, ${base64(json)}`],
    ['only padding', '=='],
    ['too much padding', `${base64('{}').replace(/=+$/, '')}===`],
  ])('is null for %s', (_, header) => {
    expect(decodePaymentHeader(header)).toBeNull()
  })
})

describe('never throws', () => {
  test('for any JSON value, also in place of a field', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => void parsePayment(value)),
      { numRuns: propertyRuns(100) },
    )
    const place = fc.constantFrom('top', 'accepted', 'authorization')
    const field = fc.constantFrom(
      ...Object.keys({
        ...unsignedPayload(),
        ...TEST_OFFER.requirements,
        from: 0,
        nonce: 0,
        value: 0,
      }),
    )
    fc.assert(
      fc.property(place, field, fc.jsonValue(), (where, name, value) => {
        void parsePayment(unsignedPayload({ [where]: { [name]: value } }))
      }),
      { numRuns: propertyRuns(100) },
    )
  })

  test('for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => void decodePaymentHeader(text)),
      { numRuns: propertyRuns(100) },
    )
    fc.assert(
      fc.property(fc.string(), (text) => void parsePayment(decodePaymentHeader(base64(text)))),
      { numRuns: propertyRuns(100) },
    )
  })

  test('and returns the JSON unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        expect(decodePaymentHeader(base64(text))).toEqual(JSON.parse(text))
      }),
      { numRuns: propertyRuns(100) },
    )
  })
})
