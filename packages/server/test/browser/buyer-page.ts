/** A person who buys on a page, and what the page says meanwhile. */
import type { BrowserContext, Locator, Page } from 'playwright-core'
import type { BrowserEnvironment } from './browser-environment.js'

/** Notes every word of a status line, however short it stood. */
const LISTEN = `
  window.said = []
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      if (target.role !== 'status') continue
      for (const { textContent } of addedNodes) said.push(textContent)
    }
  }).observe(document, { childList: true, subtree: true })
`

/** Opens a page whose status lines are listened to. */
export async function openPageRecordingStatus(
  context: BrowserContext,
  path: string,
): Promise<Page> {
  await context.addInitScript(LISTEN)
  const page = await context.newPage()
  await page.goto(path)
  return page
}

export async function openBuyerPage(stage: BrowserEnvironment, path: string): Promise<Page> {
  return openPageRecordingStatus(await stage.newContext(), path)
}

export function recordedStatuses(page: Page): Promise<string[]> {
  return page.evaluate('said')
}

/** Waits until the status line says so. */
export async function waitForStatus(page: Page, words: string | RegExp): Promise<void> {
  await page.getByRole('status').filter({ hasText: words }).waitFor()
}

/** The report that stands on the page, once it does. */
export async function waitForReport(page: Page, id: string): Promise<Locator> {
  const report = page.locator(`[data-report="${id}"]`)
  await report.waitFor()
  return report
}

export const PAID_STATUS = 'Paid. The report stands below.'

/** The names of our scripts that were asked for so far, and from now on. */
export function recordScripts(page: Page): string[] {
  const names: string[] = []
  page.on('request', (request) => {
    const [, name] = /\/assets\/[^/]+\/([\w-]+\.js)$/.exec(request.url()) ?? []
    if (name) names.push(name)
  })
  return names
}

/** The payments that were sent so far, and from now on. */
export function recordPayments(page: Page): string[] {
  const payments: string[] = []
  page.on('request', (request) => {
    const payment = request.headers()['payment-signature']
    if (payment) payments.push(payment)
  })
  return payments
}
