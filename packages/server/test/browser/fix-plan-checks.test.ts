/** The check button of a step: it ticks what DNS proves, and nothing else. */
import type { Locator, Page, Route } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { setUpBrowser } from './browser-environment.js'
import { type BoughtPlan, buyPlan, recordedStatuses, waitForReport } from './buyer-page.js'
import { visibleText } from './page-text.js'

const environment = setUpBrowser()
const HOUR = 'Changes can take up to an hour.'
const NO_ANSWER = 'We couldn’t reach DNS, so we don’t know yet. Try again in a minute.'

const stepOf = (report: Locator, order: number) =>
  report.locator('.checklist > li').filter({ has: report.page().locator(`[name="step-${order}"]`) })

/** Answers a free check with the real report, changed. */
async function change(page: Page, path: string, fields: object): Promise<void> {
  await page.route(`**${path}`, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), ...fields } })
  })
}

/** Presses the button of a step; returns what it says and whether the step is ticked. */
async function check({ report }: BoughtPlan, order: number): Promise<[string, boolean]> {
  const step = stepOf(report, order)
  const button = step.getByRole('button', { name: `Check now (step ${order})` })
  await button.click()
  await step.locator('button[data-checks]:enabled').waitFor()
  return [await visibleText(step.getByRole('status')), await step.getByRole('checkbox').isChecked()]
}

describe('not published yet', () => {
  test.each([
    ['parked.test', 1, `Not visible yet: DNS shows no SPF record at parked.test. ${HOUR}`],
    ['parked.test', 2, `Not visible yet: DNS shows no DMARC record at _dmarc.parked.test. ${HOUR}`],
    ['parked.test', 3, `Not visible yet: DNS shows no MX record at parked.test. ${HOUR}`],
    [
      'lookups.test',
      6,
      `0 of 2 records are right. Not visible yet: DNS shows no DKIM key at k2._domainkey.lookups.test. ${HOUR}`,
    ],
    [
      'lookups.test',
      1,
      `Not visible yet: DNS shows v=spf1 a mx include:_spf.google.com include:spf.protection.outlook.com include:sendgrid.net include:servers.mcsv.net include:mail.zendesk.com include:_spf.salesforce.com include:spf.mandrillapp.com in… at lookups.test. ${HOUR}`,
    ],
  ])('%s, step %i', async (domain, order, message) => {
    expect(await check(await buyPlan(environment, domain), order)).toEqual([message, false])
  })

  test('an optional record of the domain check', async () => {
    const plan = await buyPlan(environment, 'monitoring.test')
    await stepOf(plan.report, 2).locator('summary').first().click()
    expect(await check(plan, 2)).toEqual([
      `Not visible yet: DNS shows no TLS-RPT record at _smtp._tls.monitoring.test. ${HOUR}`,
      false,
    ])
  })
})

describe('published', () => {
  test('ticks the step, counts it and keeps it after a reload', async () => {
    const plan = await buyPlan(environment, 'parked.test')
    const { page, report } = plan
    await change(page, '/v1/spf?domain=parked.test', { records: ['V=SPF1   -ALL'] })
    expect(await check(plan, 1)).toEqual(['Published: DNS shows parked.test as planned.', true])
    expect(await recordedStatuses(page)).toContain('Checking…')
    expect(await visibleText(report.locator('[data-progress]'))).toBe('1 of 3 steps done')
    await page.reload()
    await waitForReport(page, 'fixPlan')
    expect(await stepOf(report, 1).getByRole('checkbox').isChecked()).toBe(true)
    expect(await visibleText(report.locator('[data-progress]'))).toBe('1 of 3 steps done')
    // The result is of another time.
    expect(await visibleText(stepOf(report, 1).getByRole('status'))).toBe('')
    // The button works in a restored report, too.
    await change(page, '/v1/dmarc?domain=parked.test', { records: ['v=DMARC1;p=reject ;'] })
    expect(await check(plan, 2)).toEqual([
      'Published: DNS shows _dmarc.parked.test as planned.',
      true,
    ])
  })

  test('needs every record of the step', async () => {
    const plan = await buyPlan(environment, 'lookups.test')
    const key = (selector: string, cname: string[], valid = true) => ({
      keys: [{ name: `${selector}._domainkey.lookups.test`, record: 'p=x', valid, cname }],
    })
    const path = (selector: string) => `/v1/dkim?domain=lookups.test&selector=${selector}`
    await change(plan.page, path('k2'), key('k2', ['DKIM2.mcsv.net.', 'other.test']))
    const open = 'at k3._domainkey.lookups.test. Changes can take up to an hour.'
    const start = '1 of 2 records are right. Not visible yet: DNS shows'
    expect(await check(plan, 6)).toEqual([`${start} no DKIM key ${open}`, false])
    await change(plan.page, path('k3'), key('k3', ['dkim3.mcsv.net'], false))
    expect(await check(plan, 6)).toEqual([
      `${start} CNAME dkim3.mcsv.net (not a valid key) ${open}`,
      false,
    ])
    await change(plan.page, path('k3'), key('k3', ['dkim2.mcsv.net']))
    expect(await check(plan, 6)).toEqual([`${start} CNAME dkim2.mcsv.net ${open}`, false])
    await change(plan.page, path('k3'), key('k3', ['dkim3.mcsv.net']))
    expect(await check(plan, 6)).toEqual([
      'Published: DNS shows k2._domainkey.lookups.test, k3._domainkey.lookups.test as planned.',
      true,
    ])
  })

  test('does not tick a step with a record that cannot be checked', async () => {
    const plan = await buyPlan(environment, 'lookups.test')
    for (const selector of ['s1', 's2']) {
      const name = `${selector}._domainkey.lookups.test`
      await change(plan.page, `/v1/dkim?domain=lookups.test&selector=${selector}`, {
        keys: [{ name, record: 'p=x', valid: true, cname: ['s1.domainkey.u1.sendgrid.net'] }],
      })
    }
    expect(await check(plan, 3)).toEqual([
      'Published: DNS shows s1._domainkey.lookups.test, s2._domainkey.lookups.test as planned. We can’t check em{sendgrid-number}.lookups.test. Check this step off once that’s published too.',
      false,
    ])
  })

  test.each([
    [
      'a null MX',
      [{ preference: 0, exchange: '.' }],
      'Published: DNS shows parked.test as planned.',
      true,
    ],
    [
      'a null MX beside another',
      [
        { preference: 0, exchange: '.' },
        { preference: 5, exchange: 'mx.parked.test' },
      ],
      `Not visible yet: DNS shows 0 ., 5 mx.parked.test at parked.test. ${HOUR}`,
      false,
    ],
  ])('%s', async (_, records, message, isTicked) => {
    const plan = await buyPlan(environment, 'parked.test')
    await change(plan.page, '/v1/mx?domain=parked.test', { records })
    expect(await check(plan, 3)).toEqual([message, isTicked])
  })

  test('two records where one must be alone are not done', async () => {
    const plan = await buyPlan(environment, 'parked.test')
    await change(plan.page, '/v1/dmarc?domain=parked.test', {
      records: ['v=DMARC1; p=reject', 'v=DMARC1; p=none'],
    })
    expect(await check(plan, 2)).toEqual([
      `Not visible yet: DNS shows v=DMARC1; p=reject, v=DMARC1; p=none at _dmarc.parked.test. ${HOUR}`,
      false,
    ])
  })

  test('shows what DNS returns as text, with invisible characters marked', async () => {
    const plan = await buyPlan(environment, 'parked.test')
    await change(plan.page, '/v1/spf?domain=parked.test', {
      records: ['v=spf1 <img src=x onerror=alert(1)> \u202E -all'],
    })
    const [message, isTicked] = await check(plan, 1)
    expect(message).toContain('DNS shows v=spf1 <img src=x onerror=alert(1)> ⟨U+202E⟩ -all at')
    expect(isTicked).toBe(false)
    expect(await plan.report.locator('img').count()).toBe(0)
  })
})

describe('unknown', () => {
  const problem = (status: number, body: object) => (route: Route) =>
    route.fulfill({ status, contentType: 'application/problem+json', json: body })

  test.each<[string, (route: Route) => Promise<void>, string]>([
    ['DNS failed', problem(502, { code: 'dns_failure', detail: 'x' }), NO_ANSWER],
    ['DNS timed out', problem(504, { code: 'dns_timeout', detail: 'x' }), NO_ANSWER],
    [
      'the rate limit was reached',
      problem(429, {
        code: 'rate_limited',
        detail: 'You’ve reached the limit of 30 free checks a minute. Try again in 35 seconds.',
      }),
      'You’ve reached the limit of 30 free checks a minute. Try again in 35 seconds.',
    ],
    ['there is no connection', (route) => route.abort(), 'No connection. Try again.'],
    [
      'a proxy answers',
      (route) => route.fulfill({ status: 503, body: '<h1>Busy</h1>' }),
      'The check didn’t work. Try again later.',
    ],
    [
      'a network answers with a page of its own',
      (route) => route.fulfill({ status: 200, body: '<h1>Log in</h1>' }),
      NO_ANSWER,
    ],
    [
      'the report is about another domain',
      (route) => route.fulfill({ json: { domain: 'other.test', records: ['v=spf1 -all'] } }),
      NO_ANSWER,
    ],
  ])('%s', async (_, answer, message) => {
    const plan = await buyPlan(environment, 'parked.test')
    await plan.page.route('**/v1/spf?*', answer)
    expect(await check(plan, 1)).toEqual([message, false])
    expect(await visibleText(plan.report.locator('[data-progress]'))).toBe('0 of 3 steps done')
  })

  test('a selector that could not be looked up', async () => {
    const plan = await buyPlan(environment, 'lookups.test')
    await change(plan.page, '/v1/dkim?domain=lookups.test&selector=k3', { selectorsFailed: ['k3'] })
    expect(await check(plan, 6)).toEqual([NO_ANSWER, false])
  })

  test('a transport record that could not be looked up', async () => {
    const plan = await buyPlan(environment, 'monitoring.test')
    await stepOf(plan.report, 2).locator('summary').first().click()
    await change(plan.page, '/v1/check?domain=monitoring.test', {
      transport: { tlsRpt: { present: null, record: null } },
    })
    expect(await check(plan, 2)).toEqual([NO_ANSWER, false])
  })
})

test('never unticks what a person ticked', async () => {
  const plan = await buyPlan(environment, 'parked.test')
  await stepOf(plan.report, 1).getByRole('checkbox').check()
  const [message, isTicked] = await check(plan, 1)
  expect(message).toMatch(/^Not visible yet: /)
  expect(isTicked).toBe(true)
})

test('the button is disabled while it checks, and then has the focus again', async () => {
  const plan = await buyPlan(environment, 'parked.test')
  const { page, report } = plan
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/v1/spf?*', async (route) => {
    await isReleased
    await route.continue()
  })
  const button = stepOf(report, 1).getByRole('button', { name: 'Check now' })
  await button.focus()
  await page.keyboard.press('Enter')
  expect(await button.isDisabled()).toBe(true)
  expect(await visibleText(stepOf(report, 1).getByRole('status'))).toBe('Checking…')
  // A report saved now must not have a button that stays disabled.
  await stepOf(report, 2).getByRole('checkbox').check()
  await stepOf(report, 2).getByRole('checkbox').blur()
  release()
  await report.locator('button[data-checks]:enabled').nth(2).waitFor()
  expect(await button.and(page.locator(':focus')).count()).toBe(1)
  await page.reload()
  await waitForReport(page, 'fixPlan')
  expect(await button.isEnabled()).toBe(true)
})

test('says if the check cannot be loaded, and works the next time', async () => {
  const plan = await buyPlan(environment, 'parked.test')
  await plan.page.route('**/check-step.js', (route) => route.abort())
  expect(await check(plan, 1)).toEqual(['The check didn’t load. Try again in a moment.', false])
  await plan.page.unroute('**/check-step.js')
  const [message] = await check(plan, 1)
  expect(message).toMatch(/^Not visible yet: /)
})

test('a step without a record to compare has a link', async () => {
  const { report } = await buyPlan(environment, 'lookups.test')
  const step = stepOf(report, 4)
  expect(await step.getByRole('button').count()).toBe(0)
  const link = step.getByRole('link', { name: 'Open the check' })
  expect(await link.getAttribute('href')).toBe('/?domain=lookups.test&selector=s1')
})
