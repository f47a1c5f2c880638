/** More at once than there are places for: who is sent away keeps the money. */
import { expect, test } from 'vitest'
import {
  ACME_SCORE_PATH,
  expectDelivered,
  expectNotCharged,
  OTHER_SCORE_PATH,
  openPaidService,
} from '../../support/paid-service.js'
import { LIVE_ENV } from '../../support/test-app.js'

test('a report that finds no place in time is not charged, and its payment stays good', async () => {
  const shop = await openPaidService('in-process', {
    env: { ...LIVE_ENV, MAX_CONCURRENT_REPORTS: '1' },
  })
  const payment = await shop.sign()
  let goOn = () => {}
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const isAtWork = new Promise<void>((resolve) => {
    shop.onNextDnsQuery(() => {
      resolve()
      return held
    })
  })
  const slow = shop.send('/v1/mx?domain=other.test')
  await isAtWork

  const refused = await shop.send(ACME_SCORE_PATH, payment)
  expect(refused).toMatchObject({ status: 503, body: { code: 'overloaded', retryAfterSeconds: 2 } })
  await expectNotCharged(shop)

  goOn()
  await slow
  await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
  expect((await shop.send(OTHER_SCORE_PATH, payment)).status).toBe(402)
})
