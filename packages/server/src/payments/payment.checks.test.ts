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

const STRANGER = `0x${'9'.repeat(40)}`
const judge = (changes: PayloadChanges, offer = TEST_OFFER) =>
  checkPaymentTerms(unsignedPayment(changes), offer)
const paidFor = (url: string) => judge({ top: { resource: { url } } })

test('a payment that repeats the offer keeps to it', () => {
  expect(judge({})).toBeNull()
})

describe('another', () => {
  test.each<[string, PayloadChanges, PaymentErrorReason]>([
    ['scheme', { accepted: { scheme: 'upto' } }, 'wrong_scheme'],
    ['network', { accepted: { network: 'eip155:84532' } }, 'wrong_network'],
    ['token', { accepted: { asset: STRANGER } }, 'wrong_asset'],
    ['price', { accepted: { amount: '1' } }, 'wrong_amount'],
    ['payee', { accepted: { payTo: STRANGER } }, 'wrong_payee'],
    ['time limit', { accepted: { maxTimeoutSeconds: 121 } }, 'wrong_terms'],
    ['token name', { accepted: { extra: { name: 'USDC', version: '2' } } }, 'wrong_terms'],
    ['token version', { accepted: { extra: { name: 'USD Coin', version: 2 } } }, 'wrong_terms'],
    ['payee under the signature', { authorization: { to: STRANGER } }, 'wrong_payee'],
    ['lower value under the signature', { authorization: { value: '9999' } }, 'wrong_amount'],
    ['higher value under the signature', { authorization: { value: '10001' } }, 'wrong_amount'],
  ])('%s is named', (_, changes, reason) => {
    expect(judge(changes)).toBe(reason)
  })

  test('of several, the first is named', () => {
    const accepted = { network: 'eip155:1', amount: '1', payTo: STRANGER }
    expect(judge({ accepted })).toBe('wrong_network')
  })

  test('network’s whole offer is still the wrong network', () => {
    expect(judge({ accepted: { ...testOffer('eip155:84532').requirements } })).toBe('wrong_network')
  })
})

describe('what does not matter', () => {
  test('the case of addresses', () => {
    expect(
      judge({
        accepted: {
          asset: TEST_OFFER.requirements.asset.toUpperCase(),
          payTo: TEST_PAYEE.toLowerCase(),
        },
        authorization: { to: TEST_PAYEE.toLowerCase() },
      }),
    ).toBeNull()
  })

  test('what a client adds to extra, but not what it leaves out', () => {
    const { extra } = TEST_OFFER.requirements
    expect(judge({ accepted: { extra: { ...extra, wallet: ['any'] } } })).toBeNull()
    expect(judge({ accepted: { extra: { name: 'USD Coin' } } })).toBe('wrong_terms')
    expect(judge({ accepted: { extra: {} } })).toBe('wrong_terms')
    expect(judge({ accepted: { extra: undefined } })).toBe('wrong_terms')
  })

  test('how deep that is: what a client adds is not looked at', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`)
    expect(judge({ accepted: { extra: { ...TEST_OFFER.requirements.extra, deep } } })).toBeNull()
  })
})

describe('the resource', () => {
  test('of another path is another one', () => {
    expect(paidFor('https://mailgrade.example/v1/fix-plan')).toBe('wrong_resource')
    expect(paidFor('https://mailgrade.example/v1/score/')).toBe('wrong_resource')
    expect(paidFor('https://mailgrade.example/')).toBe('wrong_resource')
    expect(paidFor('/v1/score')).toBe('wrong_resource')
    expect(paidFor('')).toBe('wrong_resource')
  })

  test('is the same under another name of ours, with a query, or written another way', () => {
    expect(paidFor('http://localhost:3000/v1/score')).toBeNull()
    expect(paidFor('https://mailgrade.example/v1/score?domain=acme.test#top')).toBeNull()
    expect(paidFor('https://mailgrade.example/v1/mx/../score')).toBeNull()
  })

  test('need not be named', () => {
    expect(judge({ top: { resource: undefined } })).toBeNull()
    expect(judge({ top: { resource: null } })).toBeNull()
  })
})

describe('the window', () => {
  const windowOf = (validAfter: number, validBefore: number) =>
    checkValidityWindow(
      unsignedPayment({
        authorization: { validAfter: String(validAfter), validBefore: String(validBefore) },
      }),
      TEST_NOW_SECONDS,
    )

  test('leaves six seconds to settle, to the second', () => {
    expect(windowOf(0, TEST_NOW_SECONDS + 6)).toBeNull()
    expect(windowOf(0, TEST_NOW_SECONDS + 5)).toBe('expired')
    expect(
      checkValidityWindow(
        unsignedPayment({ authorization: { validBefore: String(TEST_NOW_SECONDS + 6) } }),
        TEST_NOW_SECONDS + 0.001,
      ),
    ).toBe('expired')
  })

  test('has begun, to the second', () => {
    expect(windowOf(TEST_NOW_SECONDS - 1, TEST_NOW_SECONDS + 120)).toBeNull()
    expect(windowOf(TEST_NOW_SECONDS, TEST_NOW_SECONDS + 120)).toBe('not_yet_valid')
  })

  test('that is over before it begins is over', () => {
    expect(windowOf(TEST_NOW_SECONDS + 10, TEST_NOW_SECONDS - 10)).toBe('expired')
  })

  test('may last for ever', () => {
    expect(windowOf(0, Number.MAX_SAFE_INTEGER)).toBeNull()
    const endless = unsignedPayment({ authorization: { validBefore: String(2n ** 256n - 1n) } })
    expect(checkValidityWindow(endless, TEST_NOW_SECONDS)).toBeNull()
  })
})
