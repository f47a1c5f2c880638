/** Sharing a result with its link, and copying records. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { NO_JAVASCRIPT, setUpBrowser } from './browser-environment.js'
import { visibleText, visibleTexts } from './page-text.js'

const environment = setUpBrowser()
const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] }
const RESULT_PARTS = [
  '#verdict',
  '.path',
  '.ladder',
  '.tiles',
  '#fixes + ol',
  '#spf',
  '#dmarc',
  '#dkim',
  '#mx',
]

function readResult(page: Page): Promise<string[]> {
  return Promise.all(RESULT_PARTS.map((part) => visibleText(page.locator(part))))
}

function readClipboard(page: Page): Promise<string> {
  return page.evaluate('navigator.clipboard.readText()')
}

test('the copied link shows the same result', async () => {
  const page = await environment.openPage('/?domain=https://LOOKUPS.test/shop', CLIPBOARD)
  await page.getByText('Share', { exact: true }).click()
  await page.getByRole('button', { name: 'Copy the link' }).click()
  await page.getByRole('button', { name: 'Copied the link' }).waitFor()
  const link = await readClipboard(page)
  expect(link).toBe(`${environment.url}/?domain=lookups.test`)

  const otherPage = await environment.openPage(link)
  const result = await readResult(page)
  expect(result[0]).toBe('Mail from Twilio SendGrid and Mailchimp goes to spam today.')
  expect(await readResult(otherPage)).toEqual(result)
})

test('the menus work without JavaScript', async () => {
  const page = await environment.openPage('/?domain=ann@good.test', NO_JAVASCRIPT)
  await page.getByText('Share', { exact: true }).click()
  expect(await visibleTexts(page.locator('.menu[open] code'))).toEqual([
    `${environment.url}/?domain=good.test`,
    `[![Email forgery](${environment.url}/badge/good.test.svg)](${environment.url}/?domain=good.test)`,
  ])
  await page.getByText('Download', { exact: true }).click()
  expect(await visibleTexts(page.locator('.menu[open] li'))).toEqual([
    'JSON: everything we found',
    'CSV: all findings',
    'PDF: choose “Print” in your browser’s menu.',
    'Zone file, Terraform, calendar: included in the fix plan',
  ])
  await page.getByRole('link', { name: 'Check again' }).click()
  await page.waitForURL(`${environment.url}/?domain=good.test`)
  expect(await visibleText(page.locator('#verdict'))).toBe('Yes, forged mail is refused.')
})

async function download(page: Page, name: string): Promise<string> {
  await page.getByText('Download', { exact: true }).click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name }).click(),
  ])
  return `${file.suggestedFilename()}\n${await readFile(await file.path(), 'utf8')}`
}

test('downloads the result as JSON', async () => {
  const page = await environment.openPage('/?domain=monitoring.test')
  const [name, json = ''] = (await download(page, 'JSON: everything we found')).split('\n')
  expect(name).toBe('monitoring.test.json')
  expect(JSON.parse(json)).toMatchObject({ domain: 'monitoring.test', status: 'fail' })
})

test('downloads the findings as CSV', async () => {
  const page = await environment.openPage('/?domain=monitoring.test', NO_JAVASCRIPT)
  const [name, head, first] = (await download(page, 'CSV: all findings')).split(/\r?\n/)
  expect(name).toBe('monitoring.test.csv')
  expect(head).toBe('\ufeffdomain,severity,id,title,fix,reference')
  expect(first).toMatch(
    /^monitoring\.test,high,dmarc\.policy-none,"The DMARC policy is [^"]*",".*""v=DMARC1; p=quarantine; /,
  )
})

test('prints or saves as PDF', async () => {
  const context = await environment.newContext()
  await context.addInitScript('window.print = () => { window.printed = true }')
  const page = await context.newPage()
  await page.goto('/?domain=good.test')
  await page.getByText('Download', { exact: true }).click()
  await page.getByRole('button', { name: 'PDF: print or save this page' }).click()
  expect(await page.evaluate('window.printed')).toBe(true)
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
  expect(copied).toEqual(['_dmarc', 'v=DMARC1; p=quarantine; rua=mailto:dmarc@monitoring.test'])
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
  expect(await page.locator('button.copy').count()).toBe(4)
  expect(await page.locator('button.copy:visible').count()).toBe(0)
})
