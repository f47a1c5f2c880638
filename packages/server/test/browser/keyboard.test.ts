/** Everything can be done without a mouse, and on paper. */
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { setUpBrowser } from './browser-environment.js'
import { openBuyerPage, PAID_STATUS, waitForReport, waitForStatus } from './buyer-page.js'
import { visibleText } from './page-text.js'

const stage = setUpBrowser()
/** More than any page has stops. */
const MOST_STOPS = 150

/** Presses Tab until this has the focus; every stop on the way must be seen to have it. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let stops = 0; stops < MOST_STOPS; stops++) {
    await page.keyboard.press('Tab')
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outline')
    expect(outline).toMatch(/ solid 3px$/)
    if ((await target.and(page.locator(':focus')).count()) === 1) return
  }
  throw new Error(`${target} cannot be reached`)
}

test('from the first page to a plan that was bought, by keyboard alone', async () => {
  const page = await openBuyerPage(stage, '/')
  await tabTo(page, page.getByRole('textbox', { name: 'Domain, or an address or URL on it' }))
  await page.keyboard.type('monitoring.test')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/?domain=monitoring.test')

  const articles = page.getByRole('article').filter({ hasText: 'Plan the DNS records' })
  await tabTo(page, articles.getByRole('button', { name: 'Buy with the demo wallet' }))
  await page.keyboard.press('Space')
  await waitForStatus(page, PAID_STATUS)
  expect(await visibleText(page.locator(':focus'))).toBe(
    'Plan the DNS records that secure a domain’s email: monitoring.test',
  )

  const report = await waitForReport(page, 'fixPlan')
  await tabTo(page, report.getByText('The same in words, for Cloudflare'))
  await page.keyboard.press('Enter')
  expect(await report.locator('.steps').isVisible()).toBe(true)
})

test('the first stop leads past everything that is on every page', async () => {
  const page = await openBuyerPage(stage, '/')
  await tabTo(page, page.getByRole('link', { name: 'Skip to the content' }))
  expect(await page.getByRole('link', { name: 'Skip to the content' }).boundingBox()).toMatchObject(
    {
      x: expect.toSatisfy((x: number) => x >= 0),
    },
  )
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  expect(await page.locator(':focus').getAttribute('id')).toBe('domain')
})

describe('on paper', () => {
  test.each(['/?domain=lookups.test', '/reports/fix-plan?domain=lookups.test'])(
    'a plan bought at %s has all its records, and nothing to press',
    async (path) => {
      const page = await openBuyerPage(stage, path)
      await page.getByRole('button', { name: 'Buy with the demo wallet' }).last().click()
      await waitForStatus(page, PAID_STATUS)
      const report = await waitForReport(page, 'fixPlan')
      await page.emulateMedia({ media: 'print' })
      await page.evaluate('dispatchEvent(new Event("beforeprint"))')

      const records = await report.locator('.record').all()
      expect(records.length).toBeGreaterThan(10)
      for (const record of records) expect(await record.isVisible()).toBe(true)
      for (const left of ['nav', '.ask', '.buy', 'button', '.notice', '.tiles', '.share']) {
        expect(await page.locator(`${left}:visible`).count(), left).toBe(0)
      }
      // On screen it is as it was.
      await page.evaluate('dispatchEvent(new Event("afterprint"))')
      expect(await report.locator('.steps').isVisible()).toBe(false)
    },
  )

  test('a check without a report is printed whole', async () => {
    const page = await stage.openPage('/?domain=lookups.test')
    await page.emulateMedia({ media: 'print' })
    for (const part of ['#verdict', '.tiles', '#spf', '#dmarc', '#dkim', '#mx']) {
      expect(await page.locator(part).isVisible(), part).toBe(true)
    }
  })
})
