import { createReportDns } from '@mailgrade/doh'
import { failed } from '@mailgrade/doh/dns'
import { type DiscoveryExtension, validateDiscoveryExtension } from '@x402/extensions/bazaar'
import { describe, expect, test } from 'vitest'
import { testTerms } from '../../test/support/payment-fixtures.js'
import { createDemoDns } from '../demo/demo-dns.js'
import { exampleResults } from '../discovery/example-results.js'
import { isPaid, type PaidOperation } from '../operations/operation.js'
import { OPERATIONS } from '../operations/operations.js'
import { createPaymentOffers } from './offers.js'
import { toPaymentRequired } from './payment-offer.js'
import { httpResourceLocator } from './stalls.js'

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
