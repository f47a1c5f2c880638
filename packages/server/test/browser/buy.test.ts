/** In the sandbox anybody buys a report with one click, and the money is on the chain. */

import type { EmailReport, FixPlan, ScoreReport } from '@mailgrade/core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { enter, hear, notePayments, noteScripts, PAID, reportOn, said } from './buyer.js'
import { earnedAt, reportOverHttp } from './purse.js'
import { textOf, textsOf } from './reading.js'
import { setStage } from './stage.js'

const stage = setStage()
const CENT = 10_000n
const DOLLAR = 1_000_000n

/** Presses the demo wallet's button of this article; returns by how much the payee is richer then. */
async function buy(page: Page, title: string): Promise<bigint> {
  const before = await earnedAt(stage.url)
  const article = page.getByRole('article').filter({ hasText: title })
  await article.getByRole('button', { name: 'Buy with the demo wallet' }).click()
  await hear(page, PAID)
  return (await earnedAt(stage.url)) - before
}

test('the score: its points are those that agents get', async () => {
  const expected = await reportOverHttp<ScoreReport>(`${stage.url}/v1/score?domain=lookups.test`)
  const page = await enter(stage, '/?domain=lookups.test')
  expect(await buy(page, 'Score a domain’s email security')).toBe(CENT)
  const report = await reportOn(page, 'score')
  expect(await textOf(report.locator('.score'))).toBe(`${expected.grade} ${expected.score} of 100`)
  expect(await textOf(report.locator('> .summary'))).toBe(expected.summary)
  for (const [name, { points, max, deductions }] of Object.entries(expected.components)) {
    const row = report.getByRole('row').filter({ hasText: name.toUpperCase() })
    const lost = deductions.map((one) => `${one.id} −${one.points}`).join(' ') || 'nothing'
    expect(await textOf(row.first())).toBe(`${name.toUpperCase()} ${points} of ${max} ${lost}`)
  }
  expect(await textsOf(report.locator('.fixes > li > strong'))).toEqual(
    expected.topFixes.map(({ title, pointsGained }) => `${title} (+${pointsGained})`),
  )
})

test('the check of an address, whose plus sign is a plus sign', async () => {
  const email = 'Sales+news@monitoring.test'
  const url = `${stage.url}/v1/email-check?${new URLSearchParams({ email })}`
  const expected = await reportOverHttp<EmailReport>(url)
  const page = await enter(stage, '/')
  await page.getByLabel('Email address').fill(email)
  expect(await buy(page, 'Check whether an email address can get mail')).toBe(CENT)
  const report = await reportOn(page, 'emailCheck')
  expect(await textOf(report.locator('> .summary'))).toMatch(`${email} ! ${expected.verdict} `)
  expect(await textsOf(report.locator('li small code'))).toEqual(expected.reasons)
  expect(expected.reasons).toEqual(['role_account'])
})

test('the plan: every record and every stage, as agents get them', async () => {
  const expected = await reportOverHttp<FixPlan>(`${stage.url}/v1/fix-plan?domain=lookups.test`)
  const page = await enter(stage, '/?domain=lookups.test')
  expect(await buy(page, 'Plan the DNS records')).toBe(DOLLAR)
  const report = await reportOn(page, 'fixPlan')
  const { current, projected, records, rollout } = expected
  expect(await textOf(report.locator('> .score'))).toBe(
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
  const page = await enter(stage, '/reports/score?domain=good.test')
  await page.getByRole('button', { name: 'Buy with the demo wallet' }).click()
  await hear(page, PAID)
  expect(await said(page)).toEqual([
    'Asking for the price…',
    'Waiting for the wallet…',
    'Confirm 0.01 USDC in the wallet…',
    'Paying, and making the report…',
    PAID,
  ])
  const focused = page.locator(':focus')
  expect(await textOf(focused)).toBe('Score a domain’s email security: good.test')
})

test('the report is still there when the page is loaded again, and was paid for once', async () => {
  const page = await enter(stage, '/?domain=monitoring.test')
  expect(await buy(page, 'Plan the DNS records')).toBe(DOLLAR)
  const report = await reportOn(page, 'fixPlan')
  const [text, earned] = [await textOf(report), await earnedAt(stage.url)]
  const payments = notePayments(page)
  await page.reload()
  expect(await textOf(await reportOn(page, 'fixPlan'))).toBe(text)
  expect(payments).toEqual([])
  expect(await earnedAt(stage.url)).toBe(earned)
  const copy = report.getByRole('button', { name: 'Copy the value' }).first()
  expect(await copy.isVisible()).toBe(true)

  await page.goto('/?domain=good.test')
  expect(await page.locator('[data-report]').count()).toBe(0)
})

test('the wallet code comes with the first purchase, not before', async () => {
  const page = await (await stage.visitor()).newPage()
  const scripts = noteScripts(page)
  await page.goto('/?domain=good.test', { waitUntil: 'networkidle' })
  expect(scripts.sort()).toEqual(['enliven.js', 'kept.js', 'memory.js', 'page.js'])
  await buy(page, 'Score a domain’s email security')
  expect(scripts.slice(4).sort()).toEqual([
    'buy.js',
    'payment.js',
    'pending.js',
    'send.js',
    'wallet.js',
  ])
})
