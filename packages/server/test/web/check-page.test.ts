import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { createTestApp, LIVE_ENV } from '../support/test-app.js'

const ZONE = `
  acme.test.        MX 10 mx.acme.test.
  mx.acme.test.     A 192.0.2.1
  acme.test.        TXT "v=spf1 mx -all"
  _dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:d@acme.test"
`
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

const app = createTestApp(zoneDns(ZONE))
const getPage = (path: string) => app.get(path, BROWSER)

describe('content negotiation at /', () => {
  test.each([
    ['a browser', BROWSER.accept, 'text/html; charset=utf-8'],
    ['curl', '*/*', 'application/json'],
    ['a program', 'application/json', 'application/json'],
    ['a client that prefers JSON', 'text/html;q=0.5, application/json', 'application/json'],
    ['a client that refuses HTML', 'text/html;q=0, */*', 'application/json'],
  ])('%s gets the right type', async (_, accept, type) => {
    const response = await app.get('/', { accept })
    expect(response.headers.get('content-type')).toBe(type)
    expect(response.headers.get('vary')).toBe('Accept, Accept-Encoding')
  })

  test('returns JSON without an Accept header and ignores the domain', async () => {
    const response = await app.get('/?domain=acme.test')
    expect(await response.json()).toMatchObject({ name: 'Mailgrade' })
    expect(response.headers.get('ratelimit')).toBeNull()
  })
})

describe('the result page', () => {
  test('shows the domain and is not indexed', async () => {
    const response = await getPage('/?domain=ann@ACME.test')
    const html = await response.text()
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(html).toContain('<title>acme.test: fail · Mailgrade</title>')
    expect(html).toContain('<meta name="robots" content="noindex"/>')
    expect(html).toContain('Forged mail is rejected.')
  })

  test('counts as a free check; other pages do not', async () => {
    const limited = createTestApp(zoneDns(ZONE), {
      env: { ...LIVE_ENV, RATE_LIMIT_PER_MINUTE: '2' },
    })
    const getLimit = async (path: string) => {
      const response = await limited.get(path, BROWSER)
      return [response.status, response.headers.get('ratelimit')]
    }
    expect(await getLimit('/')).toEqual([200, null])
    expect(await getLimit('/?domain=acme.test')).toEqual([200, '"free";r=1;t=60'])
    expect(await getLimit('/v1/mx?domain=acme.test')).toEqual([200, '"free";r=0;t=60'])
    expect(await getLimit('/?domain=acme.test')).toEqual([429, '"free";r=0;t=60'])
    expect(await getLimit('/docs')).toEqual([200, null])
  })

  test.each([
    ['/?domain=nowhere.test', 404, 'nowhere.test does not exist in DNS. Check the spelling.'],
    ['/?domain=', 400, 'No domain was given. Enter a domain name, such as example.com.'],
    ['/?domain=a.test&domain=b.test', 400, 'twice'],
  ])('%s is a page with status %i', async (path, status, text) => {
    const response = await getPage(path)
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await response.text()).toContain(text)
  })

  test('returns 502 if DNS fails, and reports nothing as missing', async () => {
    const broken = createTestApp(zoneDns(ZONE, { 'TXT acme.test': 'servfail' }))
    const response = await broken.get('/?domain=acme.test', BROWSER)
    expect(response.status).toBe(502)
    const html = await response.text()
    expect(html).toContain('TXT acme.test could not be looked up')
    expect(html).not.toContain('No SPF record')
  })
})
