/** The site without scripts: every page can be read, and every link leads somewhere. */
import type { BrowserContext } from 'playwright-core'
import { expect, test } from 'vitest'
import { STATIC_PAGE_PATHS } from '../../src/web/page-paths.js'
import { NO_JAVASCRIPT, setUpBrowser } from './browser-environment.js'
import { visibleText } from './page-text.js'

const stage = setUpBrowser()

test('every page of the documentation can be read', async () => {
  const page = await stage.openPage('/', NO_JAVASCRIPT)
  for (const path of STATIC_PAGE_PATHS) {
    const response = await page.goto(path)
    expect([path, response?.status()]).toEqual([path, 200])
    expect(await visibleText(page.getByRole('heading', { level: 1 }))).not.toBe('')
    expect(await page.title()).toMatch(/^.+ · Mailgrade$/)
    const text = await visibleText(page.locator('main'))
    expect(text.split(' ').length, path).toBeGreaterThan(15)
    expect(text).not.toMatch(/\[object |\bNaN\b/)
  }
})

test('without scripts a report is offered on a page of its own, with the other way to pay', async () => {
  const page = await stage.openPage('/?domain=lookups.test', NO_JAVASCRIPT)
  await page.getByRole('button', { name: 'Buy with the demo wallet' }).first().click()
  await page.waitForURL('**/reports/score?domain=lookups.test')
  expect(await visibleText(page.locator('.price'))).toBe('0.01 USD')
  expect(await visibleText(page.locator('pre'))).toContain(`curl -i '${stage.url}/v1/score?domain=`)
})

interface Visited {
  /** Of what was asked for there. */
  readonly status: number
  readonly ids: readonly string[]
  readonly links: readonly string[]
}

async function visit(context: BrowserContext, url: string): Promise<Visited> {
  const response = await context.request.get(url, { headers: { Accept: 'text/html' } })
  const isPage = response.headers()['content-type']?.startsWith('text/html')
  const html = isPage ? await response.text() : ''
  const all = (name: string) =>
    [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value)
  return {
    status: response.status(),
    ids: all('id'),
    links: [...all('href'), ...all('src')].map(
      (link) => new URL(link.replaceAll('&amp;', '&'), url).href,
    ),
  }
}

test('every link of ours answers, and every anchor is there', async () => {
  const context = await stage.newContext()
  const visited = new Map<string, Visited>()
  const links: { from: string; to: string }[] = [{ from: 'the start', to: `${stage.url}/` }]
  for (const { to } of links) {
    const url = to.replace(/#.*/, '')
    if (!url.startsWith(stage.url) || visited.has(url)) continue
    const page = await visit(context, url)
    visited.set(url, page)
    for (const link of page.links) links.push({ from: url, to: link })
  }

  const own = links.filter(({ to }) => to.startsWith(stage.url))
  const broken = own.filter(({ to }) => {
    const [url = '', anchor] = to.split('#')
    const { status = 0, ids = [] } = visited.get(url) ?? {}
    const isOffer = status === 402 && url.startsWith(`${stage.url}/reports/`)
    return !(status === 200 || isOffer) || (anchor !== undefined && !ids.includes(anchor))
  })
  expect(broken).toEqual([])

  const reached = [...visited.keys()].map((url) => new URL(url).pathname)
  expect(reached).toEqual(expect.arrayContaining([...STATIC_PAGE_PATHS]))
  expect(own.some(({ to }) => to.includes('/docs/findings#spf.too-many-lookups'))).toBe(true)
})

test('links that leave the site leave it by https', async () => {
  const context = await stage.newContext()
  const away: string[] = []
  for (const path of ['/', '/?domain=lookups.test', ...STATIC_PAGE_PATHS]) {
    const { links } = await visit(context, stage.url + path)
    away.push(...links.filter((link) => !link.startsWith(stage.url)))
  }
  expect(away).toContain('https://www.rfc-editor.org/rfc/rfc7208#section-4.6.4')
  expect(away.filter((link) => !link.startsWith('https://'))).toEqual([])
})
