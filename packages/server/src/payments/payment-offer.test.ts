import { createReportDns } from '@mailgrade/doh'
import { failed } from '@mailgrade/doh/dns'
import {
  type DiscoveryExtension,
  isValidServiceName,
  sanitizeTags,
  validateDiscoveryExtension,
} from '@x402/extensions/bazaar'
import { describe, expect, test } from 'vitest'
import { TEST_PAYEE, testTerms } from '../../test/support/payment-fixtures.js'
import { createDemoDns } from '../demo/demo-dns.js'
import { exampleResults } from '../discovery/example-results.js'
import { isPaid, type PaidOperation } from '../operations/operation.js'
import { OPERATIONS } from '../operations/operations.js'
import {
  createPaymentOffer,
  createPaymentOffers,
  httpResourceLocator,
  type PaidResource,
  toPaymentRequired,
} from './payment-offer.js'

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

const PAID = OPERATIONS.filter(isPaid)
/** Proxies and clients begin to refuse headers at 8,192; the payment comes back with an echo of it. */
const MAX_HEADER = 4_096

function setUp(exampleAnswer: (operation: PaidOperation) => Promise<object>) {
  return createPaymentOffers({
    terms: testTerms('eip155:8453'),
    locateResource: httpResourceLocator('https://mailgrade-with-a-long-name.example.org'),
    serviceName: 'Mailgrade',
    exampleAnswer,
  })
}

describe('the offer for each paid operation', async () => {
  const demo = createDemoDns({ query: async () => failed('unreachable', 'not a demo name') })
  const answers = await exampleResults(PAID, (subject) =>
    createReportDns(demo(subject), { deadlineMs: 5_000 }),
  )
  const offerFor = setUp(async ({ id }) => answers.get(id) ?? {})

  test('there is one at all', () => {
    expect(PAID.map(({ id }) => id)).toContain('score')
  })

  test.each(PAID)('$id stands at its address, at its price', async (operation) => {
    const { resource, requirements } = await offerFor(operation)
    expect(resource.url).toBe(`https://mailgrade-with-a-long-name.example.org${operation.path}`)
    expect(Number(requirements.amount)).toBe(Number(operation.price) * 1_000_000)
    expect(resource.description).toContain(operation.summary)
  })

  test.each(PAID)('$id can be listed in catalogues', async (operation) => {
    const { bazaar } = (await offerFor(operation)).extensions
    expect(validateDiscoveryExtension(bazaar as DiscoveryExtension)).toEqual({ valid: true })
    expect(bazaar).toMatchObject({ info: { input: { queryParams: operation.example } } })
  })

  test.each(PAID)('$id fits into a header', async (operation) => {
    const challenge = toPaymentRequired(await offerFor(operation), 'payment_already_used')
    expect(Buffer.from(JSON.stringify(challenge)).toString('base64').length).toBeLessThan(
      MAX_HEADER,
    )
  })
})

test('is made once, however many ask at the same time', async () => {
  let asked = 0
  const offerFor = setUp(async () => ({ asked: ++asked }))
  const [operation] = PAID
  if (!operation) throw new Error('nothing is sold')
  const offers = await Promise.all([offerFor(operation), offerFor(operation)])
  offers.push(await offerFor(operation))
  expect(new Set(offers).size).toBe(1)
  expect(asked).toBe(1)
})
