/** The result pages while DNS is slow: progress fills in, and the answer takes its place. */
import { createServer, type Server } from 'node:http'
import { listenOnLoopback } from '@mailgrade/testing/listen-on-loopback'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { slowZoneDns } from '../support/slow-zone-dns.js'
import { createTestApp } from '../support/test-app.js'
import { launchChromium } from './chromium.js'
import { visibleText, visibleTexts } from './page-text.js'

const ZONE = `
  acme.test.        MX 10 mx.acme.test.
  mx.acme.test.     A 192.0.2.1
  acme.test.        TXT "v=spf1 mx -all"
  _dmarc.acme.test. TXT "v=DMARC1; p=reject"
  parked.test.      TXT "v=spf1 -all"
`

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

/** The application in this process, because only here a test can hold back a single answer. */
async function serveSlowly(path: string) {
  const { dns, release } = slowZoneDns(ZONE, (query) => query.includes('_dmarc.acme'))
  const app = createTestApp(dns, { waitBeforeProgress: async () => {} })
  const server: Server = createServer(async ({ url = '/' }, response) => {
    const { status, headers, body } = await app.get(url, { accept: 'text/html' })
    response.writeHead(status, Object.fromEntries(headers))
    for await (const chunk of body ?? []) response.write(chunk)
    response.end()
  })
  const port = await listenOnLoopback(server)
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${port}${path}`, release }
}

test.each([360, 768, 1280])('fills in tiles without JavaScript at %i px', async (width) => {
  const { url, release } = await serveSlowly('/?domain=acme.test')
  const page = await browser.newPage({ javaScriptEnabled: false, viewport: { width, height: 900 } })
  await page.goto(url, { waitUntil: 'commit' })
  const progress = page.locator('.progress')
  await progress.locator('li.mx:not(.pending)').waitFor()
  expect(await visibleText(progress.locator('.summary'))).toBe('Checking acme.test…')
  expect(await progress.getAttribute('role')).toBe('status')
  // The text is on two lines once the style sheet is there.
  await expect
    .poll(() => visibleTexts(progress.locator('li.dmarc')))
    .toEqual(['Blocking forged mail (DMARC) Waiting for DNS…'])
  // The finished tile lies exactly over the one that waited.
  const [waiting, finished] = await Promise.all(
    ['li.mx.pending', 'li.mx:not(.pending)'].map((tile) => progress.locator(tile).boundingBox()),
  )
  expect(finished).toEqual(waiting)

  release()
  await page.locator('#verdict').waitFor()
  expect(await progress.isVisible()).toBe(false)
  expect(await visibleTexts(page.locator('main > .tiles li .badge'))).toContain('! Needs work')
  await page.close()
})

test.each([360, 1280])('lists finished domains without JavaScript at %i px', async (width) => {
  const { url, release } = await serveSlowly('/domains?domains=acme.test,parked.test,nowhere.test')
  const page = await browser.newPage({ javaScriptEnabled: false, viewport: { width, height: 900 } })
  await page.goto(url, { waitUntil: 'commit' })
  const progress = page.getByRole('status', { name: 'Progress' })
  await progress.getByText('parked.test').waitFor()
  await progress.getByText('nowhere.test').waitFor()
  expect(await visibleText(progress.locator('.summary'))).toBe('Checking 3 domains…')
  expect((await visibleTexts(progress.locator('li'))).toSorted()).toEqual([
    'nowhere.test ? Doesn’t exist',
    'parked.test ✕ Exposed',
  ])
  expect(await page.locator('table').count()).toBe(0)

  release()
  await page.locator('table').waitFor()
  expect(await progress.locator('li').first().isVisible()).toBe(false)
  // Off screen, for screen readers.
  expect(await visibleText(progress)).toBe('We’ve checked all the domains. The results are below.')
  expect(await visibleTexts(page.locator('tbody th'))).toEqual([
    'acme.test',
    'parked.test',
    'nowhere.test',
  ])
  await page.close()
})
