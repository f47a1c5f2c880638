/** On a phone: targets are big enough for a thumb, and explanations are short enough to scroll. */

import { PATHS } from '@mailgrade/operations/service-paths'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { MECHANISM_NAMES } from '../../src/web/learn/mechanisms.js'
import { mechanismPagePath } from '../../src/web/page-paths.js'
import { NO_JAVASCRIPT, setUpBrowser } from './browser-environment.js'

const environment = setUpBrowser()

const PHONE = { viewport: { width: 360, height: 800 } }

/**
 * Targets below 24 × 24 px (WCAG 2.2, 2.5.8). The only exception is a link inside a sentence: its
 * block has words that are no target.
 */
const SMALL_TARGETS = `(() => {
  const TARGETS = 'a[href], button, input:not([type=hidden]), select, textarea, summary'
  const isInline = (target) => getComputedStyle(target).display === 'inline'
  const blockOf = (element) =>
    isInline(element) && element.parentElement ? blockOf(element.parentElement) : element
  const wordsBeside = (block) => {
    const copy = block.cloneNode(true)
    for (const target of copy.querySelectorAll(TARGETS)) target.remove()
    return copy.textContent.replace(/[^\\p{L}\\p{N}]/gu, '')
  }
  const isInSentence = (target) =>
    target.matches('a') && isInline(target) && wordsBeside(blockOf(target)) !== ''
  const small = []
  for (const target of document.querySelectorAll(TARGETS)) {
    if (!target.checkVisibility() || target.matches('.skip') || isInSentence(target)) continue
    const { width, height } = target.getBoundingClientRect()
    if (width < 24 || height < 24) {
      const name = target.outerHTML.replace(/\\s+/g, ' ').slice(0, 90)
      small.push(Math.floor(width) + ' × ' + Math.floor(height) + ' px: ' + name)
    }
  }
  return small
})()`

const OPEN_ALL = `for (const details of document.querySelectorAll('details')) details.open = true`

async function expectBigTargets(page: Page): Promise<void> {
  expect(await page.evaluate(SMALL_TARGETS)).toEqual([])
  await page.evaluate(OPEN_ALL)
  expect(await page.evaluate(SMALL_TARGETS), 'with all sections open').toEqual([])
}

test.each([
  ['home', '/'],
  ['a result', '/?domain=lookups.test'],
  ['a good result', '/?domain=good.test'],
  ['invalid input', '/?domain=good..test'],
  ['a sample plan', '/reports/fix-plan/sample'],
  ['an offer', '/reports/score?domain=good.test'],
  ['learn', '/learn'],
  ['a mechanism', '/learn/dmarc'],
  ['a finding', '/learn/spf.too-many-lookups'],
  ['the documentation', '/docs'],
  ['an endpoint', '/docs/api/check'],
  ['problems', '/problems'],
  ['the form for several domains', '/domains'],
  ['several domains', '/domains?domains=good.test,parked.test,nowhere.test,a_b'],
  ['questions and answers', '/faq'],
])('targets are big enough: %s', async (_, path) => {
  await expectBigTargets(await environment.openPage(path, PHONE))
})

/** About six screens. */
const MAX_HEIGHT = 5_000

test.each([PATHS.learn, ...MECHANISM_NAMES.map(mechanismPagePath)])(
  '%s is short until a list is opened',
  async (path) => {
    const page = await environment.openPage(path, { ...NO_JAVASCRIPT, ...PHONE })
    const height = await page.evaluate('document.documentElement.scrollHeight')
    expect(height).toBeLessThan(MAX_HEIGHT)
  },
)

test('a closed list opens without scripts, also for a link into it', async () => {
  const page = await environment.openPage('/learn/dmarc', { ...NO_JAVASCRIPT, ...PHONE })
  const google = page.locator('summary', { hasText: /^Google Workspace$/ })
  expect(await google.isVisible()).toBe(false)
  await page.locator('summary', { hasText: 'Mailbox providers' }).click()
  expect(await google.isVisible()).toBe(true)
  await page.goto('/learn/dmarc#host-cloudflare')
  expect(await page.locator('#host-cloudflare').isVisible()).toBe(true)
})
