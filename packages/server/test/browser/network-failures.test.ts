/** The network fails after a payment is signed: the same payment is sent again and charged once. */
import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { setUpBrowser } from './browser-environment.js'
import {
  openBuyerPage,
  PAID_STATUS,
  recordedStatuses,
  recordPayments,
  waitForReport,
  waitForStatus,
} from './buyer-page.js'
import { revenueAt } from './sandbox-revenue.js'

const environment = setUpBrowser()
const CENT = 10_000n
const RETRYING = 'No answer yet. Trying again with the same payment…'
const OUTCOME_UNKNOWN = 'We don’t know yet whether the payment went through.'

/** Intercepts this many requests that carry a payment. */
async function intercept(page: Page, times: number, act: (route: Route) => Promise<void>) {
  let left = times
  await page.route('**/reports/score?*', async (route) => {
    const isPaid = 'payment-signature' in route.request().headers()
    if (isPaid && left-- > 0) await act(route)
    else await route.continue()
  })
}

async function start() {
  const page = await openBuyerPage(environment, '/reports/score?domain=lookups.test')
  const before = await revenueAt(environment.url)
  return {
    page,
    payments: recordPayments(page),
    press: () => page.getByRole('button', { name: 'Buy with the demo wallet' }).click(),
    earned: async () => (await revenueAt(environment.url)) - before,
  }
}

/** Presses the button without a connection until the payment expires by the clock of the page. */
async function pressOffline(page: Page, press: () => Promise<void>) {
  const path = '**/reports/score?*'
  await page.clock.install()
  await page.route(path, (route) =>
    'payment-signature' in route.request().headers()
      ? route.abort('internetdisconnected')
      : route.continue(),
  )
  await press()
  await waitForStatus(page, RETRYING)
  await page.clock.fastForward('03:00')
  await waitForStatus(page, OUTCOME_UNKNOWN)
  await page.unroute(path)
}

async function expectScore(page: Page) {
  await waitForStatus(page, PAID_STATUS)
  const mark = (await waitForReport(page, 'score')).locator('.mark text')
  expect(await mark.allTextContents()).toEqual(['F', '54 of 100'])
}

test('retries a payment that does not arrive', async () => {
  const { page, press, payments, earned } = await start()
  await intercept(page, 1, (route) => route.abort('connectionreset'))
  await press()
  await expectScore(page)
  expect(await recordedStatuses(page)).toContain(RETRYING)
  expect(payments).toHaveLength(2)
  expect(new Set(payments).size).toBe(1)
  expect(await earned()).toBe(CENT)
})

test('retries if the payment is settled but the response is lost', async () => {
  const { page, press, payments, earned } = await start()
  const lostStatuses: number[] = []
  await intercept(page, 1, async (route) => {
    lostStatuses.push((await route.fetch()).status())
    await route.abort('connectionreset')
  })
  await press()
  await expectScore(page)
  expect(lostStatuses).toEqual([200])
  expect(new Set(payments).size).toBe(1)
  expect(await earned()).toBe(CENT)
})

test('retries if the service does not know the outcome yet', async () => {
  const { page, press, payments, earned } = await start()
  await intercept(page, 2, async (route) => {
    const headers = { 'Retry-After': '0' }
    await route.fulfill({ status: 502, headers, contentType: 'text/html', body: '' })
  })
  await press()
  await expectScore(page)
  expect(payments).toHaveLength(3)
  expect(new Set(payments).size).toBe(1)
  expect(await earned()).toBe(CENT)
})

test('sends the same payment when the button is pressed again, even after a reload', async () => {
  const { page, press, payments, earned } = await start()
  await pressOffline(page, press)
  expect(await earned()).toBe(0n)

  await page.reload()
  await press()
  await expectScore(page)
  expect(new Set(payments).size).toBe(1)
  expect(await earned()).toBe(CENT)
})

test('says at once that nothing was paid if payments do not work', async () => {
  const { page, press, payments, earned } = await start()
  await intercept(page, 1, async (route) => {
    const summary = '<p class="summary">The payment could not be checked.</p>'
    const notice = 'data-problem="facilitator_unavailable" data-charged="no"'
    const body = `<section ${notice}>${summary}</section>`
    await route.fulfill({ status: 502, contentType: 'text/html', body })
  })
  await press()
  await waitForStatus(
    page,
    'The payment could not be checked. You weren’t charged. Try again later.',
  )
  expect(await earned()).toBe(0n)
  await press()
  await expectScore(page)
  expect(new Set(payments).size).toBe(1)
  expect(await earned()).toBe(CENT)
})

test('ignores a response that is not ours, such as the login page of a network', async () => {
  const { page, press, payments, earned } = await start()
  await intercept(page, 1, async (route) => {
    await route.fetch()
    await route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>Log in</h1>' })
  })
  await press()
  await expectScore(page)
  expect(new Set(payments).size).toBe(1)
  expect(await earned()).toBe(CENT)
})

test('asks the person to check the wallet if a retry is rejected', async () => {
  const { page, press, payments } = await start()
  await intercept(page, 1, (route) => route.abort('connectionreset'))
  await page.route('**/reports/score?*', async (route) => {
    if (payments.length < 2) return route.fallback()
    const summary = '<p class="summary">The authorization has expired.</p>'
    const body = `<section data-problem="payment_required">${summary}</section>`
    await route.fulfill({ status: 402, contentType: 'text/html', body })
  })
  await press()
  await waitForStatus(
    page,
    'The authorization has expired. An earlier attempt may have gone through: check your wallet before you buy again.',
  )
  expect(new Set(payments).size).toBe(1)
})

test('says that the wallet code did not load, and works on the next try', async () => {
  const { page, press, payments, earned } = await start()
  await page.route('**/buy-report.js', (route) => route.abort('connectionreset'), { times: 1 })
  await press()
  await waitForStatus(page, 'The wallet code didn’t load. Try again in a moment.')
  expect(payments).toEqual([])
  await press()
  await expectScore(page)
  expect(await earned()).toBe(CENT)
})

test('sends the same payment even if session storage is blocked', async () => {
  const { page, press, payments, earned } = await start()
  await page.addInitScript(
    'Object.defineProperty(window, "sessionStorage", { get() { throw new Error("no") } })',
  )
  await page.reload()
  await pressOffline(page, press)
  await press()
  await expectScore(page)
  expect(new Set(payments).size).toBe(1)
  expect(await earned()).toBe(CENT)
})

test.each([
  ['nowhere.test', 'nowhere.test doesn’t exist in DNS. Check the spelling.'],
  ['good..test', 'good..test has an extra dot; remove it.'],
])('%s costs nothing', async (domain, text) => {
  const { page, press, earned } = await start()
  await page.getByRole('textbox', { name: 'Domain' }).fill(domain)
  await press()
  await waitForStatus(page, text)
  expect(await earned()).toBe(0n)
})
