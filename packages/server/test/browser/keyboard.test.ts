/** Using the site with the keyboard only, and printing it. */
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { setUpBrowser } from './browser-environment.js'
import {
  demoWalletButton,
  openBuyerPage,
  PAID_STATUS,
  waitForReport,
  waitForStatus,
} from './buyer-page.js'
import { visibleText } from './page-text.js'

const environment = setUpBrowser()
/** More tab stops than any page has. */
const MAX_STOPS = 150

/** Presses Tab until the target has the focus; every stop on the way must have a visible outline. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let stops = 0; stops < MAX_STOPS; stops++) {
    await page.keyboard.press('Tab')
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outline')
    expect(outline).toMatch(/ solid 3px$/)
    if ((await target.and(page.locator(':focus')).count()) === 1) return
  }
  throw new Error(`${target} cannot be reached`)
}

test('from the home page to a purchased plan with the keyboard only', async () => {
  const page = await openBuyerPage(environment, '/')
  await tabTo(page, page.getByRole('textbox', { name: 'Domain, email address, or website' }))
  await page.keyboard.type('monitoring.test')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/?domain=monitoring.test')

  await tabTo(page, demoWalletButton(page, 'Fix plan'))
  await page.keyboard.press('Space')
  await waitForStatus(page, PAID_STATUS)
  expect(await visibleText(page.locator(':focus'))).toBe('Fix plan for monitoring.test')

  const report = await waitForReport(page, 'fixPlan')
  await tabTo(page, report.getByRole('checkbox').first())
  await tabTo(page, report.locator('summary').filter({ hasText: 'View the zone file' }))
  await page.keyboard.press('Enter')
  expect(await report.locator('.block').first().isVisible()).toBe(true)
})

test('the first tab stop skips to the content', async () => {
  const page = await openBuyerPage(environment, '/')
  await tabTo(page, page.getByRole('link', { name: 'Skip to content' }))
  expect(await page.getByRole('link', { name: 'Skip to content' }).boundingBox()).toMatchObject({
    x: expect.toSatisfy((x: number) => x >= 0),
  })
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  expect(await page.locator(':focus').getAttribute('id')).toBe('domain')
})

describe('printed', () => {
  test.each(['/?domain=lookups.test', '/reports/fix-plan?domain=lookups.test'])(
    'a plan bought at %s shows all records and no controls',
    async (path) => {
      const page = await openBuyerPage(environment, path)
      await page.getByRole('button', { name: 'Buy with the demo wallet' }).last().click()
      await waitForStatus(page, PAID_STATUS)
      const report = await waitForReport(page, 'fixPlan')
      await page.emulateMedia({ media: 'print' })
      await page.evaluate('dispatchEvent(new Event("beforeprint"))')

      const steps = await report.locator('.checklist > li, .record').all()
      // 22 steps, and 3 records to keep.
      expect(steps).toHaveLength(25)
      for (const step of steps) expect(await step.isVisible()).toBe(true)
      for (const hidden of ['nav', '.ask', '.buy', 'button', '.notice', '.tiles', '.next-steps']) {
        expect(await page.locator(`${hidden}:visible`).count(), hidden).toBe(0)
      }
      // On screen nothing has changed.
      await page.evaluate('dispatchEvent(new Event("afterprint"))')
      expect(await report.locator('.block').first().isVisible()).toBe(false)
    },
  )

  test('prints the whole result page if there is no report', async () => {
    const page = await environment.openPage('/?domain=lookups.test')
    await page.emulateMedia({ media: 'print' })
    for (const part of ['#verdict', '.tiles', '#spf', '#dmarc', '#dkim', '#mx']) {
      expect(await page.locator(part).isVisible(), part).toBe(true)
    }
  })
})
