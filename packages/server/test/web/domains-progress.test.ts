/** The page for several domains while DNS is slow: it arrives in pieces. */
import type { AbortableDns } from '@mailgrade/doh/dns'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { expect, test } from 'vitest'
import { readInPieces } from '../support/read-in-pieces.js'
import { slowZoneDns } from '../support/slow-zone-dns.js'
import { createTestApp, LIVE_ENV } from '../support/test-app.js'

const ZONE = `
  fast.test. TXT "v=spf1 -all"
  slow.test. TXT "v=spf1 -all"
`
const AT_ONCE = { waitBeforeProgress: async () => {} }
const BROWSER = { accept: 'text/html' }
const PATH = '/domains?domains=slow.test%0Afast.test%0A%3Cb%3E'

const isAboutSlow = (query: string) => query.endsWith('slow.test')

test('shows finished domains while others wait, then the table', async () => {
  const { dns, release } = slowZoneDns(ZONE, isAboutSlow)
  const page = readInPieces(await createTestApp(dns, AT_ONCE).get(PATH, BROWSER))
  expect(page.response.status).toBe(200)
  expect(page.response.headers.get('x-accel-buffering')).toBe('no')
  expect(page.response.headers.get('ratelimit')).toMatch(/^"free";r=28;/)
  const started = await page.readUntil('<li>fast.test')
  expect(started).toContain('<title>Results for 3 domains · Mailgrade</title>')
  expect(started).toContain('role="status" aria-atomic="false"')
  expect(started).toContain('<p class="summary">Checking 2 domains…</p>')
  expect(started).toContain('>slow.test\nfast.test\n&lt;b&gt;</textarea>')
  expect(started).not.toContain('<li>slow.test')
  expect(started).not.toContain('All domains are checked')

  release()
  const html = await page.readUntil('</html>')
  expect(html).toContain('<li>slow.test')
  expect(html).toContain('We’ve checked all the domains. The results are below.')
  expect(
    [...html.matchAll(/<tr class="\w+"[^>]* data-name="([^"]+)"/g)].map(([, name]) => name),
  ).toEqual(['slow.test', 'fast.test', '&lt;b&gt;'])
  expect(html.match(/<h1>/g)).toHaveLength(1)
})

test('is sent whole when all domains finish at once', async () => {
  const never = { waitBeforeProgress: () => new Promise<void>(() => {}) }
  const response = await createTestApp(zoneDns(ZONE), never).get(PATH, BROWSER)
  expect(response.headers.get('x-accel-buffering')).toBeNull()
  expect(await response.text()).not.toContain('class="progress"')
})

test('keeps the status of a list without any domain to check', async () => {
  const app = createTestApp(zoneDns(ZONE), {
    ...AT_ONCE,
    env: { ...LIVE_ENV, RATE_LIMIT_PER_MINUTE: '1' },
  })
  await app.get('/v1/mx?domain=fast.test')
  const response = await app.get(PATH, BROWSER)
  expect([response.status, await response.text()]).toEqual([
    429,
    expect.not.stringContaining('class="progress"'),
  ])
})

test('answers HEAD when the status is certain, without pieces', async () => {
  const app = createTestApp(zoneDns(ZONE), AT_ONCE)
  const response = await app.request(PATH, { method: 'HEAD', headers: BROWSER })
  expect([response.status, response.headers.get('x-accel-buffering')]).toEqual([200, null])
})

test('ends with the problem if a check throws after the page began', async () => {
  const broken: AbortableDns = {
    query: async () => {
      throw new Error('broken')
    },
  }
  const app = createTestApp(broken, AT_ONCE)
  const html = await (await app.get('/domains?domains=fast.test', BROWSER)).text()
  expect(html).toContain('<p class="summary">Checking fast.test…</p>')
  expect(html).toContain('data-problem="internal"')
  expect(html).toContain('</html>')
  expect(app.faults).toEqual([new Error('broken')])
})
