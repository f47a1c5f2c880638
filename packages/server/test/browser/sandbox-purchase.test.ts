/** In the sandbox anybody buys a report with one click, and the money is on the chain. */

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

const stage = setUpBrowser()
const CENT = 10_000n
const DOLLAR = 1_000_000n

/** Presses the demo wallet's button of this article; returns by how much the payee is richer then. */
async function buy(page: Page, title: string): Promise<bigint> {
  const before = await revenueAt(stage.url)
  const article = page.getByRole('article').filter({ hasText: title })
  await article.getByRole('button', { name: 'Buy with the demo wallet' }).click()
  await waitForStatus(page, PAID_STATUS)
  return (await revenueAt(stage.url)) - before
}

test('the score: its points are those that agents get', async () => {
  const expected = await buyReportOverHttp<ScoreReport>(`${stage.url}/v1/score?domain=lookups.test`)
  const page = await openBuyerPage(stage, '/?domain=lookups.test')
  expect(await buy(page, 'Score a domain’s email security')).toBe(CENT)
  const report = await waitForReport(page, 'score')
  expect(await visibleText(report.locator('.score'))).toBe(
    `${expected.grade} ${expected.score} of 100`,
  )
  expect(await visibleText(report.locator('> .summary'))).toBe(expected.summary)
  for (const [name, { points, max, deductions }] of Object.entries(expected.components)) {
    const row = report.getByRole('row').filter({ hasText: name.toUpperCase() })
    const lost = deductions.map((one) => `${one.id} −${one.points}`).join(' ') || 'nothing'
    expect(await visibleText(row.first())).toBe(`${name.toUpperCase()} ${points} of ${max} ${lost}`)
  }
  expect(await visibleTexts(report.locator('.fixes > li > strong'))).toEqual(
    expected.topFixes.map(({ title, pointsGained }) => `${title} (+${pointsGained})`),
  )
})

test('the check of an address, whose plus sign is a plus sign', async () => {
  const email = 'Sales+news@monitoring.test'
  const url = `${stage.url}/v1/email-check?${new URLSearchParams({ email })}`
  const expected = await buyReportOverHttp<EmailReport>(url)
  const page = await openBuyerPage(stage, '/')
  await page.getByLabel('Email address').fill(email)
  expect(await buy(page, 'Check whether an email address can get mail')).toBe(CENT)
  const report = await waitForReport(page, 'emailCheck')
  expect(await visibleText(report.locator('> .summary'))).toMatch(`${email} ! ${expected.verdict} `)
  expect(await visibleTexts(report.locator('li small code'))).toEqual(expected.reasons)
  expect(expected.reasons).toEqual(['role_account'])
})

test('the plan: every record and every stage, as agents get them', async () => {
  const expected = await buyReportOverHttp<FixPlan>(`${stage.url}/v1/fix-plan?domain=lookups.test`)
  const page = await openBuyerPage(stage, '/?domain=lookups.test')
  expect(await buy(page, 'Plan the DNS records')).toBe(DOLLAR)
  const report = await waitForReport(page, 'fixPlan')
  const { current, projected, records, rollout } = expected
  expect(await visibleText(report.locator('> .score'))).toBe(
    `${current.grade} ${current.score} today → ${projected.grade} ${projected.score} when all is done`,
  )
  const value = '.record dt:text-is("Value") + dd code'
  for (const [part, wanted] of [
    ['> .checklist > li', records.filter(({ action }) => action !== 'keep')],
    ['> details .checklist > li', records.filter(({ action }) => action === 'keep')],
    ['.timeline > li', rollout.map(({ record }) => record)],
  ] as const) {
    const items = await report.locator(part).all()
    const values = items.map((item) => item.locator(value).textContent())
    expect(await Promise.all(values)).toEqual(wanted.map((record) => record.value))
    expect(values.length).toBeGreaterThan(0)
  }
})

test('the status line tells how far it is, and focus comes to the report', async () => {
  const page = await openBuyerPage(stage, '/reports/score?domain=good.test')
  await page.getByRole('button', { name: 'Buy with the demo wallet' }).click()
  await waitForStatus(page, PAID_STATUS)
  expect(await recordedStatuses(page)).toEqual([
    'Asking for the price…',
    'Waiting for the wallet…',
    'Confirm 0.01 USDC in the wallet…',
    'Paying, and making the report…',
    PAID_STATUS,
  ])
  const focused = page.locator(':focus')
  expect(await visibleText(focused)).toBe('Score a domain’s email security: good.test')
})

test('the report is still there when the page is loaded again, and was paid for once', async () => {
  const page = await openBuyerPage(stage, '/?domain=monitoring.test')
  expect(await buy(page, 'Plan the DNS records')).toBe(DOLLAR)
  const report = await waitForReport(page, 'fixPlan')
  const [text, earned] = [await visibleText(report), await revenueAt(stage.url)]
  const payments = recordPayments(page)
  await page.reload()
  expect(await visibleText(await waitForReport(page, 'fixPlan'))).toBe(text)
  expect(payments).toEqual([])
  expect(await revenueAt(stage.url)).toBe(earned)
  const copy = report.getByRole('button', { name: 'Copy the value' }).first()
  expect(await copy.isVisible()).toBe(true)

  await page.goto('/?domain=good.test')
  expect(await page.locator('[data-report]').count()).toBe(0)
})

test('the wallet code comes with the first purchase, not before', async () => {
  const page = await (await stage.newContext()).newPage()
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
    'x402-payment.js',
    'pending-payment.js',
    'send-payment.js',
    'connect-wallet.js',
  ])
})
