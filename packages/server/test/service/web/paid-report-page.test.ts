import { describe, expect, test } from 'vitest'
import { ACME_SCORE_PATH, expectNotCharged, openPaidService } from '../../support/paid-service.js'

const PAGE = '/reports/score?domain=acme.test'
const BROWSER = { accept: 'text/html' }

describe('the page of a paid report', () => {
  test('shows the price without a payment', async () => {
    const service = await openPaidService('in-process')
    const response = await service.get(PAGE, BROWSER)
    const html = await response.text()
    expect(response.status).toBe(402)
    expect(response.headers.get('payment-required')).not.toBeNull()
    expect(html).toContain('<p class="price">0.01 USD</p>')
    expect(html).not.toContain('role="alert"')
    await expectNotCharged(service)
  })

  test('shows the report for a payment, charges once, and returns the same report as JSON', async () => {
    const service = await openPaidService('in-process')
    const payment = await service.sign()
    const headers = { ...BROWSER, 'payment-signature': payment }
    const response = await service.get(PAGE, headers)
    const html = await response.text()
    expect(response.status).toBe(200)
    expect(html).toContain('data-report')
    const { status, body } = await service.send(ACME_SCORE_PATH, payment)
    expect(status).toBe(200)
    expect(html).toContain(`${body.score} of 100</text>`)
    const again = await service.get(PAGE, headers)
    expect(await again.text()).toBe(html)
    expect(await service.settlements()).toHaveLength(1)
  })

  test('says why a payment is rejected', async () => {
    const service = await openPaidService('in-process', { units: 1n })
    const headers = { ...BROWSER, 'payment-signature': await service.sign() }
    const response = await service.get(PAGE, headers)
    expect(response.status).toBe(402)
    expect(await response.text()).toContain('The payer doesn’t have enough of the token.')
    await expectNotCharged(service)
  })

  test.each([
    ['/reports/score?domain=a..b', 400],
    ['/reports/email-check?email=ann', 400],
  ])('%s is a page with status %i, with or without a payment', async (path, status) => {
    const service = await openPaidService('in-process')
    expect((await service.get(path, BROWSER)).status).toBe(status)
    const headers = { ...BROWSER, 'payment-signature': await service.sign() }
    expect((await service.get(path, headers)).status).toBe(status)
    await expectNotCharged(service)
  })

  test('the command to copy contains no shell injection', async () => {
    const service = await openPaidService('in-process')
    const response = await service.get("/reports/score?domain=x'$(y)`z`'", BROWSER)
    const [, command] = /data-copy="(curl [^"]*)"/.exec(await response.text()) ?? []
    expect(command).toBe(
      'curl -i &#39;https://mailgrade.example/v1/score?domain=x%27%24%28y%29%60z%60%27&#39;',
    )
  })

  test('does not charge for a domain that does not exist', async () => {
    const service = await openPaidService('in-process')
    const headers = { ...BROWSER, 'payment-signature': await service.sign() }
    const response = await service.get('/reports/score?domain=nowhere.test', headers)
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('nowhere.test doesn’t exist in DNS.')
    await expectNotCharged(service)
  })
})
