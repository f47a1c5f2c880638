import { createReportDns } from '@mailgrade/doh'
import { failed } from '@mailgrade/doh/dns'
import { isPaid, type PaidOperation } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
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
import {
  createPaymentOffer,
  createPaymentOffers,
  httpResourceLocator,
  type PaidResource,
  toPaymentRequired,
} from './payment-offer.js'

const RESOURCE: PaidResource = {
  url: 'https://mailgrade.example/v1/score',
  description: 'A score.',
  price: '0.01',
  serviceName: 'Mailgrade',
  iconUrl: 'https://mailgrade.example/favicon.svg',
  extensions: { bazaar: { info: {} } },
}
const BASE = testTerms('eip155:8453')
const resourceOf = (changes: Partial<PaidResource>) =>
  createPaymentOffer({ ...RESOURCE, ...changes }, BASE).resource
const serviceNameOf = (serviceName: string) => resourceOf({ serviceName }).serviceName ?? ''
const amountOf = (price: string) =>
  createPaymentOffer({ ...RESOURCE, price }, BASE).requirements.amount

describe('payment requirements', () => {
  test('for Base', () => {
    expect(createPaymentOffer(RESOURCE, BASE)).toEqual({
      resource: {
        url: 'https://mailgrade.example/v1/score',
        description: 'A score.',
        mimeType: 'application/json',
        serviceName: 'Mailgrade',
        tags: ['email', 'dns', 'spf', 'dkim', 'dmarc'],
        iconUrl: 'https://mailgrade.example/favicon.svg',
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

  test('for Base Sepolia, whose token has another name', () => {
    expect(createPaymentOffer(RESOURCE, testTerms('eip155:84532')).requirements).toEqual({
      scheme: 'exact',
      network: 'eip155:84532',
      asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
      amount: '10000',
      payTo: TEST_PAYEE,
      maxTimeoutSeconds: 120,
      extra: { name: 'USDC', version: '2' },
    })
  })

  test('convert the price to token units exactly', () => {
    expect(['0.01', '1', '0.000001', '4.35', '1234567.89'].map(amountOf)).toEqual([
      '10000',
      '1000000',
      '1',
      '4350000',
      '1234567890000',
    ])
  })
})

test('PaymentRequired contains the reason and the offer', () => {
  const offer = createPaymentOffer(RESOURCE, BASE)
  expect(toPaymentRequired(offer, 'expired')).toEqual({
    x402Version: 2,
    error: 'expired',
    resource: offer.resource,
    accepts: [offer.requirements],
    extensions: offer.extensions,
  })
})

describe('fits the limits of facilitators', () => {
  test('truncates a description after 400 characters', () => {
    expect(resourceOf({ description: 'd'.repeat(400) }).description).toBe('d'.repeat(400))
    expect(resourceOf({ description: 'd'.repeat(401) }).description).toBe(`${'d'.repeat(397)}...`)
    const sentences = `One. Two point 5. ${'d'.repeat(400)}.`
    expect(resourceOf({ description: sentences }).description).toBe('One. Two point 5.')
  })

  test('truncates a service name after 32 characters', () => {
    expect(serviceNameOf('n'.repeat(32))).toBe('n'.repeat(32))
    expect(serviceNameOf('n'.repeat(33))).toBe(`${'n'.repeat(29)}...`)
  })

  test('removes non-ASCII characters from a service name', () => {
    expect(serviceNameOf('Mailgräde\n✉ 2')).toBe('Mailgrde 2')
  })

  test.each(['Mailgrade', 'n'.repeat(100), 'Mailgräde ✉'])(
    'the service name %s passes the official check',
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
/** Some proxies and clients reject headers above 8,192, and the payment echoes this one. */
const MAX_HEADER = 4_096

function setUp(exampleResult: (operation: PaidOperation) => Promise<object>) {
  return createPaymentOffers({
    terms: testTerms('eip155:8453'),
    locateResource: httpResourceLocator('https://mailgrade-with-a-long-name.example.org'),
    serviceName: 'Mailgrade',
    iconUrl: 'https://mailgrade-with-a-long-name.example.org/favicon.svg',
    exampleResult,
  })
}

test('an offer that could not be created is created again', async () => {
  const [operation] = PAID
  if (!operation) throw new Error('no operation is paid')
  let calls = 0
  const getOffer = setUp(async () => {
    if (++calls === 1) throw new Error('not now')
    return {}
  })
  await expect(getOffer(operation)).rejects.toThrow('not now')
  expect((await getOffer(operation)).resource.mimeType).toBe('application/json')
  expect(await getOffer(operation)).toBe(await getOffer(operation))
  expect(calls).toBe(2)
})

describe('the offer for each paid operation', async () => {
  const demo = createDemoDns({ query: async () => failed('unreachable', 'not a demo name') })
  const results = await exampleResults(PAID, (subject) =>
    createReportDns(demo(subject), { deadlineMs: 600_000 }),
  )
  const getOffer = setUp(async ({ id }) => results.get(id) ?? {})

  test('there is at least one', () => {
    expect(PAID.map(({ id }) => id)).toContain('score')
  })

  test.each(PAID)('$id has its URL and its price', async (operation) => {
    const { resource, requirements } = await getOffer(operation)
    expect(resource.url).toBe(`https://mailgrade-with-a-long-name.example.org${operation.path}`)
    expect(Number(requirements.amount)).toBe(Number(operation.price) * 1_000_000)
    expect(resource.description).toContain(operation.summary)
  })

  test.each(PAID)('$id can be listed in catalogs', async (operation) => {
    const { bazaar } = (await getOffer(operation)).extensions
    expect(validateDiscoveryExtension(bazaar as DiscoveryExtension)).toEqual({ valid: true })
    expect(bazaar).toMatchObject({ info: { input: { queryParams: operation.example } } })
  })

  test.each(PAID)('$id fits into a header', async (operation) => {
    const paymentRequired = toPaymentRequired(await getOffer(operation), 'payment_already_used')
    expect(Buffer.from(JSON.stringify(paymentRequired)).toString('base64').length).toBeLessThan(
      MAX_HEADER,
    )
  })
})

test('creates an offer once for concurrent requests', async () => {
  let examples = 0
  const getOffer = setUp(async () => ({ examples: ++examples }))
  const [operation] = PAID
  if (!operation) throw new Error('no paid operation')
  const offers = await Promise.all([getOffer(operation), getOffer(operation)])
  offers.push(await getOffer(operation))
  expect(new Set(offers).size).toBe(1)
  expect(examples).toBe(1)
})
