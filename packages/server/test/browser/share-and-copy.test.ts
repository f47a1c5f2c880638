/** Sharing a result with its link, and copying records. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { NO_JAVASCRIPT, setUpBrowser } from './browser-environment.js'
import { visibleText, visibleTexts } from './page-text.js'

const environment = setUpBrowser()
const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] }
const RESULT_PARTS = ['#verdict', '.tiles', '#fixes ~ ol', '#spf', '#dmarc', '#dkim', '#mx']

function readResult(page: Page): Promise<string[]> {
  return Promise.all(RESULT_PARTS.map((part) => visibleText(page.locator(part))))
}

function readClipboard(page: Page): Promise<string> {
  return page.evaluate('navigator.clipboard.readText()')
}

test('the copied link shows the same result', async () => {
  const page = await environment.openPage('/?domain=https://LOOKUPS.test/shop', CLIPBOARD)
  await page.getByRole('button', { name: 'Copy the link to this page' }).click()
  await page.getByRole('button', { name: 'Copied the link to this page' }).waitFor()
  const link = await readClipboard(page)
  expect(link).toBe(`${environment.url}/?domain=lookups.test`)

  const otherPage = await environment.openPage(link)
  const result = await readResult(page)
  expect(result[0]).toBe('lookups.test ✕ Fail')
  expect(await readResult(otherPage)).toEqual(result)
})

test('the link works without JavaScript', async () => {
  const page = await environment.openPage('/?domain=ann@good.test', NO_JAVASCRIPT)
  await page.getByRole('link', { name: 'Link to this page' }).click()
  await page.waitForURL(`${environment.url}/?domain=good.test`)
  expect(await visibleText(page.locator('#verdict'))).toBe('good.test ✓ Pass')
})

test('copies the name and value of a record exactly', async () => {
  const page = await environment.openPage('/?domain=monitoring.test', CLIPBOARD)
  const record = page.locator('#fixes ~ ol .record')
  const copied: string[] = []
  for (const what of ['the name', 'the value']) {
    await record.getByRole('button', { name: `Copy ${what}` }).click()
    await record.getByRole('button', { name: `Copied ${what}` }).waitFor()
    copied.push(await readClipboard(page))
  }
  expect(copied).toEqual([
    '_dmarc.monitoring.test',
    'v=DMARC1; p=quarantine; rua=mailto:dmarc@monitoring.test',
  ])
  expect(copied).toEqual((await visibleTexts(record.locator('code'))).slice(1))
})

test('says if the browser denies copying', async () => {
  const page = await environment.openPage('/?domain=monitoring.test')
  await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("no"))')
  await page.getByRole('button', { name: 'Copy the value' }).click()
  await page.getByRole('button', { name: 'Not allowed the value' }).waitFor()
})

test('hides copy buttons without JavaScript', async () => {
  const page = await environment.openPage('/?domain=lookups.test', NO_JAVASCRIPT)
  expect(await page.locator('button.copy').count()).toBe(3)
  expect(await page.locator('button.copy:visible').count()).toBe(0)
})
