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
  ['an exposed domain', '/?domain=monitoring.test'],
  ['a domain with an unknown key', '/?domain=selector.test'],
  ['a domain without records', '/?domain=nothing.test'],
  ['an unknown domain', '/?domain=nowhere.test'],
  ['invalid input', '/?domain=good..test'],
  ['the form for several domains', '/domains'],
  ['several domains', '/domains?domains=good.test,lookups.test,parked.test,nowhere.test,a_b'],
  ['no domain in the list', '/domains?domains='],
  ['an offer', '/reports/fix-plan?domain=good.test'],
  ['an offer for invalid input', '/reports/email-check?email=ann'],
  ['a sample report', '/reports/fix-plan/sample'],
  ['no reports yet', '/reports'],
  ['the documentation', '/docs'],
  ['a free endpoint', '/docs/api/check'],
  ['a paid endpoint', '/docs/api/fix-plan'],
  ['all findings', '/docs/findings'],
  ['a guide', '/docs/guides/payments'],
  ['the documentation for operators', '/docs/operators'],
  ['a guide for operators', '/docs/guides/operations'],
  ['the MCP endpoint', '/mcp'],
  ['what protects a domain', '/learn'],
  ['signed mail', '/learn/dkim'],
  ['encrypted delivery', '/learn/mta-sts'],
  ['a finding explained', '/learn/spf.too-many-lookups'],
  ['questions and answers', '/faq'],
  ['privacy', '/privacy'],
  ['terms', '/terms'],
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

test.each(['JavaScript', 'Python'])(
  'an endpoint with its %s example and a response',
  async (name) => {
    const page = await environment.openPage('/docs/api/score')
    await page.getByRole('radio', { name }).check()
    await page.getByRole('button', { name: 'Send request' }).click()
    await page.getByRole('link', { name: 'Buy this report in the browser' }).waitFor()
    await expectAccessible(page)
  },
)

test('three purchased reports on one page', async () => {
  const page = await openBuyerPage(environment, '/?domain=monitoring.test')
  await page.getByLabel('Email address', { exact: true }).fill('ann@monitoring.test')
  for (const id of ['score', 'emailCheck', 'fixPlan']) {
    // The form of a report that was bought is closed.
    await page.getByRole('button', { name: 'Buy with the demo wallet' }).first().click()
    await waitForReport(page, id)
  }
  expect(await page.locator('[data-report]').count()).toBe(3)
  await expectAccessible(page)
})

/** Opens every closed section, so axe-core sees all content. */
const OPEN_DETAILS =
  'for (const details of document.querySelectorAll("details")) details.open = true'
/** Of all rules, only these depend on colors. They take most of the time. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']
const OTHER_RULES = Object.fromEntries(COLOR_RULES.map((rule) => [rule, { enabled: false }]))

/**
 * Every layout and every color scheme; every pair of them only at night, because rules about
 * colors take most of the time. A layout in between shows what one of the others shows.
 */
const VIEWS = [
  { width: 360, colorScheme: 'light', options: {} },
  { width: 768, colorScheme: 'light', options: { rules: OTHER_RULES } },
  { width: 1280, colorScheme: 'dark', options: {} },
] as const
const OTHER_PAIRS = [
  { width: 360, colorScheme: 'dark', options: { runOnly: COLOR_RULES } },
  { width: 1280, colorScheme: 'light', options: { runOnly: COLOR_RULES } },
] as const
const views = process.env.COLOR_PAIRS === 'all' ? [...VIEWS, ...OTHER_PAIRS] : VIEWS

const runAxe = (options: object) => `
  axe.run(${JSON.stringify({ ...options, resultTypes: ['violations'] })}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.html)))`

async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(OPEN_DETAILS)
  await page.evaluate(source)
  for (const { width, colorScheme, options } of views) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    expect(await page.evaluate('document.documentElement.scrollWidth'), 'width').toBe(width)
    expect(await page.evaluate(runAxe(options)), `${width} px, ${colorScheme}`).toEqual([])
  }
}
