/** Pressing twice buys once, and a new purchase keeps earlier reports. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { setUpBrowser } from './browser-environment.js'
import { openBuyerPage, PAID_STATUS, recordPayments, waitForStatus } from './buyer-page.js'
import { visibleTexts } from './page-text.js'
import { revenueAt } from './sandbox-revenue.js'

const environment = setUpBrowser()
const CENT = 10_000n
const TITLE = 'Score for'

const titles = (page: Page) => visibleTexts(page.locator('[data-report] h2'))

async function start(path: string) {
  const page = await openBuyerPage(environment, path)
  const before = await revenueAt(environment.url)
  const form = page.locator('form[action="/reports/score"]')
  return {
    page,
    payments: recordPayments(page),
    domain: form.getByRole('textbox'),
    button: form.getByRole('button', { name: 'Buy with the demo wallet' }),
    again: form.locator('summary').filter({ hasText: 'Buy another report' }),
    earned: async () => (await revenueAt(environment.url)) - before,
  }
}

test('a double click buys one report', async () => {
  const { page, button, payments, earned } = await start('/?domain=good.test')
  await button.dblclick()
  await waitForStatus(page, PAID_STATUS)
  expect(payments).toHaveLength(1)
  expect(await earned()).toBe(CENT)
})

test('keeps reports on two domains, even after a reload', async () => {
  const { page, domain, button, again, earned } = await start('/reports/score')
  for (const [count, name] of ['good.test', ' lookups.test '].entries()) {
    await domain.fill(name)
    await button.click()
    await page.locator('[data-report]').nth(count).waitFor()
    await again.click()
  }
  const both = [`${TITLE} good.test`, `${TITLE} lookups.test`]
  expect(await titles(page)).toEqual(both)
  await page.reload()
  expect((await titles(page)).sort()).toEqual(both)
  expect(await earned()).toBe(2n * CENT)
})

test('asks before it buys a report again, then shows the new one', async () => {
  const { page, button, again, earned } = await start('/?domain=good.test')
  await button.click()
  await waitForStatus(page, PAID_STATUS)
  await again.click()
  await button.click()
  await waitForStatus(page, 'You already have this report. Press again to buy a new one.')
  expect(await earned()).toBe(CENT)
  await button.click()
  await waitForStatus(page, PAID_STATUS)
  expect(await titles(page)).toEqual([`${TITLE} good.test`])
  expect(await earned()).toBe(2n * CENT)
})

test('keeps ticked steps after a reload', async () => {
  const page = await openBuyerPage(environment, '/reports/fix-plan?domain=lookups.test')
  await page.getByRole('button', { name: 'Buy with the demo wallet' }).click()
  await waitForStatus(page, PAID_STATUS)
  await page.getByRole('checkbox').nth(1).check()
  await page.reload()
  const ticks = await page.getByRole('checkbox').all()
  const first = await Promise.all(ticks.slice(0, 3).map((tick) => tick.isChecked()))
  expect(first).toEqual([false, true, false])
})
