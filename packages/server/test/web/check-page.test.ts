import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { createTestApp, LIVE_ENV } from '../support/test-app.js'

const ZONE = `
  acme.test.        MX 10 mx.acme.test.
  mx.acme.test.     A 192.0.2.1
  acme.test.        TXT "v=spf1 mx -all"
  _dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:d@acme.test"
`
const KEY =
  'mine-2019._domainkey.acme.test. TXT "v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="'
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
    expect(html).toContain('<title>Is acme.test safe from forged email? · Mailgrade</title>')
    expect(html).toContain('<meta name="robots" content="noindex"/>')
    expect(html).toContain(
      '<h1 id="verdict">Forged mail is refused, but your own mail is at risk.</h1>',
    )
    expect(html).toContain(
      '<meta property="og:image" content="https://mailgrade.example/share/acme.test.png"/>',
    )
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
    ['/?domain=nowhere.test', 404, 'nowhere.test doesn’t exist in DNS. Check the spelling.'],
    [
      '/?domain=nowhere.test',
      404,
      'If the domain is new, it can take up to a day to show up in DNS.',
    ],
    [
      '/?domain=acme%2Ctest&selector=s1',
      400,
      '<a class="suggestion" href="/?domain=acme.test&amp;selector=s1">Check acme.test instead</a>',
    ],
    ['/?domain=', 400, 'The domain is missing. Enter one, such as example.com.'],
    ['/?domain=a.test&domain=b.test', 400, 'twice'],
    [
      '/?domain=my+company',
      400,
      'The text contains a space. Enter one domain name, address, or URL',
    ],
    ['/?domain=acme.test&selector=*', 400, 'This isn’t a DKIM selector.'],
    ['/?domain=acme.test&selector=*', 400, '<h1>That isn’t a DKIM selector</h1>'],
    ['/?domain=my+company', 400, '<h1>That isn’t a domain we can check</h1>'],
    ['/?domain=acme.test&exact=maybe', 400, 'The parameter exact must be true or false.'],
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
    expect(html).toContain('We couldn’t look up TXT acme.test')
    expect(html).not.toContain('No SPF record')
  })
})

describe('the form', () => {
  test('is filled again with what was entered', async () => {
    const html = await (await getPage('/?domain=my+company&selector=s1')).text()
    expect(html).toContain('name="domain" value="my company"')
    expect(html).toContain('name="selector" value="s1"')
    expect(html).toContain('<details class="options" open=""')
  })

  test('may leave the selector empty', async () => {
    const response = await getPage('/?domain=acme.test&selector=')
    const html = await response.text()
    expect(response.status).toBe(200)
    expect(html).toContain('<details class="options" data-screen')
    expect(html).toContain('<a href="/?domain=acme.test" data-check-again')
  })

  test('asks for a selector, and links keep it', async () => {
    const withKey = createTestApp(zoneDns(ZONE + KEY))
    const html = await (await withKey.get('/?domain=acme.test&selector=mine-2019', BROWSER)).text()
    expect(html).toContain('mine-2019._domainkey.acme.test')
    expect(html).toContain('href="/v1/check?domain=acme.test&amp;selector=mine-2019"')
  })
})

describe('a www. name', () => {
  test('gets the report for the domain, with a link to the exact check', async () => {
    const html = await (await getPage('/?domain=https://www.acme.test/contact')).text()
    expect(html).toContain('<title>Is acme.test safe from forged email? · Mailgrade</title>')
    expect(html).toContain('You entered www.acme.test. This is the report for acme.test.')
    expect(html).toContain(
      '<a href="/?domain=www.acme.test&amp;exact=true">Check www.acme.test itself</a>',
    )
  })

  test('gets its own report with exact, and all links keep that', async () => {
    const zone = `${ZONE}www.acme.test. A 192.0.2.2`
    const exact = createTestApp(zoneDns(zone))
    const html = await (await exact.get('/?domain=www.acme.test&exact=true', BROWSER)).text()
    expect(html).toContain('<title>Is www.acme.test safe from forged email?')
    expect(html).not.toContain('You entered')
    expect(html).toContain('href="/v1/check?domain=www.acme.test&amp;exact=true"')
    // The score and the selector on its tile; nothing has to be fixed, so no plan is for sale.
    expect(html.match(/<input type="hidden" name="exact" value="true"\/>/g)).toHaveLength(1)
  })
})

describe('the page of a paid report', () => {
  test('has a field for the selector, except for an address', async () => {
    const score = await (await getPage('/reports/score?domain=acme.test&selector=s1')).text()
    expect(score).toContain('name="selector" value="s1"')
    expect(score).toContain(
      'curl -i &#39;https://mailgrade.example/v1/score?domain=acme.test&amp;selector=s1&#39;',
    )
    expect(await (await getPage('/reports/email-check')).text()).not.toContain('name="selector"')
  })

  test('repeats every selector of a plan', async () => {
    const path = '/reports/fix-plan?domain=acme.test&selector=s1&selector=s2&selector='
    const html = await (await getPage(path)).text()
    expect(html.match(/name="selector" value="[^"]*"/g)).toEqual([
      'name="selector" value="s1"',
      'name="selector" value="s2"',
    ])
  })
})
