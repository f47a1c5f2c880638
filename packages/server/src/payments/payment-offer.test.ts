import { isValidServiceName, sanitizeTags } from '@x402/extensions/bazaar'
import { describe, expect, test } from 'vitest'
import { TEST_PAYEE, testTerms } from '../../test/support/payment-fixtures.js'
import { createPaymentOffer, type PaidResource, toPaymentRequired } from './payment-offer.js'

const goods: PaidResource = {
  url: 'https://mailgrade.example/v1/score',
  description: 'A score.',
  price: '0.01',
  serviceName: 'Mailgrade',
  extensions: { bazaar: { info: {} } },
}
const BASE = testTerms('eip155:8453')
const resourceOf = (changes: Partial<PaidResource>) =>
  createPaymentOffer({ ...goods, ...changes }, BASE).resource
const serviceNameOf = (serviceName: string) => resourceOf({ serviceName }).serviceName ?? ''
const amountOf = (price: string) =>
  createPaymentOffer({ ...goods, price }, BASE).requirements.amount

describe('what is to be signed', () => {
  test('on Base', () => {
    expect(createPaymentOffer(goods, BASE)).toEqual({
      resource: {
        url: 'https://mailgrade.example/v1/score',
        description: 'A score.',
        mimeType: 'application/json',
        serviceName: 'Mailgrade',
        tags: ['email', 'dns', 'spf', 'dkim', 'dmarc'],
      },
      requirements: {
        scheme: 'exact',
        network: 'eip155:8453',
        asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        amount: '10000',
        payTo: TEST_PAYEE,
        maxTimeoutSeconds: 120,
        extra: { name: 'USD Coin', version: '2' },
      },
      extensions: { bazaar: { info: {} } },
    })
  })

  test('on its test network, whose token has another name', () => {
    expect(createPaymentOffer(goods, testTerms('eip155:84532')).requirements).toEqual({
      scheme: 'exact',
      network: 'eip155:84532',
      asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
      amount: '10000',
      payTo: TEST_PAYEE,
      maxTimeoutSeconds: 120,
      extra: { name: 'USDC', version: '2' },
    })
  })

  test('is the price in units of the token, exactly', () => {
    expect(['0.01', '1', '0.000001', '4.35', '1234567.89'].map(amountOf)).toEqual([
      '10000',
      '1000000',
      '1',
      '4350000',
      '1234567890000',
    ])
  })
})

test('as a challenge it says why, and what would help', () => {
  const offer = createPaymentOffer(goods, BASE)
  expect(toPaymentRequired(offer, 'expired')).toEqual({
    x402Version: 2,
    error: 'expired',
    resource: offer.resource,
    accepts: [offer.requirements],
    extensions: offer.extensions,
  })
})

describe('what facilitators would refuse is cut to what they take', () => {
  test('a description beyond 500 characters', () => {
    expect(resourceOf({ description: 'd'.repeat(500) }).description).toBe('d'.repeat(500))
    expect(resourceOf({ description: 'd'.repeat(501) }).description).toBe(`${'d'.repeat(497)}...`)
    const sentences = `One. Two point 5. ${'d'.repeat(500)}.`
    expect(resourceOf({ description: sentences }).description).toBe('One. Two point 5.')
  })

  test('a service name beyond 32 characters', () => {
    expect(serviceNameOf('n'.repeat(32))).toBe('n'.repeat(32))
    expect(serviceNameOf('n'.repeat(33))).toBe(`${'n'.repeat(29)}...`)
  })

  test('letters of a service name that are not ASCII', () => {
    expect(serviceNameOf('Mailgräde\n✉ 2')).toBe('Mailgrde 2')
  })

  test.each(['Mailgrade', 'n'.repeat(100), 'Mailgräde ✉'])(
    '%s passes the official check',
    (name) => {
      expect(isValidServiceName(serviceNameOf(name))).toBe(true)
    },
  )

  test('the tags pass the official check', () => {
    const { tags } = resourceOf({})
    expect(sanitizeTags(tags)).toEqual(tags)
  })
})
