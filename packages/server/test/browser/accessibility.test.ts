/** Every page passes axe-core: on a phone and a desktop, in light and dark mode. */
import { source } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { setUpBrowser } from './browser-environment.js'
import { openBuyerPage, waitForReport } from './buyer-page.js'

const environment = setUpBrowser()

test.each([
  ['home', '/'],
  ['a good domain', '/?domain=good.test'],
  ['a broken domain', '/?domain=lookups.test'],
  ['a domain without records', '/?domain=nothing.test'],
  ['an unknown domain', '/?domain=nowhere.test'],
  ['an offer', '/reports/fix-plan?domain=good.test'],
  ['an offer for invalid input', '/reports/email-check?email=ann'],
  ['the documentation', '/docs'],
  ['an endpoint', '/docs/api/fix-plan'],
  ['all findings', '/docs/findings'],
  ['a guide', '/docs/guides/payments'],
  ['all problems', '/problems'],
  ['a problem', '/problems/rate-limited'],
  ['a missing page', '/nowhere'],
])('%s', async (_, path) => {
  await expectAccessible(await environment.openPage(path))
})

test.each([
  ['score', '/reports/score?domain=lookups.test'],
  ['emailCheck', '/reports/email-check?email=Sales%2Bnews@monitoring.test'],
  ['fixPlan', '/reports/fix-plan?domain=lookups.test'],
  ['fixPlan', '/reports/fix-plan?domain=parked.test'],
])('purchased report: %s, %s', async (id, path) => {
  const page = await openBuyerPage(environment, path)
  await page.getByRole('button', { name: 'Buy with the demo wallet' }).click()
  await waitForReport(page, id)
  await expectAccessible(page)
})

test('three purchased reports on one page', async () => {
  const page = await openBuyerPage(environment, '/?domain=monitoring.test')
  await page.getByLabel('Email address', { exact: true }).fill('ann@monitoring.test')
  for (const [index, id] of ['score', 'emailCheck', 'fixPlan'].entries()) {
    await page.getByRole('button', { name: 'Buy with the demo wallet' }).nth(index).click()
    await waitForReport(page, id)
  }
  expect(await page.locator('[data-report]').count()).toBe(3)
  await expectAccessible(page)
})

const WIDTHS = [360, 1280]
const SCHEMES = ['light', 'dark'] as const

/** Opens every closed section, so axe-core sees all content. */
const OPEN_DETAILS =
  'for (const details of document.querySelectorAll("details")) details.open = true'
const RUN = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.html)))`

async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(OPEN_DETAILS)
  await page.evaluate(source)
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    expect(await page.evaluate('document.documentElement.scrollWidth'), 'width').toBe(width)
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme })
      expect(await page.evaluate(RUN), `${width} px, ${colorScheme}`).toEqual([])
    }
  }
}
