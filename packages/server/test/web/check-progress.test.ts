/** The result page while DNS is slow: it arrives in pieces. */
import type { AbortableDns } from '@mailgrade/doh/dns'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { expect, test } from 'vitest'
import { readInPieces } from '../support/read-in-pieces.js'
import { slowZoneDns } from '../support/slow-zone-dns.js'
import { createTestApp } from '../support/test-app.js'

const ZONE = `
  acme.test.        MX 10 mx.acme.test.
  mx.acme.test.     A 192.0.2.1
  acme.test.        TXT "v=spf1 mx -all"
  _dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:d@acme.test"
`
const BROWSER = { accept: 'text/html' }

async function openPage(dns: AbortableDns, path = '/?domain=acme.test') {
  const app = createTestApp(dns, { waitBeforeProgress: async () => {} })
  return readInPieces(await app.get(path, BROWSER))
}

test('shows finished checks while others wait, then the result', async () => {
  const { dns, release } = slowZoneDns(ZONE, (query) => query.includes('_dmarc'))
  const page = await openPage(dns)
  expect(page.response.status).toBe(200)
  expect(page.response.headers.get('x-accel-buffering')).toBe('no')
  const started = await page.readUntil('<li class="mx">')
  expect(started).toContain('<p class="summary">Checking acme.test…</p>')
  expect(started).toContain('<li class="dmarc pending">')
  expect(started).not.toContain('<li class="dmarc">')
  expect(started).not.toContain('class="answer')

  release()
  const all = await page.readUntil('</html>')
  expect(all).toContain(
    '<li class="dmarc"><strong>Blocking forged mail <small>(DMARC)</small></strong><span>Policy reject</span></li>',
  )
  expect(all).toContain('<h1 id="verdict">')
  expect(all.indexOf('class="answer')).toBeGreaterThan(all.indexOf('<li class="dmarc">'))
  expect(all.match(/<\/html>/g)).toHaveLength(1)
})

test('is the same page when all answers are fast', async () => {
  const fast = await (await createTestApp(zoneDns(ZONE)).get('/?domain=acme.test', BROWSER)).text()
  const { dns, release } = slowZoneDns(ZONE, (query) => query === 'TXT _mta-sts.acme.test')
  const page = await openPage(dns)
  await page.readUntil('<li class="dmarc">')
  release()
  const slow = await page.readUntil('</html>')
  const withoutTimes = (html: string) =>
    html.replace(/\d+ ms|\d{4}-\d\d-\d\d[T ][\d:.]+ ?(UTC|Z)/g, '')
  const withoutProgress = slow.replace(/<section class="progress".*?<\/section>/s, '')
  expect(withoutTimes(withoutProgress)).toBe(withoutTimes(fast))
})

test('gets the status of an unknown domain, although no check has finished', async () => {
  const { dns } = slowZoneDns(ZONE, () => false)
  const page = await openPage(dns, '/?domain=nowhere.test')
  expect(page.response.status).toBe(404)
  expect(await page.readUntil('</html>')).not.toContain('class="progress"')
})

test('ends with the problem if a check fails after the page began', async () => {
  const { dns, release } = slowZoneDns(ZONE, (query) => query === 'TXT acme.test', {
    'TXT acme.test': 'servfail',
  })
  const page = await openPage(dns)
  await page.readUntil('<li class="mx">')
  release()
  const html = await page.readUntil('</html>')
  expect(html).toContain('data-problem="dns_unavailable"')
  expect(html).toContain('We couldn’t look up TXT acme.test')
  expect(html).not.toContain('class="answer')
})

test('is compressed piece by piece', async () => {
  const { dns, release } = slowZoneDns(ZONE, (query) => query.includes('_dmarc'))
  const app = createTestApp(dns, { waitBeforeProgress: async () => {} })
  const response = await app.get('/?domain=acme.test', { ...BROWSER, 'accept-encoding': 'gzip' })
  expect(response.headers.get('content-encoding')).toBe('gzip')
  const text = (response.body ?? new ReadableStream()).pipeThrough(new DecompressionStream('gzip'))
  const decoder = new TextDecoder()
  let html = ''
  for await (const chunk of text) {
    html += decoder.decode(chunk, { stream: true })
    if (html.includes('<li class="mx">')) release()
  }
  expect(html).toContain('<h1 id="verdict">')
})
