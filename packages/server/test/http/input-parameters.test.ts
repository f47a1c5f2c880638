/** How the parameters of a request are read, the same on every endpoint. */

import { isPaid } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { createTestApp, LIVE_ENV } from '../support/test-app.js'

const ZONE = `
  acme.test.        MX  10 mx.acme.test.
  mx.acme.test.     A   192.0.2.1
  acme.test.        TXT "v=spf1 mx -all"
  _dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:d@acme.test"
  www.acme.test.    A   192.0.2.2
`
const dns = zoneDns(ZONE)
const app = createTestApp(dns, { env: { ...LIVE_ENV, RATE_LIMIT_PER_MINUTE: '1000' } })

async function get(path: string) {
  const response = await app.get(path)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const FREE = OPERATIONS.filter((operation) => !isPaid(operation))

describe.each(FREE)('$path', ({ path }) => {
  test('reports on the domain behind a www. name, and says what was asked', async () => {
    const url = encodeURIComponent('https://user@www.Acme.test:8443/x?y')
    const { status, body } = await get(`${path}?domain=${url}`)
    expect(status).toBe(200)
    expect(Object.entries(body).slice(0, 2)).toEqual([
      ['domain', 'acme.test'],
      ['requested', 'www.acme.test'],
    ])
  })

  test('reports on the name as given with exact=true', async () => {
    const { status, body } = await get(`${path}?domain=www.acme.test&exact=true`)
    expect([status, body.domain, 'requested' in body]).toEqual([200, 'www.acme.test', false])
  })

  test('names no other name for the domain itself', async () => {
    const { body } = await get(`${path}?domain=acme.test&exact=false`)
    expect([body.domain, 'requested' in body]).toEqual(['acme.test', false])
  })

  test.each([
    ['domain=acme.test&exact=1', 'exact', 'The parameter exact must be true or false.'],
    [
      'domain=acme.test&exact=true&exact=true',
      'exact',
      'You sent the parameter exact twice. Send it once.',
    ],
    [
      'domain=my+company',
      'domain',
      'The text contains a space. Enter one domain name, address, or URL without spaces.',
    ],
    [
      'domian=acme.test',
      'domain',
      'The parameter domain is missing. Did you mean domain instead of domian?',
    ],
    ['x=1', 'domain', 'The parameter domain is missing. Send a domain such as example.com.'],
  ])('?%s is rejected', async (query, parameter, detail) => {
    expect(await get(`${path}?${query}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', parameter, detail },
    })
  })
})

test('only the name that is checked is looked up', async () => {
  const own = zoneDns(ZONE)
  await createTestApp(own).get('/v1/check?domain=www.acme.test')
  expect(own.queries.filter((query) => query.includes('www.'))).toEqual([])
})

test('a www. name whose domain does not exist', async () => {
  expect(await get('/v1/spf?domain=www.nowhere.test')).toMatchObject({
    status: 404,
    body: { detail: 'nowhere.test doesn’t exist in DNS. Check the spelling.' },
  })
})

describe('selector', () => {
  test('/v1/dkim queries only that one', async () => {
    const own = zoneDns(ZONE)
    const path = '/v1/dkim?domain=acme.test&selector=mine._domainkey.acme.test.'
    const response = await createTestApp(own).get(path)
    expect(await response.json()).toMatchObject({ selectorsTried: ['mine'] })
    expect(own.queries.filter((query) => query.includes('_domainkey'))).toEqual([
      'TXT mine._domainkey.acme.test',
    ])
  })

  test('/v1/check queries it besides the usual ones', async () => {
    const { body } = await get('/v1/check?domain=acme.test&selector=mine')
    const { selectorsTried } = body.dkim as { selectorsTried: string[] }
    expect(selectorsTried).toEqual(expect.arrayContaining(['mine', 'google', 'default']))
  })

  test.each(['/v1/dkim', '/v1/check', '/v1/score'])('%s takes it once', async (path) => {
    expect(await get(`${path}?domain=acme.test&selector=a&selector=b`)).toMatchObject({
      status: 400,
      body: {
        parameter: 'selector',
        detail: 'You sent the parameter selector twice. Send it once.',
      },
    })
  })

  test('/v1/fix-plan takes it up to five times', async () => {
    const selectors = (count: number) => '&selector=a'.repeat(count)
    expect((await get(`/v1/fix-plan?domain=acme.test${selectors(5)}`)).status).toBe(402)
    expect(await get(`/v1/fix-plan?domain=acme.test${selectors(6)}`)).toMatchObject({
      status: 400,
      body: { parameter: 'selector', detail: 'There are too many selectors; send at most 5.' },
    })
  })

  test('is rejected before a payment is asked for, also without a domain', async () => {
    for (const query of ['domain=acme.test&selector=*', 'selector=*']) {
      expect(await get(`/v1/score?${query}`)).toMatchObject({
        status: 400,
        body: { parameter: 'selector' },
      })
    }
  })
})

describe('402 without the parameter', () => {
  const PRICE =
    'This report costs one US cent (0.01 USDC). Sign one of the offers in accepts and send it in PAYMENT-SIGNATURE.'

  test.each([
    ['/v1/score', 'domain', 'The parameter domain is missing. Send a domain such as example.com.'],
    [
      '/v1/score?Domain=acme.test',
      'domain',
      'The parameter domain is missing. Did you mean domain instead of Domain?',
    ],
    [
      '/v1/email-check?mail=ann@acme.test',
      'email',
      'The parameter email is missing. Did you mean email instead of mail?',
    ],
    [
      '/v1/email-check?domain=acme.test',
      'email',
      'The parameter email is missing. Send an email address such as ann@example.com, not a domain.',
    ],
  ])('%s says so before the price', async (path, parameter, missing) => {
    expect(await get(path)).toMatchObject({
      status: 402,
      body: { code: 'payment_required', parameter, detail: `${missing} ${PRICE}`, x402Version: 2 },
    })
  })

  test('says nothing more with the parameter', async () => {
    const { status, body } = await get('/v1/score?domain=acme.test')
    expect([status, body.detail, 'parameter' in body]).toEqual([402, PRICE, false])
  })
})
