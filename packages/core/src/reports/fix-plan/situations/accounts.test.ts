/** Owners of shops and help centers: their websites show services that may send mail, too. */
import { expect, test } from 'vitest'
import { planOf, stepsOf, wordsOf } from '../../../../test/support/expert.js'
import { GOOGLE_DONE, policy } from '../../../../test/support/expert-zones.js'

const DONE = `${GOOGLE_DONE}${policy('p=reject')}`

const questionsOf = async (zone: string, options = {}) =>
  stepsOf(await planOf(`${DONE}${zone}`, { options }), 'verify').map(({ stream }) => stream)

test('the verification of Zendesk is a question, like a token at the domain', async () => {
  const zone = 'zendeskverification.acme.test. TXT "4f3a9c1e77d0b26a"'
  expect(await questionsOf(zone)).toEqual(['zendesk'])
  expect(await questionsOf(zone, { unused: ['zendesk'] })).toEqual([])
})

test('a help center at Zendesk or Freshdesk is one', async () => {
  for (const label of ['support', 'help']) {
    const zone = (host: string) => `${label}.acme.test. CNAME ${host}.
      ${host}. A 216.198.53.2`
    expect(await questionsOf(zone('acme.zendesk.com'))).toEqual(['zendesk'])
    expect(await questionsOf(zone('acme.freshdesk.com'))).toEqual(['freshdesk'])
  }
})

test('a shop at Shopify is one, and is asked whether it sends, not whether it is used', async () => {
  const plan = await planOf(`${DONE}www.acme.test. CNAME shops.myshopify.com.
    shops.myshopify.com. A 23.227.38.74`)
  const [question] = stepsOf(plan, 'verify', 'shopify')
  expect(question?.title).toBe('Does Shopify send mail as acme.test?')
  expect(wordsOf(stepsOf(plan, 'verify'))).toContain('www.acme.test CNAME shops.myshopify.com')
  expect(plan.senders).toMatchObject([{ id: 'shopify', inUse: 'unsure' }])
})

test('an owner who sends with Zendesk gets its records', async () => {
  const zone = `${DONE}support.acme.test. CNAME acme.zendesk.com.
    acme.zendesk.com. A 216.198.53.2`
  const plan = await planOf(zone, { options: { uses: ['zendesk'] } })
  const names = plan.records.map(({ name }) => name)
  expect(names).toContain('zendesk1._domainkey.acme.test')
  expect(stepsOf(plan, 'verify')).toEqual([])
})

test('what every name answers verifies nothing, and other websites show nothing', async () => {
  expect(await questionsOf('*.acme.test. TXT "hello"')).toEqual([])
  expect(await questionsOf('www.acme.test. CNAME acme.hosting.test.')).toEqual([])
})
