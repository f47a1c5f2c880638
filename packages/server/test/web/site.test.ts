import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { expect, test } from 'vitest'
import { PAGE_PATHS } from '../../src/web/page-paths.js'
import { createTestApp, LIVE_ENV } from '../support/test-app.js'

const BROWSER = { accept: 'text/html' }
const app = createTestApp(zoneDns('acme.test. TXT "v=spf1 -all"'))

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

test.each([...PAGE_PATHS, '/?domain=acme.test', '/reports/score?domain=acme.test', '/nowhere'])(
  '%s runs nothing but our own scripts',
  async (path) => {
    const response = await app.get(path, BROWSER)
    expect(response.headers.get('content-security-policy')).toBe(CSP)
    const html = await response.text()
    expect(html).not.toMatch(/<script(?![^>]* src=")|\son\w+="|\sstyle="|javascript:/)
  },
)

test.each(PAGE_PATHS)('%s may be kept, and asked for again cheaply', async (path) => {
  const first = await app.get(path, BROWSER)
  expect(first.headers.get('cache-control')).toBe('public, max-age=300')
  const etag = first.headers.get('etag') ?? ''
  const again = await app.get(path, { ...BROWSER, 'if-none-match': etag })
  expect([again.status, await again.text()]).toEqual([304, ''])
  const head = await app.request(path, { method: 'HEAD', headers: BROWSER })
  expect([head.status, head.headers.get('etag')]).toEqual([200, etag])
})

test('styles and scripts may be kept for a year, at addresses that change with them', async () => {
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
])('%s stands where everybody looks for it', async (path, type) => {
  const response = await app.get(path)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
})

test('people who got lost see a page, programs a problem', async () => {
  const page = await app.get('/nowhere', BROWSER)
  expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(await page.text()).toContain('There is nothing at this address')
  const problem = await app.get('/nowhere')
  expect(await problem.json()).toMatchObject({ code: 'not_found' })
})

test('below a path of its own, every link stays below it', async () => {
  const env = { ...LIVE_ENV, BASE_URL: 'https://acme.example/mail' }
  const mounted = createTestApp(zoneDns('acme.test. TXT "v=spf1 -all"'), { env })
  for (const path of [...PAGE_PATHS, '/?domain=acme.test', '/reports/score']) {
    const html = await (await mounted.get(path, BROWSER)).text()
    const links = [...html.matchAll(/(?:href|src|action)="(\/[^"]*)"/g)].map(([, link]) => link)
    expect(links.length).toBeGreaterThan(5)
    expect(links.filter((link) => !link?.startsWith('/mail/'))).toEqual([])
  }
})

test('a page of another version is served the files there are, and nobody keeps them', async () => {
  const response = await app.get('/assets/of-last-week/style.css')
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
})

test.each(['/docs/', '/problems/rate-limited//'])('%s leads people to the page', async (path) => {
  const response = await app.get(path, BROWSER)
  expect([response.status, response.headers.get('location')]).toEqual([
    308,
    `https://mailgrade.example${path.replace(/\/+$/, '')}`,
  ])
  expect((await app.get(path)).status).toBe(404)
})

test('an address that is too long, and a fault of ours, are pages for people, too', async () => {
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
