/** Buying reports in the sandbox with one click; the money arrives on the chain. */
import type { EmailReport, FixPlan, ScoreReport } from '@mailgrade/core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { setUpBrowser } from './browser-environment.js'
import {
  demoWalletButton,
  openBuyerPage,
  PAID_STATUS,
  recordedStatuses,
  recordPayments,
  recordScripts,
  waitForReport,
  waitForStatus,
} from './buyer-page.js'
import { visibleText, visibleTexts } from './page-text.js'
import { buyReportOverHttp, revenueAt } from './sandbox-revenue.js'

const environment = setUpBrowser()
const CENT = 10_000n
const DOLLAR = 1_000_000n

/** Buys a report with the demo wallet; returns how much the payee received. */
async function buy(page: Page, name: string): Promise<bigint> {
  const before = await revenueAt(environment.url)
  await demoWalletButton(page, name).click()
  await waitForStatus(page, PAID_STATUS)
  return (await revenueAt(environment.url)) - before
}

test('score: the page shows the same points as the API', async () => {
  const expected = await buyReportOverHttp<ScoreReport>(
    `${environment.url}/v1/score?domain=lookups.test`,
  )
  const page = await openBuyerPage(environment, '/?domain=lookups.test')
  expect(await buy(page, 'Score')).toBe(CENT)
  const report = await waitForReport(page, 'score')
  expect(await report.locator('.mark text').allTextContents()).toEqual([
    expected.grade,
    `${expected.score} of 100`,
  ])
  expect(await visibleText(report.locator('.answer .summary'))).toBe(expected.summary)
  for (const [name, { points, max, deductions }] of Object.entries(expected.components)) {
    const row = report.getByRole('row').filter({ hasText: name.toUpperCase() })
    const titles = new Map(expected.findings.map(({ id, title }) => [id, title]))
    const lost =
      deductions.map(({ id, points }) => `−${points}: ${titles.get(id)} ${id}`).join(' ') || 'none'
    expect(await visibleText(row.first())).toBe(`${name.toUpperCase()} ${points} of ${max} ${lost}`)
  }
  expect(await visibleTexts(report.locator('.fixes > li > strong'))).toEqual(
    expected.topFixes.map(({ title, pointsGained }) => `${title} (+${pointsGained} points)`),
  )
})

test('email check: keeps the plus sign of an address', async () => {
  const email = 'Sales+news@monitoring.test'
  const url = `${environment.url}/v1/email-check?${new URLSearchParams({ email })}`
  const expected = await buyReportOverHttp<EmailReport>(url)
  const page = await openBuyerPage(environment, '/?domain=monitoring.test')
  await page.getByLabel('Email address', { exact: true }).fill(email)
  expect(await buy(page, 'Email check')).toBe(CENT)
  const report = await waitForReport(page, 'emailCheck')
  expect(await visibleText(report.locator('> .summary'))).toBe(`${email} ! ${expected.verdict}`)
  expect(await visibleTexts(report.locator('li small code'))).toEqual(expected.reasons)
  expect(expected.reasons).toEqual(['role_account'])
})

test('fix plan: shows every record and stage of the API', async () => {
  const expected = await buyReportOverHttp<FixPlan>(
    `${environment.url}/v1/fix-plan?domain=lookups.test`,
  )
  const page = await openBuyerPage(environment, '/?domain=lookups.test')
  expect(await buy(page, 'Fix plan')).toBe(DOLLAR)
  const report = await waitForReport(page, 'fixPlan')
  const { current, projected, records, rollout, steps } = expected
  expect(await visibleText(report.locator('> .score'))).toBe(
    `${current.grade} ${current.score} today → ${projected.grade} ${projected.score} after all steps`,
  )
  const shown = await report.locator('.step-group').allTextContents()
  for (const { title, actions } of steps) {
    for (const text of [title, ...actions]) {
      expect(shown.join(' ')).toContain(text.replaceAll('`', ''))
    }
  }
  for (const [part, expectedRecords] of [
    ['.kept > li .record dt:text-is("Value") + dd code', records.filter(isKept)],
    ['.timeline > li .copied code', rollout.map(({ record }) => record)],
  ] as const) {
    const values = await report.locator(part).allTextContents()
    expect(values).toEqual(expectedRecords.map(({ value }) => value))
    expect(values.length).toBeGreaterThan(0)
  }
})

function isKept({ action }: FixPlan['records'][number]): boolean {
  return action === 'keep'
}

test('shows progress in the status line and moves the focus to the report', async () => {
  const page = await openBuyerPage(environment, '/reports/score?domain=good.test')
  await page.getByRole('button', { name: 'Buy with the demo wallet' }).click()
  await waitForStatus(page, PAID_STATUS)
  expect(await recordedStatuses(page)).toEqual([
    'Getting the price…',
    'Waiting for your wallet…',
    'Confirm 0.01 USDC in your wallet…',
    'Paying and making the report…',
    'Paid. ',
    'Open your report',
    '',
  ])
  const focused = page.locator(':focus')
  expect(await visibleText(focused)).toBe('Score for good.test')
})

test('shows the report above what is for sale, with a link to it, and closes the form', async () => {
  const page = await openBuyerPage(environment, '/?domain=monitoring.test')
  await buy(page, 'Fix plan')
  const report = await waitForReport(page, 'fixPlan')
  const top = async (selector: string) => (await page.locator(selector).boundingBox())?.y ?? 0
  expect(await top('[data-report]')).toBeLessThan(await top('#reports-title'))
  const form = page.locator('form[action="/reports/fix-plan"]')
  expect(await visibleText(form)).toBe('Paid. Open your report Buy another report')
  const link = form.getByRole('link', { name: 'Open your report' })
  await link.scrollIntoViewIfNeeded()
  await link.click()
  expect(await page.evaluate('location.hash')).toBe(`#${await report.getAttribute('id')}`)
  // The page scrolls smoothly.
  await expect.poll(async () => Math.abs((await report.boundingBox())?.y ?? 999)).toBeLessThan(50)
})

test('keeps the report after a reload, paid once', async () => {
  const page = await openBuyerPage(environment, '/?domain=monitoring.test')
  expect(await buy(page, 'Fix plan')).toBe(DOLLAR)
  const report = await waitForReport(page, 'fixPlan')
  const [text, earned] = [await visibleText(report), await revenueAt(environment.url)]
  const payments = recordPayments(page)
  await page.reload()
  expect(await visibleText(await waitForReport(page, 'fixPlan'))).toBe(text)
  expect(payments).toEqual([])
  expect(await revenueAt(environment.url)).toBe(earned)
  const copy = report.getByRole('button', { name: 'Copy the value' }).first()
  expect(await copy.isVisible()).toBe(true)

  // Another page counts it and links to it, but does not show it.
  await page.goto('/?domain=good.test')
  expect(await page.locator('[data-report]').count()).toBe(0)
  await page.getByRole('link', { name: 'My reports (1)' }).click()
  await page.waitForURL('**/reports')
  expect(await visibleText(await waitForReport(page, 'fixPlan'))).toBe(text)
  expect(await page.getByText('You don’t have any reports yet').isVisible()).toBe(false)
})

test('lists the reports of all pages of the tab, newest purchases included', async () => {
  const page = await openBuyerPage(environment, '/?domain=good.test')
  await buy(page, 'Score')
  await page.goto('/?domain=lookups.test')
  await buy(page, 'Score')
  expect(await page.getByRole('link', { name: 'My reports (2)' }).count()).toBe(1)
  await page.goto('/reports')
  expect((await visibleTexts(page.locator('[data-report] h2'))).sort()).toEqual([
    'Score for good.test',
    'Score for lookups.test',
  ])
})

test('says that there are no reports yet', async () => {
  const page = await environment.openPage('/reports')
  expect(await visibleText(page.locator('[data-without-reports]'))).toMatch(
    /^You don’t have any reports yet\./,
  )
})

test('loads the wallet code with the first purchase, not before', async () => {
  const page = await (await environment.newContext()).newPage()
  const scripts = recordScripts(page)
  await page.goto('/?domain=good.test', { waitUntil: 'networkidle' })
  expect(scripts.sort()).toEqual([
    'copy-buttons.js',
    'earlier-result.js',
    'page.js',
    'plan-controls.js',
    'saved-reports.js',
    'session-store.js',
  ])
  await buy(page, 'Score')
  expect(scripts.slice(6).sort()).toEqual([
    'buy-report.js',
    'connect-wallet.js',
    'pending-payment.js',
    'send-payment.js',
    'x402-payment.js',
  ])
})
