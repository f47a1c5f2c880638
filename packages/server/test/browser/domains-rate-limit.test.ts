/** What a person sees who checks more domains than the rate limit allows. */
import { expect, test } from 'vitest'
import { setUpBrowser } from './browser-environment.js'
import { visibleText } from './page-text.js'

const environment = setUpBrowser(async () => ({ RATE_LIMIT_PER_MINUTE: '2' }))

test('a domain over the limit says so in its row', async () => {
  const page = await environment.openPage('/domains?domains=good.test,parked.test,lookups.test')
  expect(await visibleText(page.locator('h1'))).toBe('1 of 2 domains refuses forged mail')
  const row = page.locator('tr', { hasText: 'lookups.test' })
  expect(await visibleText(row.locator('.badge'))).toBe('? Not checked')
  expect(await visibleText(row.locator('.reason'))).toMatch(
    /^You reached the limit. Try again in \d+ seconds\.$/,
  )
  const again = await page.reload()
  expect([again?.status(), await visibleText(page.locator('h1'))]).toEqual([
    429,
    'We couldn’t check any domain',
  ])
})
