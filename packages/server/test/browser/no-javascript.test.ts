/** The site without JavaScript: every page is readable and every link works. */

import { OPERATIONS } from '@mailgrade/operations/operations'
import type { BrowserContext } from 'playwright-core'
import { expect, test } from 'vitest'
import { staticPagePaths } from '../../src/web/page-paths.js'
import { NO_JAVASCRIPT, setUpBrowser } from './browser-environment.js'
import { visibleText } from './page-text.js'

const STATIC_PAGE_PATHS = staticPagePaths(OPERATIONS)

const environment = setUpBrowser()

/** Pages that only differ in their texts. */
const ALIKE = [/^\/learn\/\w+\.[\w.-]+$/, /^\/problems\/./]

/** Two pages of each kind, and every page that is the only one of its kind. */
function samplePaths(): string[] {
  const isAlike = (path: string) => ALIKE.some((kind) => kind.test(path))
  const samples = ALIKE.map((kind) => STATIC_PAGE_PATHS.filter((path) => kind.test(path)))
  expect(samples.every(({ length }) => length > 10)).toBe(true)
  return [
    ...STATIC_PAGE_PATHS.filter((path) => !isAlike(path)),
    ...samples.flatMap((paths) => [paths[0] ?? '', paths.at(-1) ?? '']),
  ]
}

test('a page of each kind is readable', async () => {
  const page = await environment.openPage('/', NO_JAVASCRIPT)
  for (const path of samplePaths()) {
    const response = await page.goto(path)
    expect([path, response?.status()]).toEqual([path, 200])
    expect(await visibleText(page.getByRole('heading', { level: 1 }))).not.toBe('')
    expectReadable(path, await page.title(), await visibleText(page.locator('main')))
  }
})

/** As sent, without a browser: to open every page in one takes a minute. */
test('every page has a heading, a title and words', async () => {
  const context = await environment.newContext()
  for (const path of STATIC_PAGE_PATHS) {
    const response = await context.request.get(path, { headers: { Accept: 'text/html' } })
    expect([path, response.status()]).toEqual([path, 200])
    const html = await response.text()
    const textsOf = (tag: string) =>
      [...html.matchAll(new RegExp(`<${tag}[ >].*?</${tag}>`, 'gs'))].map(([element]) =>
        element
          .replace(/<[^>]*>/g, ' ')
          .replace(/\s+/g, ' ')
          .trim(),
      )
    expect([path, textsOf('h1')]).toEqual([path, [expect.stringMatching(/\w/)]])
    const [title = '', main = ''] = [...textsOf('title'), ...textsOf('main')]
    expectReadable(path, title, main)
  }
})

function expectReadable(path: string, title: string, text: string): void {
  expect([path, title]).toEqual([path, expect.stringMatching(/^.+ · Mailgrade$/)])
  expect(text.split(' ').length, path).toBeGreaterThan(15)
  expect(text, path).not.toMatch(/\[object |\bNaN\b/)
}

test('offers a report on its own page, with the command to pay', async () => {
  const page = await environment.openPage('/?domain=lookups.test', NO_JAVASCRIPT)
  await page.getByRole('button', { name: 'Buy with the demo wallet' }).first().click()
  await page.waitForURL('**/reports/score?domain=lookups.test')
  expect(await visibleText(page.locator('.price'))).toBe('0.01 USD')
  expect(await visibleText(page.locator('pre'))).toContain(
    `curl -i '${environment.url}/v1/score?domain=`,
  )
})

interface FetchedPage {
  readonly status: number
  readonly ids: readonly string[]
  readonly links: readonly string[]
}

async function fetchPage(context: BrowserContext, url: string): Promise<FetchedPage> {
  const response = await context.request.get(url, { headers: { Accept: 'text/html' } })
  const isPage = response.headers()['content-type']?.startsWith('text/html')
  const html = isPage ? await response.text() : ''
  const attributes = (name: string) =>
    [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value)
  return {
    status: response.status(),
    ids: attributes('id'),
    links: [...attributes('href'), ...attributes('src')].map(
      (link) => new URL(link.replaceAll('&amp;', '&'), url).href,
    ),
  }
}

test('every link and anchor of ours works', async () => {
  const context = await environment.newContext()
  const visited = new Map<string, FetchedPage>()
  const links: { from: string; to: string }[] = [{ from: 'the start', to: `${environment.url}/` }]
  for (const { to } of links) {
    const url = to.replace(/#.*/, '')
    if (!url.startsWith(environment.url) || visited.has(url)) continue
    const page = await fetchPage(context, url)
    visited.set(url, page)
    for (const link of page.links) links.push({ from: url, to: link })
  }

  const own = links.filter(({ to }) => to.startsWith(environment.url))
  const broken = own.filter(({ to }) => {
    const [url = '', anchor] = to.split('#')
    const { status = 0, ids = [] } = visited.get(url) ?? {}
    const isOffer = status === 402 && url.startsWith(`${environment.url}/reports/`)
    return !(status === 200 || isOffer) || (anchor !== undefined && !ids.includes(anchor))
  })
  expect(broken).toEqual([])

  const reached = [...visited.keys()].map((url) => new URL(url).pathname)
  expect(reached).toEqual(expect.arrayContaining([...STATIC_PAGE_PATHS]))
  expect(own.some(({ to }) => to.includes('/docs/findings#spf.too-many-lookups'))).toBe(true)
  expect(own.some(({ to }) => to.endsWith('/learn/spf.too-many-lookups'))).toBe(true)
})

test('external links use https', async () => {
  const context = await environment.newContext()
  const external: string[] = []
  for (const path of ['/', '/?domain=lookups.test', ...STATIC_PAGE_PATHS]) {
    const { links } = await fetchPage(context, environment.url + path)
    external.push(...links.filter((link) => !link.startsWith(environment.url)))
  }
  expect(external).toContain('https://www.rfc-editor.org/rfc/rfc7208#section-4.6.4')
  // Files to download are part of the page.
  expect(external.filter((link) => !/^(https:\/\/|data:)/.test(link))).toEqual([])
})
