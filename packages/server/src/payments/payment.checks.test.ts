import { describe, expect, test } from 'vitest'
import {
  type PayloadChanges,
  TEST_NOW_SECONDS,
  TEST_OFFER,
  TEST_PAYEE,
  testOffer,
  unsignedPayment,
} from '../../test/support/payment-fixtures.js'
import { checkPaymentTerms, checkValidityWindow } from './payment.js'
import type { PaymentErrorReason } from './payment-problems.js'

const OTHER_ADDRESS = `0x${'9'.repeat(40)}`
const check = (changes: PayloadChanges, offer = TEST_OFFER) =>
  checkPaymentTerms(unsignedPayment(changes), offer)
const paidFor = (url: string) => check({ top: { resource: { url } } })

test('accepts a payment that repeats the offer', () => {
  expect(check({})).toBeNull()
})

describe('rejects another', () => {
  test.each<[string, PayloadChanges, PaymentErrorReason]>([
    ['scheme', { accepted: { scheme: 'upto' } }, 'wrong_scheme'],
    ['network', { accepted: { network: 'eip155:84532' } }, 'wrong_network'],
    ['token', { accepted: { asset: OTHER_ADDRESS } }, 'wrong_asset'],
    ['price', { accepted: { amount: '1' } }, 'wrong_amount'],
    ['payee', { accepted: { payTo: OTHER_ADDRESS } }, 'wrong_payee'],
    ['time limit', { accepted: { maxTimeoutSeconds: 121 } }, 'wrong_terms'],
    ['token name', { accepted: { extra: { name: 'USDC', version: '2' } } }, 'wrong_terms'],
    ['token version', { accepted: { extra: { name: 'USD Coin', version: 2 } } }, 'wrong_terms'],
    ['payee under the signature', { authorization: { to: OTHER_ADDRESS } }, 'wrong_payee'],
    ['lower value under the signature', { authorization: { value: '9999' } }, 'wrong_amount'],
    ['higher value under the signature', { authorization: { value: '10001' } }, 'wrong_amount'],
  ])('%s with its own reason', (_, changes, reason) => {
    expect(check(changes)).toBe(reason)
  })

  test('of several differences, names the first', () => {
    const accepted = { network: 'eip155:1', amount: '1', payTo: OTHER_ADDRESS }
    expect(check({ accepted })).toBe('wrong_network')
  })

  test('network even if the rest of its offer is valid', () => {
    expect(check({ accepted: { ...testOffer('eip155:84532').requirements } })).toBe('wrong_network')
  })
})

describe('ignores', () => {
  test('the case of addresses', () => {
    expect(
      check({
        accepted: {
          asset: TEST_OFFER.requirements.asset.toUpperCase(),
          payTo: TEST_PAYEE.toLowerCase(),
        },
        authorization: { to: TEST_PAYEE.toLowerCase() },
      }),
    ).toBeNull()
  })

  test('additions to extra, but not omissions', () => {
    const { extra } = TEST_OFFER.requirements
    expect(check({ accepted: { extra: { ...extra, wallet: ['any'] } } })).toBeNull()
    expect(check({ accepted: { extra: { name: 'USD Coin' } } })).toBe('wrong_terms')
    expect(check({ accepted: { extra: {} } })).toBe('wrong_terms')
    expect(check({ accepted: { extra: undefined } })).toBe('wrong_terms')
  })

  test('deeply nested additions to extra', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`)
    expect(check({ accepted: { extra: { ...TEST_OFFER.requirements.extra, deep } } })).toBeNull()
  })
})

describe('the resource', () => {
  test('with another path is rejected', () => {
    expect(paidFor('https://mailgrade.example/v1/fix-plan')).toBe('wrong_resource')
    expect(paidFor('https://mailgrade.example/v1/score/')).toBe('wrong_resource')
    expect(paidFor('https://mailgrade.example/')).toBe('wrong_resource')
    expect(paidFor('/v1/score')).toBe('wrong_resource')
    expect(paidFor('')).toBe('wrong_resource')
  })

  test('may have another host, a query or an unnormalized path', () => {
    expect(paidFor('http://localhost:3000/v1/score')).toBeNull()
    expect(paidFor('https://mailgrade.example/v1/score?domain=acme.test#top')).toBeNull()
    expect(paidFor('https://mailgrade.example/v1/mx/../score')).toBeNull()
  })

  test('may be left out', () => {
    expect(check({ top: { resource: undefined } })).toBeNull()
    expect(check({ top: { resource: null } })).toBeNull()
  })
})

describe('the validity window', () => {
  const windowOf = (validAfter: number, validBefore: number) =>
    checkValidityWindow(
      unsignedPayment({
        authorization: { validAfter: String(validAfter), validBefore: String(validBefore) },
      }),
      TEST_NOW_SECONDS,
    )

  test('must leave six seconds to settle', () => {
    expect(windowOf(0, TEST_NOW_SECONDS + 6)).toBeNull()
    expect(windowOf(0, TEST_NOW_SECONDS + 5)).toBe('expired')
    expect(
      checkValidityWindow(
        unsignedPayment({ authorization: { validBefore: String(TEST_NOW_SECONDS + 6) } }),
        TEST_NOW_SECONDS + 0.001,
      ),
    ).toBe('expired')
  })

  test('must have begun', () => {
    expect(windowOf(TEST_NOW_SECONDS - 1, TEST_NOW_SECONDS + 120)).toBeNull()
    expect(windowOf(TEST_NOW_SECONDS, TEST_NOW_SECONDS + 120)).toBe('not_yet_valid')
  })

  test('that ends before it begins is expired', () => {
    expect(windowOf(TEST_NOW_SECONDS + 10, TEST_NOW_SECONDS - 10)).toBe('expired')
  })

  test('is an hour at most', () => {
    expect(windowOf(0, TEST_NOW_SECONDS + 3_600)).toBeNull()
    expect(windowOf(0, TEST_NOW_SECONDS + 3_601)).toBe('valid_too_long')
    const endless = unsignedPayment({ authorization: { validBefore: String(2n ** 256n - 1n) } })
    expect(checkValidityWindow(endless, TEST_NOW_SECONDS)).toBe('valid_too_long')
  })
})
