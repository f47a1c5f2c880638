/** Pages on which a test buys a report, with their status messages. */
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core'
import type { BrowserEnvironment } from './browser-environment.js'

/** Records every status message, even those shown only briefly. */
const RECORD_STATUSES = `
  window.statuses = []
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      if (target.role !== 'status') continue
      for (const { textContent } of addedNodes) statuses.push(textContent)
    }
  }).observe(document, { childList: true, subtree: true })
`

/** Opens a page and records its status messages. */
export async function openPageRecordingStatus(
  context: BrowserContext,
  path: string,
): Promise<Page> {
  await context.addInitScript(RECORD_STATUSES)
  const page = await context.newPage()
  await page.goto(path)
  return page
}

export async function openBuyerPage(environment: BrowserEnvironment, path: string): Promise<Page> {
  return openPageRecordingStatus(await environment.newContext(), path)
}

export function recordedStatuses(page: Page): Promise<string[]> {
  return page.evaluate('statuses')
}

/** The button that buys a report on a result page, by the name of the report. */
export function demoWalletButton(page: Page, name: string): Locator {
  const line = page.locator('.paid-reports > li').filter({ hasText: name })
  return line.getByRole('button', { name: 'Buy with the demo wallet' })
}

/** Waits for a status message. */
export async function waitForStatus(page: Page, text: string | RegExp): Promise<void> {
  await page.getByRole('status').filter({ hasText: text }).waitFor()
}

/** Waits for the report to be on the page. */
export async function waitForReport(page: Page, id: string): Promise<Locator> {
  const report = page.locator(`[data-report="${id}"]`)
  await report.waitFor()
  return report
}

export const PAID_STATUS = 'Paid. Open your report'

/** The names of our scripts that the page requests from now on. */
export function recordScripts(page: Page): string[] {
  const names: string[] = []
  page.on('request', (request) => {
    const [, name] = /\/assets\/[^/]+\/([\w-]+\.js)$/.exec(request.url()) ?? []
    if (name) names.push(name)
  })
  return names
}

/** The payments that the page sends from now on. */
export function recordPayments(page: Page): string[] {
  const payments: string[] = []
  page.on('request', (request) => {
    const payment = request.headers()['payment-signature']
    if (payment) payments.push(payment)
  })
  return payments
}

export interface BoughtPlan {
  readonly page: Page
  readonly report: Locator
}

/** Buys the plan for a demo domain on its own page. */
export async function buyPlan(
  environment: BrowserEnvironment,
  domain: string,
  options: BrowserContextOptions = {},
): Promise<BoughtPlan> {
  const context = await environment.newContext(options)
  const page = await openPageRecordingStatus(context, `/reports/fix-plan?domain=${domain}`)
  await page.getByRole('button', { name: 'Buy with the demo wallet' }).click()
  return { page, report: await waitForReport(page, 'fixPlan') }
}
