/** What the result page does beyond showing the result: progress, before and after, input errors. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { NO_JAVASCRIPT, setUpBrowser } from './browser-environment.js'
import { visibleText, visibleTexts } from './page-text.js'

const environment = setUpBrowser()

/** Notes what a page announces before the next page replaces it, and whether its button is off. */
const RECORD_ANNOUNCEMENTS = `
  new MutationObserver(() => {
    const text = document.querySelector('.loading')?.textContent
    const isOff = document.querySelector('.ask button')?.disabled
    if (text) sessionStorage.announced = text + (isOff ? ' (button off)' : '')
  }).observe(document, { childList: true, subtree: true })
`

async function openRecordedHome(): Promise<Page> {
  const context = await environment.newContext()
  await context.addInitScript(RECORD_ANNOUNCEMENTS)
  const page = await context.newPage()
  await page.goto('/')
  return page
}

describe('the answer', () => {
  test.each([360, 768, 1280])('is on the first screen at %i px', async (width) => {
    const page = await environment.openPage('/?domain=monitoring.test', {
      viewport: { width, height: 800 },
    })
    const box = await page.locator('#verdict').boundingBox()
    expect((box?.y ?? 800) + (box?.height ?? 0)).toBeLessThan(800)
    const mark = await page.getByRole('img', { name: 'Exposed' }).boundingBox()
    expect(mark?.width).toBeGreaterThanOrEqual(96)
  })

  test.each([
    ['good.test', 'pass', 'Yes, forged mail is refused.', 'Refused It never arrives'],
    [
      'monitoring.test',
      'fail',
      'No, you’re not protected yet.',
      'Delivered It can reach the inbox',
    ],
    ['parked.test', 'fail', 'No, you’re not protected yet.', 'Delivered It can reach the inbox'],
    ['locked.test', 'pass', 'Yes, forged mail is refused.', 'Refused It never arrives'],
  ])('%s: color, words and pictures agree', async (domain, status, answer, end) => {
    const page = await environment.openPage(`/?domain=${domain}`, NO_JAVASCRIPT)
    expect(await page.locator('section.answer').getAttribute('class')).toBe(`answer ${status}`)
    expect(await page.locator('.mark').getAttribute('class')).toBe(`mark ${status}`)
    expect(await visibleText(page.locator('#verdict'))).toBe(answer)
    const last = page.locator('.path li').last()
    expect(await visibleText(last)).toBe(end)
    expect(await last.getAttribute('class')).toBe(status)
  })

  test('leads to the fix', async () => {
    const page = await environment.openPage('/?domain=monitoring.test', NO_JAVASCRIPT)
    await page.getByRole('link', { name: 'Show me the fix' }).click()
    await page.waitForURL(/#fixes$/)
    expect(await visibleText(page.locator('#fixes'))).toBe('Fix this first')
    const other = await environment.openPage('/?domain=good.test')
    expect(await other.getByRole('link', { name: 'Show me the fix' }).count()).toBe(0)
  })

  test('the ladder marks the level of the domain', async () => {
    const page = await environment.openPage('/?domain=monitoring.test')
    expect(await visibleTexts(page.locator('.ladder [aria-current=step] strong'))).toEqual([
      '2. Monitor (none)',
    ])
  })
})

test('a selector entered on the tile settles whether mail is signed', async () => {
  const page = await environment.openPage('/?domain=selector.test', NO_JAVASCRIPT)
  const tile = page.locator('.tiles li').filter({ hasText: 'Signed mail' })
  expect(await visibleText(tile.locator('.badge'))).toBe('? Unknown')
  expect(await tile.getAttribute('class')).toBe('unknown')
  await tile.getByLabel('Your selector').fill('acme2026')
  await tile.getByRole('button', { name: 'Check this key' }).click()
  await page.waitForURL('**/?domain=selector.test&selector=acme2026#dkim')
  expect(await visibleText(tile)).toBe('Signed mail (DKIM) ✓ Good 1 key: 2048 bits')
})

describe('progress', () => {
  test('is announced, and the button cannot be pressed twice', async () => {
    const page = await openRecordedHome()
    await page.getByLabel('Domain, email address, or website').fill('good.test')
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.waitForURL('**/?domain=good.test')
    expect(await page.evaluate('sessionStorage.announced')).toBe('Checking good.test… (button off)')
    expect(await page.locator('.loading').getAttribute('role')).toBe('status')
    await page.goBack()
    expect(await page.getByRole('button', { name: 'Check', exact: true }).isDisabled()).toBe(false)
    expect(await page.locator('.loading').textContent()).toBe('')
  })

  test('is announced for links to a result', async () => {
    const page = await openRecordedHome()
    await page.getByRole('link', { name: 'lookups.test' }).click()
    await page.waitForURL('**/?domain=lookups.test')
    expect(await page.evaluate('sessionStorage.announced')).toBe('Checking lookups.test…')
  })
})

describe('check again', () => {
  test('says that nothing has changed', async () => {
    const page = await environment.openPage('/?domain=monitoring.test')
    expect(await page.locator('.compare').count()).toBe(0)
    await page.getByRole('link', { name: 'Check again' }).click()
    expect(await visibleText(page.locator('.compare'))).toMatch(
      /^Nothing has changed since .+\. A change in DNS can take an hour to show\.$/,
    )
  })

  test('shows before and after side by side', async () => {
    const page = await environment.openPage('/?domain=monitoring.test')
    // The same domain, as it is after the fix.
    await page.route('**/?domain=monitoring.test', async (route) => {
      const response = await route.fetch({ url: `${environment.url}/?domain=good.test` })
      await route.fulfill({ response })
    })
    await page.getByRole('link', { name: 'Check again' }).click()
    const rows = page.locator('.compare tr')
    await rows.first().waitFor()
    const [head, ...changes] = await visibleTexts(rows)
    expect(head).toMatch(/^Before \(.+\) Now$/)
    expect(changes[0]).toBe('Answer No, you’re not protected yet. Yes, forged mail is refused.')
    expect(changes).toContain(
      'Blocking forged mail (DMARC) ✕ Problem: Policy none ✓ Good: Policy reject',
    )
    expect(await visibleTexts(page.locator('.compare .changed th'))).not.toContain(
      'Signed mail (DKIM)',
    )
  })
})

describe('a mistake in the input', () => {
  test.each([
    ['with JavaScript', {}],
    ['without', NO_JAVASCRIPT],
  ] as const)('is marked at the field and is no verdict, %s', async (_, options) => {
    const page = await environment.openPage('/?domain=good..test', options)
    expect(await page.locator('.answer, .verdict').count()).toBe(0)
    const field = page.getByLabel('Domain, email address, or website')
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    const described = (await field.getAttribute('aria-describedby')) ?? ''
    expect(await visibleText(page.locator(`#${described}`))).toBe(
      'good..test has an extra dot; remove it.',
    )
    const size = await page.evaluate(
      'Number.parseFloat(getComputedStyle(document.querySelector(".small-print")).fontSize)',
    )
    expect(size).toBeLessThan(14)
    const support = page.locator('.problem details')
    expect(await visibleText(support)).toBe('For support')
    await support.locator('summary').click()
    expect(await visibleText(support)).toMatch(/^For support Request id [0-9a-f-]{36}$/)
    // The color of information, not the red of a failure.
    const colors = `['.problem', '#domain'].map((part) =>
      getComputedStyle(document.querySelector(part)).borderLeftColor)`
    expect(await page.evaluate(colors)).toEqual(['rgb(57, 75, 102)', 'rgb(57, 75, 102)'])
    await page.getByRole('link', { name: 'Check good.test instead' }).click()
    await page.waitForURL('**/?domain=good.test')
    expect(await visibleText(page.locator('#verdict'))).toBe('Yes, forged mail is refused.')
  })
})

describe('the home page', () => {
  test('answers before it sells', async () => {
    const page = await environment.openPage('/', NO_JAVASCRIPT)
    expect(await visibleText(page.locator('.hero'))).toContain('Free, no sign-up.')
    expect(await visibleTexts(page.locator('main h2'))).toEqual([
      'What you’ll see',
      'Why it matters',
      'Paid reports',
      'For developers and agents',
    ])
    expect(await visibleText(page.locator('.answer .sentence'))).toBe(
      'No, you’re not protected yet.',
    )
    expect(await page.locator('form.buy').count()).toBe(0)
    expect(await visibleTexts(page.locator('.paid-reports p'))).toEqual([
      'Score · 0.01 USD A score from 0 to 100, what cost you points, and your first three fixes. See a sample',
      'Email check · 0.01 USD Find out whether an address can receive mail. We don’t send it anything. See a sample',
      'Fix plan · 1.00 USD The exact records to publish, in order, with steps for your DNS host. See a sample',
    ])
    expect(await visibleTexts(page.locator('#reports dt'))).toEqual([
      'In your browser',
      'From your code',
      'With an AI agent',
    ])
  })

  test('shows a sample of each report before anyone pays', async () => {
    const page = await environment.openPage('/', NO_JAVASCRIPT)
    await page.getByRole('link', { name: 'See a sample' }).last().click()
    await page.waitForURL('**/reports/fix-plan/sample')
    expect(await visibleText(page.locator('.report'))).toContain('v=DMARC1; p=quarantine')
    await page.getByRole('link', { name: 'Get yours for 1.00 USD' }).click()
    await page.waitForURL('**/reports/fix-plan')
  })
})
