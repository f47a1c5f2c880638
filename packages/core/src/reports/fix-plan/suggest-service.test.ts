import { expect, test } from 'vitest'
import { suggestServiceIds } from './suggest-service.js'

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
  ['microsoft', ['microsoft365', 'godaddy-m365']],
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
