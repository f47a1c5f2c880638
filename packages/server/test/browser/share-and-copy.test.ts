/** A verdict is passed on by its link, a record by the clipboard. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { NO_JAVASCRIPT, setUpBrowser } from './browser-environment.js'
import { visibleText, visibleTexts } from './page-text.js'

const stage = setUpBrowser()
const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] }
const VERDICT = ['#verdict', '.tiles', '#mend ~ ol', '#spf', '#dmarc', '#dkim', '#mx']

function verdictOn(page: Page): Promise<string[]> {
  return Promise.all(VERDICT.map((part) => visibleText(page.locator(part))))
}

function clipboardOf(page: Page): Promise<string> {
  return page.evaluate('navigator.clipboard.readText()')
}

test('whoever opens the link that was copied sees the same verdict', async () => {
  const page = await stage.openPage('/?domain=https://LOOKUPS.test/shop', CLIPBOARD)
  await page.getByRole('button', { name: 'Copy the link to this page' }).click()
  await page.getByRole('button', { name: 'Copied the link to this page' }).waitFor()
  const link = await clipboardOf(page)
  expect(link).toBe(`${stage.url}/?domain=lookups.test`)

  const friend = await stage.openPage(link)
  const verdict = await verdictOn(page)
  expect(verdict[0]).toBe('lookups.test ✕ Fail')
  expect(await verdictOn(friend)).toEqual(verdict)
})

test('the link itself leads to where the copied one does, also without scripts', async () => {
  const page = await stage.openPage('/?domain=ann@good.test', NO_JAVASCRIPT)
  await page.getByRole('link', { name: 'Link to this page' }).click()
  await page.waitForURL(`${stage.url}/?domain=good.test`)
  expect(await visibleText(page.locator('#verdict'))).toBe('good.test ✓ Pass')
})

test('name and value of a record are copied as they are to be published', async () => {
  const page = await stage.openPage('/?domain=lookups.test', CLIPBOARD)
  const record = page.locator('#mend ~ ol .record')
  const copied: string[] = []
  for (const what of ['the name', 'the value']) {
    await record.getByRole('button', { name: `Copy ${what}` }).click()
    await record.getByRole('button', { name: `Copied ${what}` }).waitFor()
    copied.push(await clipboardOf(page))
  }
  expect(copied).toEqual([
    '_dmarc.lookups.test',
    'v=DMARC1; p=reject; rua=mailto:dmarc@lookups.test',
  ])
  expect(copied).toEqual((await visibleTexts(record.locator('code'))).slice(1))
})

test('a browser that does not let us copy says so', async () => {
  const page = await stage.openPage('/?domain=lookups.test')
  await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("no"))')
  await page.getByRole('button', { name: 'Copy the value' }).click()
  await page.getByRole('button', { name: 'Not allowed the value' }).waitFor()
})

test('without scripts there is no button that would do nothing', async () => {
  const page = await stage.openPage('/?domain=lookups.test', NO_JAVASCRIPT)
  expect(await page.locator('button.copy').count()).toBe(3)
  expect(await page.locator('button.copy:visible').count()).toBe(0)
})
