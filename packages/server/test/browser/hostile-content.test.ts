/** Content of DNS records and URLs is shown as text: it runs nothing and hides nothing. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { setUpBrowser } from './browser-environment.js'
import { openPageRecordingStatus, PAID_STATUS, waitForStatus } from './buyer-page.js'
import {
  BIDI_RECORDS,
  HOSTILE_RECORDS,
  HOSTILE_ZONE,
  IMG_ONERROR,
  LONG_SPF_RECORD,
  SCRIPT_TAG,
  SVG_ONLOAD,
} from './hostile-zone.js'
import { LIVE_CHAIN_ID, setUpLiveBrowser } from './live-browser-environment.js'
import { injectWallet } from './test-wallet.js'

const environment = setUpLiveBrowser(HOSTILE_ZONE)

/** Dialogs and policy violations fail every test; this checks the content of the page. */
async function expectHarmless(page: Page) {
  const [pageScript, ...otherScripts] = await page.locator('script').all()
  expect(await pageScript?.getAttribute('src')).toMatch(/^\/assets\/[\w-]+\/page\.js$/)
  expect(otherScripts).toEqual([])
  const foreign = 'main img, main b, main iframe, [onerror], [onload], [href^="javascript:" i]'
  expect(await page.locator(foreign).count()).toBe(0)
  // Bidirectional controls and other invisible characters.
  expect(await page.locator('body').textContent()).not.toMatch(/(?![\n\t])\p{C}/u)
}

const textIn = (page: Page, part: string) => page.locator(part).first().textContent()

test('shows markup in records as text', async () => {
  const page = await environment.openPage('/?domain=evil.test')
  await expectHarmless(page)
  expect(await textIn(page, '#spf code.text')).toBe(HOSTILE_RECORDS.spf)
  expect(await textIn(page, '#dmarc code.text')).toBe(HOSTILE_RECORDS.dmarc)
  expect(await page.locator('#dmarc .facts li code').allTextContents()).toEqual([
    'javascript:alert(1)',
    `mailto:${SVG_ONLOAD}@evil.test`,
  ])
  expect(await textIn(page, '.keys code.text')).toBe(HOSTILE_RECORDS.dkim)
  expect(await textIn(page, '#transport code.text')).toBe(HOSTILE_RECORDS.mtaSts)
  expect(await textIn(page, '#mx td code')).toContain('<svg/onload=alert(1)>')
})

test('shows bidirectional and invisible characters as code points', async () => {
  const page = await environment.openPage('/?domain=bidi.test')
  await expectHarmless(page)
  expect(await textIn(page, '#spf code.text')).toBe(
    BIDI_RECORDS.spf.replace('\u202E', '⟨U+202E⟩').replace('\u202C', '⟨U+202C⟩'),
  )
  expect(await textIn(page, '#dmarc code.text')).toBe(
    'v=DMARC1; p=reject; rua=mailto:a⟨U+0000⟩b⟨U+200B⟩@bidi.test; ⟨U+2066⟩⟨U+0007⟩⟨U+2069⟩',
  )
})

test('shows a record of 4 KB in full without widening the page', async () => {
  const page = await environment.openPage('/?domain=long.test', {
    viewport: { width: 360, height: 640 },
  })
  await expectHarmless(page)
  expect(LONG_SPF_RECORD.length).toBeGreaterThan(4_096)
  expect(await textIn(page, '#spf code.text')).toBe(LONG_SPF_RECORD)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
})

describe('in purchased reports', () => {
  test.each([
    '/reports/score?domain=evil.test',
    '/reports/fix-plan?domain=evil.test',
    '/reports/fix-plan?domain=bidi.test',
    `/reports/email-check?${new URLSearchParams({ email: `"${SCRIPT_TAG}"@evil.test` })}`,
  ])('%s', async (path) => {
    const context = await environment.newContext()
    const account = await environment.newAccount()
    const chainId = LIVE_CHAIN_ID
    await injectWallet(context, { name: 'Fox', account, chainId, discoveredVia: 'window.ethereum' })
    const page = await openPageRecordingStatus(context, path)
    await page.getByRole('button', { name: /^Buy for/ }).click()
    await waitForStatus(page, PAID_STATUS)
    await expectHarmless(page)
    await page.reload()
    await page.locator('[data-report]').waitFor()
    await expectHarmless(page)
  })
})

describe('in the URL of a page', () => {
  const sandbox = setUpBrowser()

  test.each([
    ['a script', SCRIPT_TAG],
    ['an image', IMG_ONERROR],
    ['a vector image', SVG_ONLOAD],
    ['a javascript: URL', 'javascript:alert(1)'],
    ['bidirectional text', '\u202Etset.doog'],
    ['a NUL', 'a\0b.test'],
  ])('%s', async (_, text) => {
    for (const [path, name] of [
      ['/', 'domain'],
      ['/reports/score', 'domain'],
      ['/reports/email-check', 'email'],
    ] as const) {
      const page = await sandbox.openPage(`${path}?${new URLSearchParams({ [name]: text })}`)
      await page.getByRole('alert').waitFor()
      await expectHarmless(page)
    }
  })

  test('the content security policy of every page allows only our own files', async () => {
    for (const path of ['/', '/?domain=good.test', '/reports/score', '/docs', '/nowhere']) {
      const response = await fetch(sandbox.url + path, {
        headers: { Accept: 'text/html' },
      })
      expect(response.headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      )
    }
  })
})
