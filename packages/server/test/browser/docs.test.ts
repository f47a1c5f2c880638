/** The developer documentation: its menu, examples in three languages, fields, and the form to try. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { endpointDocsPath } from '@mailgrade/operations/service-paths'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { NO_JAVASCRIPT, setUpBrowser } from './browser-environment.js'
import { visibleText, visibleTexts } from './page-text.js'

const environment = setUpBrowser()
const PHONE = { viewport: { width: 360, height: 800 } }
const TABLET = { viewport: { width: 768, height: 1024 } }
const DESKTOP = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' } as const

function menuOf(page: Page) {
  return page.getByRole('navigation', { name: 'Documentation' })
}

async function boxOf(page: Page, selector: string) {
  const box = await page.locator(selector).boundingBox()
  if (!box) throw new Error(`${selector} is not visible`)
  return box
}

describe('the menu, without scripts', () => {
  test.each([
    ['360', PHONE],
    ['768', TABLET],
  ])('at %s px is a disclosure above the content', async (_, size) => {
    const page = await environment.openPage('/docs/api/spf', { ...NO_JAVASCRIPT, ...size })
    const summary = page.getByText('Documentation menu', { exact: true })
    expect(await menuOf(page).isVisible()).toBe(false)
    await summary.click()
    expect(await menuOf(page).isVisible()).toBe(true)
    const menu = await boxOf(page, '.docs-menu')
    const content = await boxOf(page, '.docs-content')
    expect(menu.y + menu.height).toBeLessThanOrEqual(content.y)
    await summary.click()
    expect(await menuOf(page).isVisible()).toBe(false)
  })

  test('at 1280 px is a column beside the content, and stays in view', async () => {
    const page = await environment.openPage('/docs/api/spf', { ...NO_JAVASCRIPT, ...DESKTOP })
    expect(await page.getByText('Documentation menu', { exact: true }).isVisible()).toBe(false)
    const menu = await boxOf(page, '.docs-menu')
    const content = await boxOf(page, '.docs-content')
    expect(menu.x + menu.width).toBeLessThanOrEqual(content.x)
    expect(content.width).toBeGreaterThan(600)
    await page.getByRole('heading', { name: 'Parameters' }).scrollIntoViewIfNeeded()
    expect((await boxOf(page, '.docs-menu')).y).toBe(0)
  })

  test('has groups with names, and marks the current page', async () => {
    const page = await environment.openPage('/docs/api/spf', { ...NO_JAVASCRIPT, ...DESKTOP })
    const menu = menuOf(page)
    expect(await visibleTexts(menu.locator('.group'))).toEqual([
      'Free endpoints',
      'Paid endpoints',
      'Guides',
      'Reference',
      'For programs',
    ])
    const paid = menu.getByRole('list', { name: 'Paid endpoints' })
    expect(await visibleTexts(paid.getByRole('link'))).toEqual([
      '/v1/score',
      '/v1/email-check',
      '/v1/fix-plan',
    ])
    expect(await visibleTexts(menu.locator('[aria-current="page"]'))).toEqual(['/v1/spf'])
    await paid.getByRole('link', { name: '/v1/fix-plan' }).click()
    await page.waitForURL('**/docs/api/fix-plan')
    expect(await visibleTexts(menu.locator('[aria-current="page"]'))).toEqual(['/v1/fix-plan'])
  })

  test('keeps operators apart: a menu of their own, and one link back', async () => {
    const page = await environment.openPage('/docs', { ...NO_JAVASCRIPT, ...DESKTOP })
    await menuOf(page).getByRole('link', { name: 'Run your own instance' }).click()
    await page.waitForURL('**/docs/operators')
    await page
      .locator('.docs-content')
      .getByRole('link', { name: 'Accounting and refunds' })
      .click()
    await page.waitForURL('**/docs/guides/accounting')
    expect(await visibleTexts(menuOf(page).getByRole('link'))).toEqual([
      'Run your own instance',
      'The first 15 minutes in production',
      'Configuration',
      'Operations reference',
      'Accounting and refunds',
      'Security',
      'API documentation',
    ])
    await menuOf(page).getByRole('link', { name: 'API documentation' }).click()
    await page.waitForURL('**/docs')
  })

  test('can be skipped with the keyboard', async () => {
    const page = await environment.openPage('/docs/findings', { ...NO_JAVASCRIPT, ...DESKTOP })
    const skip = page.getByRole('link', { name: 'Skip the documentation menu' })
    await skip.focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.locator('.docs-content :focus').count()).toBe(1)
  })
})

describe('examples', () => {
  const visiblePanel = (page: Page) => page.locator('.panel:visible')

  test('are tabs without scripts, also with the keyboard', async () => {
    const page = await environment.openPage('/docs/api/mx', NO_JAVASCRIPT)
    const url = `${environment.url}/v1/mx?domain=good.test`
    expect(await visibleTexts(visiblePanel(page).locator('pre'))).toEqual([`curl '${url}'`])
    await page.getByRole('radio', { name: 'JavaScript' }).check()
    expect(await visibleText(visiblePanel(page).locator('pre'))).toMatch(
      /^const response = await fetch\('[^']+'\) .* console\.log\(report\.status\)$/,
    )
    await page.keyboard.press('ArrowRight')
    expect(await page.getByRole('radio', { name: 'Python' }).isChecked()).toBe(true)
    expect(await visibleText(visiblePanel(page).locator('pre'))).toMatch(
      /^import json .* print\(report\['status'\]\)$/,
    )
  })

  test('keep the language on the next page', async () => {
    const page = await environment.openPage('/docs/api/mx', DESKTOP)
    await page.getByRole('radio', { name: 'Python' }).check()
    await menuOf(page).getByRole('link', { name: '/v1/spf' }).click()
    await page.waitForURL('**/docs/api/spf')
    expect(await visibleText(visiblePanel(page).locator('pre'))).toContain('/v1/spf?domain=')
    expect(await page.getByRole('radio', { name: 'Python' }).isChecked()).toBe(true)
  })

  test('of a paid endpoint install the packages and read the body', async () => {
    const page = await environment.openPage('/docs/api/score', NO_JAVASCRIPT)
    await page.getByRole('radio', { name: 'JavaScript' }).check()
    const [install, code] = await visibleTexts(visiblePanel(page).locator('pre'))
    expect(install).toBe('npm install @x402/fetch @x402/evm viem')
    expect(code).toContain('const report = await response.json()')
    await visiblePanel(page).getByRole('link', { name: 'the demo wallet' }).click()
    await page.waitForURL('**/docs/guides/payments#the-sandbox')
  })

  const PRINTED: Readonly<Record<string, RegExp>> = {
    check: /^good\.test: receivers refuse forged mail\. Nothing to fix\.\n$/,
    spf: /^fail\n$/,
    dmarc: /^pass\n$/,
    dkim: /^pass\n$/,
    mx: /^pass\n$/,
    score: offerPattern('one US cent \\(0\\.01 USDC\\)', 10_000),
    emailCheck: offerPattern('one US cent \\(0\\.01 USDC\\)', 10_000),
    fixPlan: offerPattern('one US dollar \\(1 USDC\\)', 1_000_000),
  }

  test.each(OPERATIONS)('in Python run as they are shown: $path', async (operation) => {
    const page = await environment.openPage(endpointDocsPath(operation))
    const code = await page.locator('[data-language=python] pre').textContent()
    const { out, err, exitCode } = await runPython(code ?? '')
    expect({ err, exitCode }).toEqual({ err: '', exitCode: 0 })
    expect(out).toMatch(PRINTED[operation.id] ?? /^$/)
  })
})

/** The price in words, then one line for the offer. */
function offerPattern(price: string, amount: number): RegExp {
  const address = '0x[0-9a-fA-F]{40}'
  return new RegExp(
    `^402 This report costs ${price}\\. .*\n${amount} ${address} eip155:84532 ${address}\n$`,
  )
}

async function runPython(code: string) {
  const { PATH = '' } = process.env
  const child = spawn('python3', ['-W', 'error', '-c', code], { env: { PATH } })
  const [out, err, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { out, err, exitCode }
}

describe('fields, without scripts', () => {
  test('nested ones open below each other, with type, values and description', async () => {
    const page = await environment.openPage('/docs/api/check', NO_JAVASCRIPT)
    const severity = page.locator('.fields > div').filter({
      has: page.locator('> dt > code', { hasText: /^severity$/ }),
    })
    expect(await severity.first().isVisible()).toBe(false)
    await page.getByText('fields of mx', { exact: false }).click()
    const mx = page.locator('details[open]').first()
    await mx.getByText('fields of issues').click()
    expect(await visibleText(severity.first())).toBe(
      'severity string info needs no action One of critical, high, medium, low, info',
    )
    await mx.getByText(/fields of provider$/).click()
    expect(await visibleTexts(mx.locator('dt:visible', { hasText: /^provider(?!s)/ }))).toEqual([
      'provider object or null',
    ])
  })

  test('parameters have their type, constraints and an example', async () => {
    const page = await environment.openPage('/docs/api/fix-plan', NO_JAVASCRIPT)
    const parameters = page.locator('h2:text-is("Parameters") + .fields > div')
    const [domain, selector] = await visibleTexts(parameters)
    expect(domain).toMatch(
      /^domain string, required, at most 320 characters A domain, .* Example: monitoring\.test$/,
    )
    expect(selector).toBe(
      'selector array of strings, optional, at most 5 Up to 5 DKIM selectors to look up in addition to the usual ones. Example: google',
    )
  })
})

describe('try it', () => {
  const outcomeOf = (page: Page) => page.locator('.try-it').getByRole('status')
  const bodyOf = async (page: Page) =>
    JSON.parse((await page.locator('.try-it pre').textContent()) ?? '')

  async function send(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Send request' }).click()
    await page.locator('.try-it pre:visible').waitFor()
  }

  test('a free endpoint: 200, the rate limit and the JSON', async () => {
    const page = await environment.openPage('/docs/api/mx')
    await page.getByLabel('domain', { exact: true }).fill(' monitoring.test ')
    await send(page)
    expect(await visibleText(outcomeOf(page))).toBe('200 OK')
    expect(await visibleText(page.locator('[data-rate-limit]'))).toMatch(
      /^RateLimit: "free";r=\d+;t=\d+$/,
    )
    expect(await bodyOf(page)).toMatchObject({ domain: 'monitoring.test', status: 'pass' })
    expect(await page.locator('.try-it pre').textContent()).toContain(
      '{\n  "domain": "monitoring.test",\n',
    )
    expect(page.url()).toBe(`${environment.url}/docs/api/mx`)
  })

  test('sends the optional parameters that are filled in, and only those', async () => {
    const page = await environment.openPage('/docs/api/spf')
    await page.getByText('Optional parameters').first().click()
    await page.getByLabel('domain', { exact: true }).fill('www.good.test')
    await page.getByLabel('ip', { exact: true }).fill('192.0.2.100')
    await page.getByLabel('exact', { exact: true }).check()
    const request = page.waitForRequest(/\/v1\/spf/)
    await page.getByRole('button', { name: 'Send request' }).click()
    expect(new URL((await request).url()).search).toBe(
      '?domain=www.good.test&exact=true&ip=192.0.2.100',
    )
    expect((await request).headers().accept).toBe('application/json')
  })

  test('a paid endpoint: 402, the price, and the page where to buy', async () => {
    const page = await environment.openPage('/docs/api/email-check')
    const buy = page.getByRole('link', { name: 'Buy this report in the browser' })
    expect(await buy.isVisible()).toBe(false)
    await send(page)
    expect(await visibleText(outcomeOf(page))).toMatch(
      /^402 Payment Required: This report costs one US cent \(0\.01 USDC\)\./,
    )
    expect((await bodyOf(page)).accepts[0].amount).toBe('10000')
    await buy.click()
    await page.waitForURL('**/reports/email-check?email=Sales%2Bnews%40monitoring.test')
    expect(await page.getByLabel('Email address', { exact: true }).inputValue()).toBe(
      'Sales+news@monitoring.test',
    )
  })

  test('invalid input: the status and what is wrong', async () => {
    const page = await environment.openPage('/docs/api/mx')
    await page.getByLabel('domain', { exact: true }).fill('good..test')
    await send(page)
    expect(await visibleText(outcomeOf(page))).toBe(
      '400 Bad Request: good..test has an extra dot; remove it.',
    )
    expect(await bodyOf(page)).toMatchObject({ code: 'invalid_input', parameter: 'domain' })
  })

  test('says that it is sending, with the button disabled, and what to do if the network fails', async () => {
    const page = await environment.openPage('/docs/api/mx')
    const button = page.getByRole('button', { name: 'Send request' })
    let fail = () => {}
    const held = new Promise<void>((resolve) => {
      fail = resolve
    })
    await page.route('**/v1/mx?*', async (route) => {
      await held
      await route.abort()
    })
    await button.click()
    await page.getByText('Sending the request…').waitFor()
    expect(await button.isDisabled()).toBe(true)
    fail()
    await page
      .getByText('The request failed. Check your network connection and try again.')
      .waitFor()
    expect(await button.isEnabled()).toBe(true)
    expect(await page.locator('.try-it pre').isVisible()).toBe(false)
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Send request')
  })

  test('shows markup in a response as text', async () => {
    const page = await environment.openPage('/docs/api/mx')
    const detail = '<img src=x onerror="alert(1)">'
    await page.route('**/v1/mx?*', (route) => route.fulfill({ status: 502, json: { detail } }))
    await send(page)
    expect(await visibleText(outcomeOf(page))).toContain(detail)
    expect(await page.locator('.try-it img').count()).toBe(0)
  })

  test('without scripts it opens the JSON', async () => {
    const page = await environment.openPage('/docs/api/check', NO_JAVASCRIPT)
    expect(await page.getByText('Optional parameters').first().isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Send request' }).click()
    await page.waitForURL('**/v1/check?domain=good.test')
    const report = JSON.parse((await page.locator('pre').textContent()) ?? '')
    expect(report).toMatchObject({ domain: 'good.test', status: 'pass' })
  })
})

test('GET /mcp in a browser explains how to add the tools', async () => {
  const page = await environment.openPage('/docs', NO_JAVASCRIPT)
  const response = await page.goto('/mcp')
  expect([response?.status(), response?.headers().allow]).toEqual([405, 'POST, OPTIONS'])
  expect(await visibleText(page.getByRole('heading', { level: 1 }))).toBe(
    'This URL is for MCP clients',
  )
  const content = page.locator('.docs-content')
  expect((await visibleTexts(content.locator('pre')))[1]).toBe(
    `claude mcp add --transport http mailgrade ${environment.url}/mcp`,
  )
  expect(await visibleTexts(content.locator('dt'))).toEqual([
    'check_domain_email_security Free',
    'email_security_score 0.01 USD',
    'check_email_address 0.01 USD',
    'email_fix_plan 1.00 USD',
    'pricing Free',
  ])
  await content.getByRole('link', { name: 'MCP tools for agents' }).click()
  await page.waitForURL('**/docs/guides/mcp')
})

test('the start page has a first request to copy', async () => {
  const page = await environment.openPage('/docs', {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await page.getByRole('button', { name: 'Copy the command' }).click()
  await page.getByRole('button', { name: 'Copied the command' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    `curl '${environment.url}/v1/mx?domain=good.test'`,
  )
})
