/** More at once than there are places for: who is sent away keeps the money. */
import { expect, test } from 'vitest'
import { ACME, expectSold, expectUnpaid, OTHER, openShop } from '../../support/paid-service.js'
import { LIVE } from '../../support/test-app.js'

test('a report that finds no place in time is not charged, and its payment stays good', async () => {
  const shop = await openShop('in-process', { env: { ...LIVE, MAX_CONCURRENT_REPORTS: '1' } })
  const payment = await shop.sign()
  let goOn = () => {}
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const isAtWork = new Promise<void>((resolve) => {
    shop.duringWork(() => {
      resolve()
      return held
    })
  })
  const slow = shop.ask('/v1/mx?domain=other.test')
  await isAtWork

  const refused = await shop.ask(ACME, payment)
  expect(refused).toMatchObject({ status: 503, body: { code: 'overloaded', retryAfterSeconds: 2 } })
  await expectUnpaid(shop)

  goOn()
  await slow
  await expectSold(shop, await shop.ask(ACME, payment))
  expect((await shop.ask(OTHER, payment)).status).toBe(402)
})
