import { expect, test } from 'vitest'
import { SENDERS } from './mail-services.js'

const sender = (id: string) => SENDERS.find((row) => row.id === id)

test.each([
  ['sendgrid', 'never'],
  ['postmark', 'never'],
  ['mailchimp', 'never'],
  ['mailjet', 'never'],
  ['shopify', 'never'],
  ['mailgun', 'optional'],
  ['zendesk', 'optional'],
  ['exclaimer', 'always'],
  ['mailchannels', 'always'],
])('%s uses the From domain itself in MAIL FROM: %s', (id, returnPathAtRoot) => {
  expect(sender(id)?.returnPathAtRoot).toBe(returnPathAtRoot)
})

test.each(['resend', 'gorgias', 'leadconnector', 'loops', 'clerk'])(
  '%s sends through the servers of another and claims no include',
  (id) => {
    expect(sender(id)?.spf).toEqual([])
  },
)

test('a service that sends through another has only its own include', () => {
  expect(sender('customerio')?.spf).toEqual(['customeriomail.com'])
})

test('does not list selectors with a customer number', () => {
  expect(sender('hubspot')?.selectors).toEqual(['hs1', 'hs2'])
  expect(sender('postmark')?.selectors).toEqual([])
  expect(sender('ses')?.selectors).toEqual([])
})
