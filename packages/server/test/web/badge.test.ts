/** The badge of a domain, read with an XML parser. */
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { badgeSvg } from '../../src/web/images/badge-svg.js'
import { problemImage } from '../../src/web/images/verdict-image.js'
import { createTestApp, LIVE_ENV } from '../support/test-app.js'

const ZONE = `
  acme.test.        MX 10 mx.acme.test.
  mx.acme.test.     A 192.0.2.1
  acme.test.        TXT "v=spf1 mx -all"
  _dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:d@acme.test"
  down.test.        A 192.0.2.1
  slow.test.        A 192.0.2.1
  mine-2019._domainkey.acme.test. TXT "v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
`
const PASS = '#11643a'
const WARN = '#8a5300'
const FAIL = '#a61b1b'
const GREY = '#53606d'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-07T09:05:59.123Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

/** The demo domains. */
const sandbox = createTestApp(zoneDns(''), { env: { RATE_LIMIT_PER_MINUTE: '1000' } })
const live = createTestApp(
  zoneDns(ZONE, { 'TXT down.test': 'servfail', 'TXT slow.test': 'timeout' }),
  { env: { ...LIVE_ENV, RATE_LIMIT_PER_MINUTE: '1000' } },
)

interface Svg {
  readonly svg: {
    readonly '@_width': string
    readonly title: { readonly '#text': string }
    readonly g: {
      readonly rect: readonly { readonly '@_fill': string; readonly '@_width': string }[]
      readonly text: readonly { readonly '#text': string; readonly '@_textLength': string }[]
    }
  }
}

async function readBadge(response: Response) {
  expect(response.headers.get('content-type')).toBe('image/svg+xml')
  const source = await response.text()
  expect(XMLValidator.validate(source)).toBe(true)
  const parser = new XMLParser({ ignoreAttributes: false, trimValues: false })
  const { svg }: Svg = parser.parse(source.trim())
  const { rect, text } = svg.g
  const widths = rect.map((it) => Number(it['@_width']))
  expect(widths.reduce((sum, width) => sum + width, 0)).toBe(Number(svg['@_width']))
  for (const [index, it] of text.entries()) {
    expect(Number(it['@_textLength'])).toBe((widths[index] ?? 0) - 14)
  }
  return {
    title: svg.title['#text'],
    texts: text.map((it) => it['#text']),
    color: rect[1]?.['@_fill'],
  }
}

describe('a verdict', () => {
  test.each([
    ['good.test', 'Protected', PASS, 'Forged mail is refused.'],
    [
      'lookups.test',
      'Loses mail',
      FAIL,
      'Mail from Twilio SendGrid and Mailchimp goes to spam today.',
    ],
    [
      'selector.test',
      'DKIM unknown',
      WARN,
      'Forged mail is refused, but we don’t know the DKIM key.',
    ],
    ['monitoring.test', 'Exposed', FAIL, 'Anyone can send email as this domain.'],
  ])('%s is %s', async (domain, label, color, answer) => {
    const response = await sandbox.get(`/badge/${domain}.svg`)
    expect(response.status).toBe(200)
    expect(await readBadge(response)).toEqual({
      title: `${domain}: ${label}. ${answer} Checked 2026-11-07 09:05:59 UTC.`,
      texts: ['email forgery', label, 'checked 7 Nov 2026'],
      color,
    })
  })

  test('may be cached for an hour and shown on other sites, and loads nothing', async () => {
    const { headers } = await sandbox.get('/badge/good.test.svg')
    expect(headers.get('cache-control')).toBe('public, max-age=3600')
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; frame-ancestors 'none'",
    )
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
  })

  test('has an ETag that changes with the verdict and the day, but not within the day', async () => {
    const etagOf = async (domain: string) =>
      (await sandbox.get(`/badge/${domain}.svg`)).headers.get('etag') ?? ''
    const etag = await etagOf('good.test')
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/)
    expect(await etagOf('monitoring.test')).not.toBe(etag)
    vi.setSystemTime(new Date('2026-11-07T23:59:59Z'))
    const again = await sandbox.get('/badge/good.test.svg', { 'if-none-match': etag })
    expect([again.status, await again.text(), again.headers.get('cache-control')]).toEqual([
      304,
      '',
      'public, max-age=3600',
    ])
    vi.setSystemTime(new Date('2026-11-08T00:00:00Z'))
    const later = await sandbox.get('/badge/good.test.svg', { 'if-none-match': etag })
    expect(later.status).toBe(200)
    expect((await readBadge(later)).texts[2]).toBe('checked 8 Nov 2026')
  })

  test.each([
    ['www.good.test', 'good.test'],
    ['team.good.test', 'team.good.test'],
    ['GOOD.test', 'good.test'],
    ['ann%40good.test', 'good.test'],
  ])('%s is about %s, as in the check', async (name, domain) => {
    const { title } = await readBadge(await sandbox.get(`/badge/${name}.svg`))
    expect(title).toMatch(`${domain}: Protected.`)
  })

  test('takes the other parameters of the check', async () => {
    const titleOf = async (query: string) =>
      (await readBadge(await live.get(`/badge/acme.test.svg${query}`))).title
    const selector = await live.get('/badge/acme.test.svg?selector=*')
    expect(selector.status).toBe(400)
    expect((await readBadge(selector)).texts).toEqual(['email forgery', 'invalid selector'])
    expect(await titleOf('?selector=mine-2019')).toMatch('acme.test: Protected.')
    expect(await titleOf('?domain=other.test&selector=mine-2019')).toMatch('acme.test: ')
  })
})

describe('without a verdict', () => {
  test.each([
    ['nowhere.test', 404, 'unknown domain', 'nowhere.test doesn’t exist in DNS.'],
    ['acme', 400, 'not a domain', 'acme'],
    ['192.0.2.1', 400, 'not a domain', '192.0.2.1'],
    ['down.test', 502, 'DNS error', 'We couldn’t look up TXT down.test'],
    ['slow.test', 504, 'DNS error', 'We couldn’t look up TXT slow.test'],
    [`${'a'.repeat(2_100)}.test`, 414, 'not a domain', 'at most 2048 characters'],
    ['a/b', 404, 'not a domain', 'There’s no page here.'],
  ])('%s is a grey badge with status %i', async (name, status, label, reason) => {
    const response = await live.get(`/badge/${name}.svg`)
    expect(response.status).toBe(status)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('etag')).toBeNull()
    const { title, texts, color } = await readBadge(response)
    expect([texts, color]).toEqual([['email forgery', label], GREY])
    expect(title).toContain(reason)
  })

  test('says “try later” for an internal error', async () => {
    const broken = createTestApp({ query: () => Promise.reject(new Error('broken')) })
    const response = await broken.get('/badge/acme.test.svg')
    expect([response.status, response.headers.get('cache-control')]).toEqual([500, 'no-store'])
    expect((await readBadge(response)).texts).toEqual(['email forgery', 'try later'])
    expect(broken.faults).toHaveLength(1)
  })

  test('says “try later” when the service is busy', async () => {
    const env = { ...LIVE_ENV, MAX_CONCURRENT_REPORTS: '1', RATE_LIMIT_PER_MINUTE: '100000' }
    const busy = createTestApp({ query: () => new Promise(() => {}) }, { env })
    const responses = Array.from({ length: 402 }, () => busy.get('/badge/acme.test.svg'))
    const response = await Promise.race(responses)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2'])
    expect((await readBadge(response)).texts).toEqual(['email forgery', 'try later'])
  })

  test.each(['/badge/acme.test.svg', '/share/acme.test.png'])(
    '%s says nothing about one caller, because caches share it',
    async (path) => {
      const first = await live.get(path)
      const etag = first.headers.get('etag') ?? ''
      const unchanged = await live.get(path, { 'if-none-match': etag })
      expect([first.status, unchanged.status]).toEqual([200, 304])
      for (const { headers } of [first, unchanged]) {
        expect(headers.get('cache-control')).toBe('public, max-age=3600')
        expect([headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([null, null])
      }
    },
  )

  test('shares the rate limit of the free checks', async () => {
    const limited = createTestApp(zoneDns(ZONE), {
      env: { ...LIVE_ENV, RATE_LIMIT_PER_MINUTE: '2' },
      now: () => 5_000,
    })
    expect((await limited.get('/badge/acme.test.svg')).status).toBe(200)
    const other = await limited.get('/v1/mx?domain=acme.test')
    expect(other.headers.get('ratelimit')).toBe('"free";r=0;t=60')
    const response = await limited.get('/badge/acme.test.svg')
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '60'])
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('ratelimit')).toBe('"free";r=0;t=60')
    expect((await readBadge(response)).texts).toEqual(['email forgery', 'try later'])
  })

  test('a URL without .svg is not a badge', async () => {
    const response = await live.get('/badge/acme.test')
    expect([response.status, response.headers.get('content-type')]).toEqual([
      404,
      'application/problem+json',
    ])
    expect(response.headers.get('ratelimit')).toBeNull()
  })
})

test.each([
  ['markup', '</title><script>alert(1)</script>'],
  ['quotation marks', `"'&amp;<b>`],
  ['a control character', 'a\u0000b\u001b.test'],
  ['reordered text', 'good\u202etset.test'],
  ['a noncharacter', 'a\ufffeb.test'],
  ['an entity', '&#0;&lt;'],
])('%s in the name stays text', async (_, name) => {
  const response = await live.get(`/badge/${encodeURIComponent(name)}.svg`)
  expect(response.status).toBe(400)
  const source = await response.clone().text()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
  expect(source).not.toMatch(/<script|<b>|[\u0000-\u0009\u000b-\u001f\u202e\ufffe]/)
  expect((await readBadge(response)).texts).toEqual(['email forgery', 'not a domain'])
})

test('a percent sign that encodes nothing is a name like any other', async () => {
  const response = await live.get('/badge/%ff.svg')
  expect(response.status).toBe(400)
  expect((await readBadge(response)).texts).toEqual(['email forgery', 'not a domain'])
})

test('text of a resolver in the reason stays text', async () => {
  const detail = 'We couldn’t look up TXT acme.test (extended error 9: <b>\u0000\u202e).'
  const type = { 'content-type': 'image/svg+xml' }
  const svg = badgeSvg(problemImage('dns_unavailable', detail))
  const { title } = await readBadge(new Response(svg, { headers: type }))
  expect(svg).toContain('&lt;b&gt;⟨U+0000⟩⟨U+202E⟩).</title>')
  expect(title).toMatch(/^email forgery: DNS error\. We couldn’t look up TXT acme\.test/)
})
