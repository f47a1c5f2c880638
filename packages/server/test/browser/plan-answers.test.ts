/** Answering the questions of a bought plan, which gets it again with the same payment. */
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { setUpBrowser } from './browser-environment.js'
import { type BoughtPlan, buyPlan, recordPayments, waitForReport } from './buyer-page.js'
import { visibleText, visibleTexts } from './page-text.js'
import { revenueAt } from './sandbox-revenue.js'

const environment = setUpBrowser()

const groups = (report: Locator) => visibleTexts(report.locator('.step-group h4'))

async function openQuestions(page: Page): Promise<Locator> {
  const form = page.locator('form[data-answers]')
  await form.getByText('Change your answers (free)').click()
  return form
}

async function update({ page }: Pick<BoughtPlan, 'page'>, form: Locator): Promise<void> {
  const before = await page.locator('[data-report]').elementHandle()
  await form.getByRole('button', { name: 'Update the plan' }).click()
  await page.waitForFunction((element) => !element?.isConnected, before)
}

test('a plan changes with the answers, at no charge, and stays after a reload', async () => {
  const { page, report } = await buyPlan(environment, 'monitoring.test')
  expect((await groups(report)).join()).not.toContain('Mailchimp')
  const earned = await revenueAt(environment.url)
  const payments = recordPayments(page)

  const form = await openQuestions(page)
  expect(await visibleText(form.locator('p').first())).toBe(
    'Your payment covers this. For 24 hours, you can change your answers up to 20 times and get the plan again.',
  )
  await form.getByLabel('Other services you use to send mail').selectOption('mailchimp')
  await form.getByLabel('Where DMARC reports should go').fill(' dmarc+x@monitoring.test ')
  await update({ page }, form)
  expect(await groups(report)).toContain('Mailchimp: 2 records')
  expect(await report.textContent()).toContain('mailto:dmarc+x@monitoring.test')
  expect(await visibleText(page.locator(':focus'))).toBe('Fix plan for monitoring.test')

  await page.reload()
  await waitForReport(page, 'fixPlan')
  expect(await groups(report)).toContain('Mailchimp: 2 records')
  const again = await openQuestions(page)
  const question = again.getByLabel('Do you send mail with Mailchimp?')
  expect(await question.inputValue()).toBe('uses')
  await question.selectOption('No')
  await update({ page }, again)
  expect((await groups(report)).join()).not.toContain('Mailchimp')
  expect(await report.textContent()).toContain('mailto:dmarc+x@monitoring.test')

  expect(await page.locator('[data-report]').count()).toBe(1)
  expect([payments.length, new Set(payments).size]).toEqual([2, 1])
  expect(await revenueAt(environment.url)).toBe(earned)
})

test('an answer that cannot be used says why, and keeps the plan', async () => {
  const { page, report } = await buyPlan(environment, 'monitoring.test')
  const text = await report.locator('.step-group').allTextContents()
  const form = await openQuestions(page)
  await form.getByLabel('Where DMARC reports should go').fill('nobody')
  await form.getByRole('button', { name: 'Update the plan' }).click()
  await form.getByRole('status').filter({ hasText: 'There’s no @.' }).waitFor()
  expect(await report.locator('.step-group').allTextContents()).toEqual(text)
  await form.getByLabel('Where DMARC reports should go').fill('')
  await form.getByLabel('Other services you use to send mail').selectOption('mailchimp')
  await update({ page }, form)
  expect(await groups(report)).toContain('Mailchimp: 2 records')
})

test('questions are shown only where the payment is', async () => {
  const { page } = await buyPlan(environment, 'monitoring.test')
  await page.evaluate(
    "Object.keys(sessionStorage).filter((key) => key.startsWith('paid ')).forEach((key) => sessionStorage.removeItem(key))",
  )
  await page.reload()
  await waitForReport(page, 'fixPlan')
  expect(await page.locator('form[data-answers]').isVisible()).toBe(false)
})
