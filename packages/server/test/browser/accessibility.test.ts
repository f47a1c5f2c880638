/** No page shuts anybody out, as far as axe-core can tell. */
import { expect, test } from 'vitest'
import { setUpBrowser } from './browser-environment.js'
import { openBuyerPage, waitForReport } from './buyer-page.js'
import { expectAccessible } from './expect-accessible.js'

const stage = setUpBrowser()

test.each([
  ['home', '/'],
  ['a good domain', '/?domain=good.test'],
  ['a broken one', '/?domain=lookups.test'],
  ['one without any record', '/?domain=nothing.test'],
  ['an unknown one', '/?domain=nowhere.test'],
  ['an offer', '/reports/fix-plan?domain=good.test'],
  ['an offer that cannot be', '/reports/email-check?email=ann'],
  ['the documentation', '/docs'],
  ['an endpoint', '/docs/api/fix-plan'],
  ['all findings', '/docs/findings'],
  ['a guide', '/docs/guides/payments'],
  ['all problems', '/problems'],
  ['a problem', '/problems/rate-limited'],
  ['an address that leads nowhere', '/nowhere'],
])('%s', async (_, path) => {
  await expectAccessible(await stage.openPage(path))
})

test.each([
  ['score', '/reports/score?domain=lookups.test'],
  ['emailCheck', '/reports/email-check?email=Sales%2Bnews@monitoring.test'],
  ['fixPlan', '/reports/fix-plan?domain=lookups.test'],
  ['fixPlan', '/reports/fix-plan?domain=parked.test'],
])('a report that was bought: %s, %s', async (id, path) => {
  const page = await openBuyerPage(stage, path)
  await page.getByRole('button', { name: 'Buy with the demo wallet' }).click()
  await waitForReport(page, id)
  await expectAccessible(page)
})

test('all three on one page', async () => {
  const page = await openBuyerPage(stage, '/?domain=monitoring.test')
  await page.getByLabel('Email address').fill('ann@monitoring.test')
  for (const [index, id] of ['score', 'emailCheck', 'fixPlan'].entries()) {
    await page.getByRole('button', { name: 'Buy with the demo wallet' }).nth(index).click()
    await waitForReport(page, id)
  }
  expect(await page.locator('[data-report]').count()).toBe(3)
  await expectAccessible(page)
})
