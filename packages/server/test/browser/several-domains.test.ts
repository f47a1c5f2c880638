/** The page for several domains, with and without scripts. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { source } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { NO_JAVASCRIPT, setUpBrowser } from './browser-environment.js'
import { visibleText, visibleTexts } from './page-text.js'

const environment = setUpBrowser()

const DOMAINS = ['selector.test', 'monitoring.test', 'good.test', 'lookups.test', 'parked.test']
const RESULT = `/domains?domains=${DOMAINS.join('%0A')}`
const BY_VERDICT = ['monitoring.test', 'lookups.test', 'parked.test', 'selector.test', 'good.test']
const BY_NAME = ['good.test', 'lookups.test', 'monitoring.test', 'parked.test', 'selector.test']

const namesIn = (page: Page) => visibleTexts(page.locator('tbody th'))
const directionOf = (page: Page, name: string) =>
  page.locator(`th[data-sort=${name}]`).getAttribute('aria-sort')

test('a list is checked and shown, the worst first', async () => {
  const page = await environment.openPage('/')
  await page.getByRole('link', { name: 'Bulk check' }).click()
  await page.getByLabel('Paste up to 20 domains').fill(` ${DOMAINS.join('\n')}\nann@good.test\n`)
  await page.getByRole('button', { name: 'Check all' }).click()
  await page.waitForURL('**/domains?domains=**')
  expect(await visibleText(page.locator('h1'))).toBe('2 of 5 domains refuse forged mail')
  expect(await namesIn(page)).toEqual(BY_VERDICT)
  expect(await page.getByLabel('Paste up to 20 domains').inputValue()).toBe(DOMAINS.join('\n'))
  await page.getByRole('link', { name: 'lookups.test' }).click()
  await page.waitForURL('**/?domain=lookups.test')
})

test('with scripts, the headings sort in place', async () => {
  const page = await environment.openPage(RESULT)
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  expect([await directionOf(page, 'verdict'), await directionOf(page, 'name')]).toEqual([
    'ascending',
    'none',
  ])
  const heading = page.getByRole('columnheader', { name: 'Domain' }).getByRole('button')
  await heading.click()
  expect(await namesIn(page)).toEqual(BY_NAME)
  expect([await directionOf(page, 'verdict'), await directionOf(page, 'name')]).toEqual([
    'none',
    'ascending',
  ])
  await heading.press('Enter')
  expect(await namesIn(page)).toEqual(BY_NAME.toReversed())
  expect(await directionOf(page, 'name')).toBe('descending')
  await page.getByRole('button', { name: 'order entered' }).click()
  expect(await namesIn(page)).toEqual(DOMAINS)
  expect(await directionOf(page, 'name')).toBe('none')
  await page.getByRole('button', { name: 'worst first', pressed: false }).click()
  expect(await namesIn(page)).toEqual(BY_VERDICT)
  expect(await page.getByRole('button', { name: 'worst first', pressed: true }).count()).toBe(1)
  expect(await page.getByText('Sorting checks all your domains again.').count()).toBe(0)
  expect(requests.filter((url) => url.includes('/domains'))).toEqual([])
})

test('without scripts, the links sort with another check', async () => {
  const page = await environment.openPage(RESULT, NO_JAVASCRIPT)
  expect(await namesIn(page)).toEqual(BY_VERDICT)
  expect(await page.getByText('Sorting checks all your domains again.').isVisible()).toBe(true)
  await page.getByRole('link', { name: 'name', exact: true }).click()
  await page.waitForURL('**&sort=name')
  expect(await namesIn(page)).toEqual(BY_NAME)
  expect(await directionOf(page, 'name')).toBe('ascending')
  await page.getByRole('link', { name: 'order entered' }).click()
  await page.waitForURL('**&sort=entered')
  expect(await namesIn(page)).toEqual(DOMAINS)
  expect(await page.getByRole('link', { name: 'order entered' }).getAttribute('aria-current')).toBe(
    'true',
  )
})

/** The fields of each record (RFC 4180). */
function parseCsv(text: string): string[][] {
  const fields = text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)
  const records: string[][] = [[]]
  for (const [, quoted, plain = '', end] of fields) {
    records.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === '\r\n') records.push([])
  }
  return records.slice(0, -1)
}

test.each([
  ['with scripts', {}],
  ['without scripts', NO_JAVASCRIPT],
])('the CSV file has the values of the table, %s', async (_, options) => {
  const page = await environment.openPage(`${RESULT}%0A%2D1%2B1%0Anowhere.test`, options)
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download as CSV' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(/^domains-\d{4}-\d\d-\d\d\.csv$/)
  const text = await readFile(await download.path(), 'utf8')
  expect(text.startsWith('\ufeff')).toBe(true)
  const [headings, ...records] = parseCsv(text.slice(1))
  expect(headings).toEqual([
    'Domain',
    'Verdict',
    'Answer',
    'SPF',
    'DKIM',
    'DMARC',
    'MX',
    'Fix first',
    'Checked (UTC)',
  ])
  expect(records.map(([domain, verdict]) => [domain, verdict])).toEqual([
    ['monitoring.test', 'Exposed'],
    ['lookups.test', 'Loses mail'],
    ['parked.test', 'Exposed'],
    ['selector.test', 'DKIM unknown'],
    ["'-1+1", 'Not a domain'],
    ['nowhere.test', 'Doesn’t exist'],
    ['good.test', 'Protected'],
  ])
  const [monitoring = []] = records
  expect(monitoring.slice(2, 8)).toEqual([
    'Anyone can send email as this domain.',
    'Microsoft 365 / Exchange Online · 1 of 10 lookups',
    '1 key: 2048 bits',
    'Policy none',
    'Microsoft 365 / Exchange Online',
    expect.stringMatching(/forged mail can reach the inbox$/),
  ])
  expect(monitoring[8]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
})

const RUN = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.html)))`

test.each([
  ['the form', '/domains'],
  ['results of every kind', `${RESULT}%0Anowhere.test%0A%3Cb%3E`],
  [
    'a list that is refused',
    `/domains?domains=${Array.from({ length: 21 }, (_, at) => `d${at}.test`)}`,
  ],
])('%s passes axe-core at every width', async (_, path) => {
  const page = await environment.openPage(path)
  await page.evaluate(source)
  for (const width of [360, 768, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    expect(await page.evaluate('document.documentElement.scrollWidth'), 'width').toBe(width)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await page.evaluate(RUN), `${width} px, ${colorScheme}`).toEqual([])
    }
  }
})

test('on a phone, each row is a card with named values', async () => {
  const page = await environment.openPage(RESULT)
  const layout = async () => {
    const name = await page.locator('tbody th').first().boundingBox()
    const spf = await page.locator('tbody td[data-label=SPF]').first().boundingBox()
    return { isCard: (spf?.y ?? 0) > (name?.y ?? 0) + 10, width: spf?.width ?? 0 }
  }
  await page.setViewportSize({ width: 1280, height: 900 })
  expect((await layout()).isCard).toBe(false)
  await page.setViewportSize({ width: 360, height: 900 })
  const { isCard, width } = await layout()
  expect([isCard, width > 250]).toEqual([true, true])
  const label = `getComputedStyle(document.querySelector('td[data-label=SPF]'), '::before').content`
  expect(await page.evaluate(label)).toBe('"SPF"')
})

test('a badge and a share image show in a page of another site', async () => {
  const paths = ['/badge/good.test.svg', '/badge/%3Cb%3E.svg', '/share/good.test.png']
  const images = paths.map((path) => `<img src="${environment.url}${path}" alt="">`)
  const blog = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end(images.join('')),
  ).listen(0, '127.0.0.1')
  onTestFinished(() => void blog.close())
  await once(blog, 'listening')
  const { port } = blog.address() as AddressInfo
  // The service is at 127.0.0.1, so this is another site.
  const page = await environment.openPage(`http://localhost:${port}/`)
  const sizes = await page.evaluate(
    `[...document.images].map(({ naturalWidth, naturalHeight }) => [naturalWidth, naturalHeight])`,
  )
  expect(sizes).toEqual([
    [expect.any(Number), 20],
    [expect.any(Number), 20],
    [1200, 630],
  ])
})
