/** The network breaks when a payment is signed: the same one is sent again, and charged once. */
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
import { visibleText } from './page-text.js'
import { revenueAt } from './sandbox-revenue.js'

const stage = setUpBrowser()
const CENT = 10_000n
const AGAIN = 'No answer yet; trying again with the same payment…'
const OPEN = 'It is not known yet whether the payment went through.'

/** Lets something happen to requests that carry a payment, so many times. */
async function disturb(page: Page, times: number, act: (route: Route) => Promise<void>) {
  let left = times
  await page.route('**/reports/score?*', async (route) => {
    const isPaid = 'payment-signature' in route.request().headers()
    if (isPaid && left-- > 0) await act(route)
    else await route.continue()
  })
}

async function start() {
  const page = await openBuyerPage(stage, '/reports/score?domain=lookups.test')
  const before = await revenueAt(stage.url)
  return {
    page,
    payments: recordPayments(page),
    press: () => page.getByRole('button', { name: 'Buy with the demo wallet' }).click(),
    earned: async () => (await revenueAt(stage.url)) - before,
  }
}

/** Without a connection, until the payment would no longer be valid by the clock of the page. */
async function giveUp(page: Page, press: () => Promise<void>) {
  const path = '**/reports/score?*'
  await page.clock.install()
  await page.route(path, (route) =>
    'payment-signature' in route.request().headers()
      ? route.abort('internetdisconnected')
      : route.continue(),
  )
  await press()
  await waitForStatus(page, AGAIN)
  await page.clock.fastForward('03:00')
  await waitForStatus(page, OPEN)
  await page.unroute(path)
}

async function expectScore(page: Page) {
  await waitForStatus(page, PAID_STATUS)
  expect(await visibleText((await waitForReport(page, 'score')).locator('.score'))).toBe(
    'C 74 of 100',
  )
}

test('the payment does not arrive', async () => {
  const { page, press, payments, earned } = await start()
  await disturb(page, 1, (route) => route.abort('connectionreset'))
  await press()
  await expectScore(page)
  expect(await recordedStatuses(page)).toContain(AGAIN)
  expect(payments).toHaveLength(2)
  expect(new Set(payments).size).toBe(1)
  expect(await earned()).toBe(CENT)
})

test('it is settled, and the answer gets lost', async () => {
  const { page, press, payments, earned } = await start()
  const lost: number[] = []
  await disturb(page, 1, async (route) => {
    lost.push((await route.fetch()).status())
    await route.abort('connectionreset')
  })
  await press()
  await expectScore(page)
  expect(lost).toEqual([200])
  expect(new Set(payments).size).toBe(1)
  expect(await earned()).toBe(CENT)
})

test('the service does not know yet what became of it', async () => {
  const { page, press, payments, earned } = await start()
  await disturb(page, 2, async (route) => {
    const headers = { 'Retry-After': '0' }
    await route.fulfill({ status: 502, headers, contentType: 'text/html', body: '' })
  })
  await press()
  await expectScore(page)
  expect(payments).toHaveLength(3)
  expect(new Set(payments).size).toBe(1)
  expect(await earned()).toBe(CENT)
})

test('the connection stays away: who presses again, also after a reload, sends the same payment', async () => {
  const { page, press, payments, earned } = await start()
  await giveUp(page, press)
  expect(await earned()).toBe(0n)

  await page.reload()
  await press()
  await expectScore(page)
  expect(new Set(payments).size).toBe(1)
  expect(await earned()).toBe(CENT)
})

test('payments do not work: that is said at once, and nothing was paid', async () => {
  const { page, press, payments, earned } = await start()
  await disturb(page, 1, async (route) => {
    const words = '<p class="summary">The payment could not be checked.</p>'
    const notice = 'data-problem="facilitator_unavailable" data-charged="no"'
    const body = `<section ${notice}>${words}</section>`
    await route.fulfill({ status: 502, contentType: 'text/html', body })
  })
  await press()
  await waitForStatus(
    page,
    'The payment could not be checked. Nothing was paid; press the button again later.',
  )
  expect(await earned()).toBe(0n)
  await press()
  await expectScore(page)
  expect(new Set(payments).size).toBe(1)
  expect(await earned()).toBe(CENT)
})

test('somebody else answers in our place, such as the login page of a network', async () => {
  const { page, press, payments, earned } = await start()
  await disturb(page, 1, async (route) => {
    await route.fetch()
    await route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>Log in</h1>' })
  })
  await press()
  await expectScore(page)
  expect(new Set(payments).size).toBe(1)
  expect(await earned()).toBe(CENT)
})

test('refused after an answer was lost: the person is told to look before paying again', async () => {
  const { page, press, payments } = await start()
  await disturb(page, 1, (route) => route.abort('connectionreset'))
  await page.route('**/reports/score?*', async (route) => {
    if (payments.length < 2) return route.fallback()
    const words = '<p class="summary">The authorization has expired.</p>'
    const body = `<section data-problem="payment_required">${words}</section>`
    await route.fulfill({ status: 402, contentType: 'text/html', body })
  })
  await press()
  await waitForStatus(
    page,
    'The authorization has expired. This payment may have gone through already: look in your wallet before you buy again.',
  )
  expect(new Set(payments).size).toBe(1)
})

test('the wallet code does not come: the page says so, and pressing again helps', async () => {
  const { page, press, payments, earned } = await start()
  await page.route('**/buy-report.js', (route) => route.abort('connectionreset'), { times: 1 })
  await press()
  await waitForStatus(page, 'The wallet code could not be loaded. Try again in a moment.')
  expect(payments).toEqual([])
  await press()
  await expectScore(page)
  expect(await earned()).toBe(CENT)
})

test('a browser that lets us remember nothing: the same payment is sent all the same', async () => {
  const { page, press, payments, earned } = await start()
  await page.addInitScript(
    'Object.defineProperty(window, "sessionStorage", { get() { throw new Error("no") } })',
  )
  await page.reload()
  await giveUp(page, press)
  await press()
  await expectScore(page)
  expect(new Set(payments).size).toBe(1)
  expect(await earned()).toBe(CENT)
})

test.each([
  ['nowhere.test', 'nowhere.test does not exist in the DNS. Check the spelling.'],
  ['good..test', 'good..test has an extra dot; remove it.'],
])('%s cannot be bought, and costs nothing', async (domain, words) => {
  const { page, press, earned } = await start()
  await page.getByRole('textbox', { name: 'Domain' }).fill(domain)
  await press()
  await waitForStatus(page, words)
  expect(await earned()).toBe(0n)
})
