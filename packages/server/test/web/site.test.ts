import { OPERATIONS } from '@mailgrade/operations/operations'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { expect, test } from 'vitest'
import { pagePaths } from '../../src/web/page-paths.js'
import { createTestApp, LIVE_ENV } from '../support/test-app.js'

const PAGE_PATHS = pagePaths(OPERATIONS)
const BROWSER = { accept: 'text/html' }
const app = createTestApp(zoneDns('acme.test. TXT "v=spf1 -all"'))

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

test.each([
  ...PAGE_PATHS,
  '/?domain=acme.test',
  '/domains?domains=acme.test',
  '/reports/score?domain=acme.test',
  '/nowhere',
])('%s runs only our own scripts', async (path) => {
  const response = await app.get(path, BROWSER)
  expect(response.headers.get('content-security-policy')).toBe(CSP)
  const html = await response.text()
  expect(html).not.toMatch(/<script(?![^>]* src=")|\son\w+="|\sstyle="|javascript:/)
})

test.each([
  ['/?domain=acme.test', ['domain', 'selector', 'ip', 'sender', 'helo', 'email', 'rua']],
  ['/domains', ['domains']],
  ['/reports/fix-plan', ['domain', 'selector', 'rua']],
  ['/docs/api/mx', ['domain']],
])('phones and browsers change nothing that is typed on %s', async (path, names) => {
  const html = await (await app.get(path, BROWSER)).text()
  const fields = (html.match(/<(?:input|textarea) [^>]*>/g) ?? []).filter(
    (field) => !/ type="(?:hidden|radio|checkbox)"/.test(field),
  )
  expect(new Set(fields.map((field) => / name="(\w+)"/.exec(field)?.[1]))).toEqual(new Set(names))
  for (const field of fields) {
    expect(field).toContain(' autocomplete="off" autocapitalize="none" spellcheck="false"')
  }
})

test.each(PAGE_PATHS)('%s is cacheable and supports conditional requests', async (path) => {
  const first = await app.get(path, BROWSER)
  expect(first.headers.get('cache-control')).toBe('public, max-age=300')
  const etag = first.headers.get('etag') ?? ''
  const again = await app.get(path, { ...BROWSER, 'if-none-match': etag })
  expect([again.status, await again.text()]).toEqual([304, ''])
  const head = await app.request(path, { method: 'HEAD', headers: BROWSER })
  expect([head.status, head.headers.get('etag')]).toEqual([200, etag])
})

test('caches styles and scripts for a year at versioned URLs', async () => {
  const html = await (await app.get('/', BROWSER)).text()
  const [style = '', script = ''] = html.match(/\/assets\/[\w-]{12}\/\w+\.(css|js)/g) ?? []
  for (const [path, type] of [
    [style, 'text/css; charset=utf-8'],
    [script, 'text/javascript; charset=utf-8'],
  ] as const) {
    const { status, headers } = await app.get(path)
    expect([status, headers.get('content-type')]).toEqual([200, type])
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  }
})

test.each([
  ['/favicon.svg', 'image/svg+xml'],
  ['/favicon.ico', 'image/vnd.microsoft.icon'],
])('serves %s at the well-known path', async (path, type) => {
  const response = await app.get(path)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
})

test('returns 404 as a page to browsers and as a problem to programs', async () => {
  const page = await app.get('/nowhere', BROWSER)
  expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(await page.text()).toContain('Page not found')
  const problem = await app.get('/nowhere')
  expect(await problem.json()).toMatchObject({ code: 'not_found' })
})

test('under a path, every link stays below it', async () => {
  const env = { ...LIVE_ENV, BASE_URL: 'https://acme.example/mail' }
  const mounted = createTestApp(zoneDns('acme.test. TXT "v=spf1 -all"'), { env })
  const results = ['/?domain=acme.test', '/domains?domains=acme.test', '/reports/score']
  for (const path of [...PAGE_PATHS, ...results]) {
    const html = await (await mounted.get(path, BROWSER)).text()
    const links = [...html.matchAll(/(?:href|src|action)="(\/[^"]*)"/g)].map(([, link]) => link)
    expect(links.length).toBeGreaterThan(5)
    expect(links.filter((link) => !link?.startsWith('/mail/'))).toEqual([])
  }
})

test('serves current files at URLs of another version, uncached', async () => {
  const response = await app.get('/assets/of-last-week/style.css')
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
})

test.each(['/docs/', '/problems/rate-limited//'])(
  '%s redirects browsers to the page without the slash',
  async (path) => {
    const response = await app.get(path, BROWSER)
    expect([response.status, response.headers.get('location')]).toEqual([
      308,
      `https://mailgrade.example${path.replace(/\/+$/, '')}`,
    ])
    expect((await app.get(path)).status).toBe(404)
  },
)

test('shows 414 and 500 to browsers as pages', async () => {
  const long = await app.get(`/?domain=${'a'.repeat(2_100)}`, BROWSER)
  expect([long.status, long.headers.get('content-type')]).toEqual([414, 'text/html; charset=utf-8'])

  const broken = createTestApp({
    query: async () => {
      throw new Error('broken')
    },
  })
  const fault = await broken.get('/?domain=acme.test', BROWSER)
  expect([fault.status, fault.headers.get('content-type')]).toEqual([
    500,
    'text/html; charset=utf-8',
  ])
  expect(await fault.text()).toContain(
    'Something went wrong on our side. Try again in a few seconds.',
  )
  expect(broken.faults).toHaveLength(1)
})
