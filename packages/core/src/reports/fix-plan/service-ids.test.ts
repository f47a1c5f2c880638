import { expect, test } from 'vitest'
import { contradictionIn, parseServiceIds, suggestServiceIds } from './service-ids.js'

test('reads ids in any case, without spaces, repeats and empty items', () => {
  expect(parseServiceIds(' Google, mailchimp,,google ')).toEqual({
    kind: 'ids',
    ids: ['google', 'mailchimp'],
  })
  expect(parseServiceIds('')).toEqual({ kind: 'ids', ids: [] })
})

test.each([
  ['sendgird', 'sendgird isn’t a service id. Did you mean sendgrid?'],
  ['mailchmp', 'mailchmp isn’t a service id. Did you mean mailchimp or mandrill?'],
  ['google,postmrk', 'postmrk isn’t a service id. Did you mean postmark?'],
  [
    'zzzzzz',
    'zzzzzz isn’t a service id. A fix plan lists the ids of the services it finds, under "senders".',
  ],
  [
    'ann@acme.test',
    'The name isn’t a service id. A fix plan lists the ids of the services it finds, under "senders".',
  ],
])('%s: names the nearest ids', (text, reason) => {
  expect(parseServiceIds(text)).toEqual({ kind: 'refused', reason })
})

test('refuses more ids than any domain has', () => {
  const many = Array.from({ length: 51 }, (_, index) => `x${index}`).join(',')
  expect(parseServiceIds(many)).toEqual({
    kind: 'refused',
    reason: 'There are more than 50 service ids. Send fewer.',
  })
})

test.each([
  ['sendgird', ['sendgrid']],
  ['MailChimp', ['mailchimp', 'mandrill']],
  ['mailchmp', ['mailchimp', 'mandrill']],
  ['mailgum', ['mailgun']],
  ['Google Workspace', ['google']],
  ['google-workspace', ['google']],
  ['sendinblue', ['brevo']],
  ['klavyio', ['klaviyo']],
  ['Zoho', ['zoho', 'zohocampaigns']],
  ['microsoft', ['microsoft365', 'microsoft365-gov', 'godaddy-m365']],
  ['hubspot-eu', ['hubspot']],
])('%s suggests %j', (text, ids) => {
  expect(suggestServiceIds(text)).toEqual(ids)
})

test('suggests at most three', () => {
  expect(suggestServiceIds('mail')).toHaveLength(3)
})

test.each(['', 'x', '-', 'carrier pigeon', 'm'.repeat(10_000), 'мailgun'])(
  '%j suggests nothing',
  (text) => {
    expect(suggestServiceIds(text)).toEqual([])
  },
)

test('no service can be both in use and no longer used', () => {
  expect(contradictionIn(['google', 'ses'], ['ses'])).toBe(
    'ses is in both uses and unused. Put it in only one of them.',
  )
  expect(contradictionIn(['google'], ['ses'])).toBeNull()
  expect(contradictionIn()).toBeNull()
})
