/** One visit of somebody new, measured by the browser itself. */
import type { Browser, CDPSession, Page } from 'playwright-core'

export interface PageVisit {
  /** Over the wire, headers and all. */
  readonly bytes: number
  readonly requests: number
  /** Of the HTML, from the start of the navigation. */
  readonly firstByteMs: number
  readonly resultMs: number
  readonly largestPaintMs: number
  readonly layoutShift: number
  /** What the scripts weigh that come with a first purchase. */
  readonly walletBytes: number
}

/** Notes when what people came for is painted, and what moves meanwhile. */
const OBSERVE = `
  window.seen = { resultMs: 0, largestPaintMs: 0, layoutShift: 0 }
  const observe = (type, note) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true })
  observe('largest-contentful-paint', ({ startTime }) => { seen.largestPaintMs = startTime })
  observe('layout-shift', ({ value }) => { seen.layoutShift += value })
  new MutationObserver((_, observer) => {
    if (!document.querySelector('#verdict, .hero h1')) return
    observer.disconnect()
    requestAnimationFrame(() => { seen.resultMs = performance.now() })
  }).observe(document, { childList: true, subtree: true })
`

export async function visitPage(browser: Browser, url: string): Promise<PageVisit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  try {
    const page = await context.newPage()
    await page.addInitScript(OBSERVE)
    const wire = await watchWire(await context.newCDPSession(page))
    await page.goto(url, { waitUntil: 'networkidle' })
    const before = wire()
    const { responseStart } = await timingOf(page)
    const seen =
      await page.evaluate<Pick<PageVisit, 'resultMs' | 'largestPaintMs' | 'layoutShift'>>('seen')
    return { ...before, firstByteMs: responseStart, ...seen, walletBytes: await walletBytes(page) }
  } finally {
    await context.close()
  }
}

async function watchWire(
  session: CDPSession,
): Promise<() => Pick<PageVisit, 'bytes' | 'requests'>> {
  const sizes: number[] = []
  session.on('Network.loadingFinished', ({ encodedDataLength }) => sizes.push(encodedDataLength))
  await session.send('Network.enable')
  return () => ({ bytes: sizes.reduce((sum, size) => sum + size, 0), requests: sizes.length })
}

function timingOf(page: Page): Promise<{ responseStart: number }> {
  return page.evaluate('performance.getEntriesByType("navigation")[0].toJSON()')
}

/** Buys the first report of the page, and weighs the scripts that had to come for it. */
async function walletBytes(page: Page): Promise<number> {
  await page.evaluate('performance.clearResourceTimings()')
  const form = page.locator('form.buy').first()
  await form.locator('input').fill('good.test')
  await form.locator('button').first().click()
  await page.locator('[data-report]').waitFor()
  return page.evaluate(`performance.getEntriesByType('resource')
    .filter(({ name }) => name.endsWith('.js'))
    .reduce((sum, { transferSize }) => sum + transferSize, 0)`)
}
