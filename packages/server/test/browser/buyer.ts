/** A person who buys on a page, and what the page says meanwhile. */
import type { BrowserContext, Locator, Page } from 'playwright-core'
import type { Stage } from './stage.js'

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
export async function openListening(context: BrowserContext, path: string): Promise<Page> {
  await context.addInitScript(LISTEN)
  const page = await context.newPage()
  await page.goto(path)
  return page
}

export async function enter(stage: Stage, path: string): Promise<Page> {
  return openListening(await stage.visitor(), path)
}

export function said(page: Page): Promise<string[]> {
  return page.evaluate('said')
}

/** Waits until the status line says so. */
export async function hear(page: Page, words: string | RegExp): Promise<void> {
  await page.getByRole('status').filter({ hasText: words }).waitFor()
}

/** The report that stands on the page, once it does. */
export async function reportOn(page: Page, id: string): Promise<Locator> {
  const report = page.locator(`[data-report="${id}"]`)
  await report.waitFor()
  return report
}

export const PAID = 'Paid. The report stands below.'

/** The names of our scripts that were asked for so far, and from now on. */
export function noteScripts(page: Page): string[] {
  const names: string[] = []
  page.on('request', (request) => {
    const [, name] = /\/assets\/[^/]+\/([\w-]+\.js)$/.exec(request.url()) ?? []
    if (name) names.push(name)
  })
  return names
}

/** The payments that were sent so far, and from now on. */
export function notePayments(page: Page): string[] {
  const payments: string[] = []
  page.on('request', (request) => {
    const payment = request.headers()['payment-signature']
    if (payment) payments.push(payment)
  })
  return payments
}
