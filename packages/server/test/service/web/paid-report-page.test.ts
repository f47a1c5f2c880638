import { describe, expect, test } from 'vitest'
import { ACME_SCORE_PATH, expectNotCharged, openPaidService } from '../../support/paid-service.js'

const PAGE = '/reports/score?domain=acme.test'
const BROWSER = { accept: 'text/html' }

describe('the page of a report', () => {
  test('shows the price to whoever comes without a payment', async () => {
    const shop = await openPaidService('in-process')
    const response = await shop.get(PAGE, BROWSER)
    const html = await response.text()
    expect(response.status).toBe(402)
    expect(response.headers.get('payment-required')).not.toBeNull()
    expect(html).toContain('<p class="price">0.01 USD</p>')
    expect(html).not.toContain('role="alert"')
    await expectNotCharged(shop)
  })

  test('is the report for a payment, which is charged once, and buys the same as JSON', async () => {
    const shop = await openPaidService('in-process')
    const payment = await shop.sign()
    const headers = { ...BROWSER, 'payment-signature': payment }
    const response = await shop.get(PAGE, headers)
    const html = await response.text()
    expect(response.status).toBe(200)
    expect(html).toContain('data-report')
    const { status, body } = await shop.send(ACME_SCORE_PATH, payment)
    expect(status).toBe(200)
    expect(html).toContain(`<span>${body.score} of 100</span>`)
    const again = await shop.get(PAGE, headers)
    expect(await again.text()).toBe(html)
    expect(await shop.settlements()).toHaveLength(1)
  })

  test('says why a payment is not taken', async () => {
    const shop = await openPaidService('in-process', { units: 1n })
    const headers = { ...BROWSER, 'payment-signature': await shop.sign() }
    const response = await shop.get(PAGE, headers)
    expect(response.status).toBe(402)
    expect(await response.text()).toContain('The payer does not have enough of the token.')
    await expectNotCharged(shop)
  })

  test.each([
    ['/reports/score?domain=a..b', 400],
    ['/reports/email-check?email=nobody', 400],
  ])('%s is a page of status %i, paid or not', async (path, status) => {
    const shop = await openPaidService('in-process')
    expect((await shop.get(path, BROWSER)).status).toBe(status)
    const headers = { ...BROWSER, 'payment-signature': await shop.sign() }
    expect((await shop.get(path, headers)).status).toBe(status)
    await expectNotCharged(shop)
  })

  test('never offers a command to copy that does more than ask', async () => {
    const shop = await openPaidService('in-process')
    const response = await shop.get("/reports/score?domain=x'$(y)`z`'", BROWSER)
    const [, command] = /data-copy="(curl [^"]*)"/.exec(await response.text()) ?? []
    expect(command).toBe(
      'curl -i &#39;https://mailgrade.example/v1/score?domain=x%27%24%28y%29%60z%60%27&#39;',
    )
  })

  test('of a domain that does not exist is not charged', async () => {
    const shop = await openPaidService('in-process')
    const headers = { ...BROWSER, 'payment-signature': await shop.sign() }
    const response = await shop.get('/reports/score?domain=nowhere.test', headers)
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('nowhere.test does not exist in the DNS.')
    await expectNotCharged(shop)
  })
})
