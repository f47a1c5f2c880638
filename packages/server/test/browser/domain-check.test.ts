/** Somebody types a domain and sees how it stands, with scripts and without. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { NO_JAVASCRIPT, setUpBrowser } from './browser-environment.js'
import { readFacts, visibleText, visibleTexts } from './page-text.js'

const BROWSERS = [
  ['with scripts', {}],
  ['without scripts', NO_JAVASCRIPT],
] as const

async function ask(page: Page, domain: string) {
  await page.getByLabel('Domain, or an address or URL on it').fill(domain)
  const answer = page.waitForResponse((response) => response.url().includes('/?domain='))
  await page.keyboard.press('Enter')
  const { status, headers } = await answer.then(async (it) => ({
    status: it.status(),
    headers: it.headers(),
  }))
  await page.waitForURL('**/?domain=*')
  return { status, headers }
}

describe.each(BROWSERS)('%s', (_, options) => {
  const stage = setUpBrowser()

  test('a domain with everything right', async () => {
    const page = await stage.openPage('/', options)
    expect((await ask(page, 'good.test')).status).toBe(200)
    expect(await visibleText(page.getByRole('heading', { level: 1 }))).toBe('good.test ✓ Pass')
    expect(await visibleTexts(page.locator('.tiles li'))).toEqual([
      'SPF ✓ Pass 4 of 10 lookups',
      'DMARC ✓ Pass Policy reject',
      'DKIM ✓ Pass 1 key: 2048 bit',
      'MX ✓ Pass Google Workspace',
    ])
    expect(await visibleText(page.getByRole('region', { name: 'What to mend' }))).toMatch(
      /^What to mend Nothing\./,
    )
  })

  test('a broken one: a verdict for each mechanism, and the tree with its budget', async () => {
    const page = await stage.openPage('/', options)
    await ask(page, 'https://www@LOOKUPS.test/contact')
    expect(await visibleText(page.getByRole('heading', { level: 1 }))).toBe('lookups.test ✕ Fail')
    expect(await visibleTexts(page.locator('.tiles li'))).toEqual([
      'SPF ✕ Fail Receivers cannot use it; 14 of 10 lookups',
      'DMARC ! Warning Policy quarantine',
      'DKIM ✓ Pass 1 key: 2048 bit',
      'MX ✓ Pass Google Workspace',
    ])

    const spf = page.getByRole('region', { name: 'SPF: who may send' })
    const budget = spf.getByRole('img', { name: '14 of 10 lookups used' })
    expect(await budget.locator('rect.used').count()).toBe(10)
    expect(await budget.locator('rect.over').count()).toBe(4)
    const root = spf.locator('.tree > li > details')
    expect(await visibleText(root.locator('> summary'))).toBe('lookups.test 14 lookups')
    const branches = root.locator('> ul > li')
    expect(await visibleTexts(branches.locator('> details > summary'))).toEqual([
      'include:_spf.google.com 4 lookups',
      'include:spf.protection.outlook.com 1 lookup',
      'include:sendgrid.net 1 lookup',
      'include:servers.mcsv.net 1 lookup',
      'include:mail.zendesk.com 1 lookup',
      'include:_spf.salesforce.com 2 lookups',
      'include:spf.mandrillapp.com 1 lookup',
      'include:_spf.shop.lookups.test 1 lookup',
    ])
    expect((await visibleTexts(branches)).slice(0, 2)).toEqual(['a 1 lookup', 'mx 1 lookup'])
    expect(await readFacts(spf)).toMatchObject({
      'Everybody else': 'is marked as doubtful (~all)',
    })
  })

  test('where the policy comes from, the size of a key, and each finding with what to do', async () => {
    const page = await stage.openPage('/?domain=lookups.test', options)
    expect(await readFacts(page.getByRole('region', { name: /^DMARC/ }))).toEqual({
      Policy: 'quarantine: forged mail goes to the spam folder',
      'Where it comes from': '_dmarc.lookups.test, its own record',
      Alignment: 'SPF relaxed, DKIM relaxed',
      'Reports go to': 'mailto:dmarc@lookups.test',
    })
    expect(await visibleTexts(page.locator('.keys .size'))).toEqual(['2048 bit'])
    expect(await visibleTexts(page.locator('.keys code:visible'))).toEqual([
      'google._domainkey.lookups.test',
    ])

    const [lookups = '', policy = ''] = await visibleTexts(page.locator('#mend ~ ol .finding'))
    expect(lookups).toMatch(
      /^high SPF needs 14 DNS lookups; the limit is 10 Why it matters\. Receivers stop at 10 .* What to do\. Remove senders that lookups\.test no longer uses/,
    )
    expect(policy).toMatch(/^low Forged mail goes to the spam folder/)
    expect(await visibleTexts(page.locator('#mend ~ ol .record code'))).toEqual([
      'TXT',
      '_dmarc.lookups.test',
      'v=DMARC1; p=reject; rua=mailto:dmarc@lookups.test',
    ])
  })

  test('a policy that is inherited is said to be', async () => {
    const page = await stage.openPage('/?domain=team.good.test', options)
    expect(await readFacts(page.getByRole('region', { name: /^DMARC/ }))).toMatchObject({
      'Where it comes from': '_dmarc.good.test, inherited from good.test',
    })
  })

  test.each([
    ['nowhere.test', 404, 'nowhere.test does not exist in the DNS. Check the spelling.'],
    ['good..test', 400, 'good..test has an extra dot; remove it.'],
  ])('%s: %i, with what to do, and the field as it was', async (domain, status, words) => {
    const page = await stage.openPage('/', options)
    expect((await ask(page, domain)).status).toBe(status)
    expect(await visibleText(page.getByRole('alert').locator('.summary'))).toBe(words)
    expect(await page.getByLabel('Domain, or an address or URL on it').inputValue()).toBe(domain)
    await page.getByRole('link', { name: 'About this problem' }).click()
    await page.waitForURL('**/problems/*')
    expect(await page.getByText(`HTTP status ${status}`).count()).toBe(1)
  })
})

describe.each(BROWSERS)('somebody who asks too often, %s', (_, options) => {
  const stage = setUpBrowser(async () => ({ RATE_LIMIT_PER_MINUTE: '1' }))

  test('is told when to come back', async () => {
    const page = await stage.openPage('/', options)
    expect((await ask(page, 'good.test')).status).toBe(200)
    const { status, headers } = await ask(page, 'lookups.test')
    expect(status).toBe(429)
    const seconds = Number(headers['retry-after'])
    expect(seconds).toBeGreaterThan(0)
    expect(await visibleText(page.getByRole('alert').locator('.summary'))).toContain(
      `${seconds} seconds`,
    )
  })
})
