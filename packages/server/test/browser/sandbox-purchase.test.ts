/** Buying reports in the sandbox with one click; the money arrives on the chain. */
import type { EmailReport, FixPlan, ScoreReport } from '@mailgrade/core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { setUpBrowser } from './browser-environment.js'
import {
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
async function buy(page: Page, title: string): Promise<bigint> {
  const before = await revenueAt(environment.url)
  const article = page.getByRole('article').filter({ hasText: title })
  await article.getByRole('button', { name: 'Buy with the demo wallet' }).click()
  await waitForStatus(page, PAID_STATUS)
  return (await revenueAt(environment.url)) - before
}

test('score: the page shows the same points as the API', async () => {
  const expected = await buyReportOverHttp<ScoreReport>(
    `${environment.url}/v1/score?domain=lookups.test`,
  )
  const page = await openBuyerPage(environment, '/?domain=lookups.test')
  expect(await buy(page, 'Score a domain’s email security')).toBe(CENT)
  const report = await waitForReport(page, 'score')
  expect(await visibleText(report.locator('.score'))).toBe(
    `${expected.grade} ${expected.score} of 100`,
  )
  expect(await visibleText(report.locator('> .summary'))).toBe(expected.summary)
  for (const [name, { points, max, deductions }] of Object.entries(expected.components)) {
    const row = report.getByRole('row').filter({ hasText: name.toUpperCase() })
    const lost = deductions.map((one) => `${one.id} −${one.points}`).join(' ') || 'none'
    expect(await visibleText(row.first())).toBe(`${name.toUpperCase()} ${points} of ${max} ${lost}`)
  }
  expect(await visibleTexts(report.locator('.fixes > li > strong'))).toEqual(
    expected.topFixes.map(({ title, pointsGained }) => `${title} (+${pointsGained})`),
  )
})

test('email check: keeps the plus sign of an address', async () => {
  const email = 'Sales+news@monitoring.test'
  const url = `${environment.url}/v1/email-check?${new URLSearchParams({ email })}`
  const expected = await buyReportOverHttp<EmailReport>(url)
  const page = await openBuyerPage(environment, '/')
  await page.getByLabel('Email address', { exact: true }).fill(email)
  expect(await buy(page, 'Check whether an email address can get mail')).toBe(CENT)
  const report = await waitForReport(page, 'emailCheck')
  expect(await visibleText(report.locator('> .summary'))).toMatch(`${email} ! ${expected.verdict} `)
  expect(await visibleTexts(report.locator('li small code'))).toEqual(expected.reasons)
  expect(expected.reasons).toEqual(['role_account'])
})

test('fix plan: shows every record and stage of the API', async () => {
  const expected = await buyReportOverHttp<FixPlan>(
    `${environment.url}/v1/fix-plan?domain=lookups.test`,
  )
  const page = await openBuyerPage(environment, '/?domain=lookups.test')
  expect(await buy(page, 'Plan the DNS records')).toBe(DOLLAR)
  const report = await waitForReport(page, 'fixPlan')
  const { current, projected, records, rollout, steps } = expected
  expect(await visibleText(report.locator('> .score'))).toBe(
    `${current.grade} ${current.score} today → ${projected.grade} ${projected.score} after all steps`,
  )
  const shown = await report.locator('> .checklist').allTextContents()
  for (const { title, actions } of steps) {
    for (const text of [title, ...actions]) {
      expect(shown.join(' ')).toContain(text.replaceAll('`', ''))
    }
  }
  const value = '.record dt:text-is("Value") + dd code'
  for (const [part, expectedRecords] of [
    ['> details .checklist > li', records.filter(({ action }) => action === 'keep')],
    ['.timeline > li', rollout.map(({ record }) => record)],
  ] as const) {
    const items = await report.locator(part).all()
    const values = items.map((item) => item.locator(value).textContent())
    expect(await Promise.all(values)).toEqual(expectedRecords.map((record) => record.value))
    expect(values.length).toBeGreaterThan(0)
  }
})

test('shows progress in the status line and moves the focus to the report', async () => {
  const page = await openBuyerPage(environment, '/reports/score?domain=good.test')
  await page.getByRole('button', { name: 'Buy with the demo wallet' }).click()
  await waitForStatus(page, PAID_STATUS)
  expect(await recordedStatuses(page)).toEqual([
    'Getting the price…',
    'Waiting for your wallet…',
    'Confirm 0.01 USDC in your wallet…',
    'Paying and making the report…',
    PAID_STATUS,
  ])
  const focused = page.locator(':focus')
  expect(await visibleText(focused)).toBe('Score a domain’s email security: good.test')
})

test('keeps the report after a reload, paid once', async () => {
  const page = await openBuyerPage(environment, '/?domain=monitoring.test')
  expect(await buy(page, 'Plan the DNS records')).toBe(DOLLAR)
  const report = await waitForReport(page, 'fixPlan')
  const [text, earned] = [await visibleText(report), await revenueAt(environment.url)]
  const payments = recordPayments(page)
  await page.reload()
  expect(await visibleText(await waitForReport(page, 'fixPlan'))).toBe(text)
  expect(payments).toEqual([])
  expect(await revenueAt(environment.url)).toBe(earned)
  const copy = report.getByRole('button', { name: 'Copy the value' }).first()
  expect(await copy.isVisible()).toBe(true)

  await page.goto('/?domain=good.test')
  expect(await page.locator('[data-report]').count()).toBe(0)
})

test('loads the wallet code with the first purchase, not before', async () => {
  const page = await (await environment.newContext()).newPage()
  const scripts = recordScripts(page)
  await page.goto('/?domain=good.test', { waitUntil: 'networkidle' })
  expect(scripts.sort()).toEqual([
    'copy-buttons.js',
    'page.js',
    'saved-reports.js',
    'session-store.js',
  ])
  await buy(page, 'Score a domain’s email security')
  expect(scripts.slice(4).sort()).toEqual([
    'buy-report.js',
    'connect-wallet.js',
    'pending-payment.js',
    'send-payment.js',
    'x402-payment.js',
  ])
})
