/** The free check, with and without JavaScript. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { NO_JAVASCRIPT, setUpBrowser } from './browser-environment.js'
import { readFacts, visibleText, visibleTexts } from './page-text.js'

const BROWSERS = [
  ['with JavaScript', {}],
  ['without JavaScript', NO_JAVASCRIPT],
] as const

async function checkDomain(page: Page, domain: string) {
  await page.getByLabel('Domain, email address, or website').fill(domain)
  const response = page.waitForResponse((it) => it.url().includes('/?domain='))
  await page.keyboard.press('Enter')
  const { status, headers } = await response.then(async (it) => ({
    status: it.status(),
    headers: it.headers(),
  }))
  await page.waitForURL('**/?domain=*')
  return { status, headers }
}

describe.each(BROWSERS)('%s', (_, options) => {
  const environment = setUpBrowser()

  test('a well-configured domain', async () => {
    const page = await environment.openPage('/', options)
    expect((await checkDomain(page, 'good.test')).status).toBe(200)
    expect(await visibleText(page.getByRole('heading', { level: 1 }))).toBe(
      'Yes, forged mail is refused.',
    )
    expect(await page.locator('.answer .mark').getAttribute('aria-label')).toBe('Protected')
    expect(await visibleTexts(page.locator('.tiles li'))).toEqual([
      'Who may send (SPF) ✓ Good Google Workspace · 4 of 10 lookups',
      'Signed mail (DKIM) ✓ Good 1 key: 2048 bits',
      'Blocking forged mail (DMARC) ✓ Good Policy reject',
      'Receiving mail (MX) ✓ Good Google Workspace',
    ])
    expect(await visibleText(page.getByRole('region', { name: 'What to fix' }))).toMatch(
      /^What to fix Nothing\./,
    )
  })

  test('a broken domain: a status for each mechanism, and the SPF tree with its lookup budget', async () => {
    const page = await environment.openPage('/', options)
    await checkDomain(page, 'https://www@LOOKUPS.test/contact')
    expect(await visibleText(page.getByRole('heading', { level: 1 }))).toBe(
      'Mail from Twilio SendGrid and Mailchimp goes to spam today.',
    )
    expect(await visibleTexts(page.locator('.tiles li'))).toEqual([
      'Who may send (SPF) ✕ Problem Receivers can’t use it: 14 lookups; the limit is 10',
      'Signed mail (DKIM) ✕ Problem 1 key: 2048 bits',
      'Blocking forged mail (DMARC) ! Needs work Policy quarantine',
      'Receiving mail (MX) ✓ Good Google Workspace',
    ])

    const spf = page.getByRole('region', { name: 'SPF: who may send' })
    const budget = spf.getByRole('img', { name: 'SPF lookups' })
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
  })

  test('answers whether mail from a server passes, and marks the branch', async () => {
    const page = await environment.openPage('/?domain=good.test', options)
    await page.getByLabel('IP address of the sending server').fill('192.0.2.100')
    await page.getByRole('button', { name: 'Test' }).click()
    await page.waitForURL(/ip=192\.0\.2\.100/)
    expect(await readFacts(page.locator('.evaluation .result'))).toMatchObject({
      Result: 'Pass This server is allowed to send for the domain.',
    })
    expect(await visibleText(page.locator('.tree .match'))).toBe('◀ matches ip4:192.0.2.96/28')
  })

  test('the policy source, the key size, and each finding with its fix', async () => {
    const page = await environment.openPage('/?domain=lookups.test', options)
    expect(await readFacts(page.getByRole('region', { name: /^DMARC/ }))).toEqual({
      Policy: 'quarantine: forged mail goes to the spam folder',
      'Policy source': '_dmarc.lookups.test, its own record',
      Alignment: 'SPF relaxed, DKIM relaxed',
      'Reports go to': 'mailto:dmarc@lookups.test',
    })
    expect(await visibleTexts(page.locator('.keys .size'))).toEqual(['2048 bits'])
    expect(await visibleTexts(page.locator('.keys code:visible'))).toEqual([
      'google._domainkey.lookups.test',
    ])

    const [lost = '', lookups = '', ...others] = await visibleTexts(
      page.locator('#fixes ~ ol .finding, #then ~ ol .finding'),
    )
    expect(lost).toMatch(/^Critical Mail from Twilio SendGrid and .* goes to spam today/)
    expect(lookups).toMatch(
      /^High SPF needs 14 DNS lookups; the limit is 10 .*include:sendgrid\.net \(1\), include:servers\.mcsv\.net \(1\), and include:spf\.mandrillapp\.com \(1\)/,
    )
    expect(others).toEqual([])
    await page.getByText(/^Good to know/).click()
    const notes = await visibleTexts(page.locator('.notes .finding'))
    expect(notes).toContainEqual(expect.stringMatching(/^Info Forged mail goes to spam/))
    expect(await visibleTexts(page.locator('.notes .record code'))).toEqual([
      'TXT',
      '_dmarc',
      'v=DMARC1; p=reject; rua=mailto:dmarc@lookups.test',
    ])
  })

  test('shows that a policy is inherited', async () => {
    const page = await environment.openPage('/?domain=team.good.test', options)
    expect(await readFacts(page.getByRole('region', { name: /^DMARC/ }))).toMatchObject({
      'Policy source': '_dmarc.good.test, inherited from good.test',
    })
  })

  test.each([
    ['nowhere.test', 404, 'nowhere.test doesn’t exist in DNS. Check the spelling.'],
    ['good..test', 400, 'good..test has an extra dot; remove it.'],
  ])('%s: %i, with what to do, and the input kept', async (domain, status, text) => {
    const page = await environment.openPage('/', options)
    expect((await checkDomain(page, domain)).status).toBe(status)
    expect(await visibleText(page.getByRole('alert').locator('.summary'))).toBe(text)
    expect(await page.getByLabel('Domain, email address, or website').inputValue()).toBe(domain)
    await page.getByRole('link', { name: 'About this error' }).click()
    await page.waitForURL('**/problems/*')
    expect(await page.getByText(`HTTP status ${status}`).count()).toBe(1)
  })
})

describe.each(BROWSERS)('rate limit, %s', (_, options) => {
  const environment = setUpBrowser(async () => ({ RATE_LIMIT_PER_MINUTE: '1' }))

  test('says when to try again', async () => {
    const page = await environment.openPage('/', options)
    expect((await checkDomain(page, 'good.test')).status).toBe(200)
    const { status, headers } = await checkDomain(page, 'lookups.test')
    expect(status).toBe(429)
    const seconds = Number(headers['retry-after'])
    expect(seconds).toBeGreaterThan(0)
    expect(await visibleText(page.getByRole('alert').locator('.summary'))).toContain(
      `${seconds} seconds`,
    )
  })
})
