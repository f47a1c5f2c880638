import { expect, test } from 'vitest'
import { fixPlan } from './fix-plan.js'

function requestOf(parameters: Readonly<Record<string, unknown>>) {
  const prepared = fixPlan.prepare({ domain: 'acme.test', ...parameters })
  if (prepared.kind === 'invalid') throw new Error(prepared.detail)
  return JSON.parse(prepared.requestKey().replace(/^fixPlan /, ''))
}

test('takes what the owner knows', () => {
  expect(
    requestOf({ rua: 'mailto:Dmarc@Acme.test', uses: 'google, Stripe', unused: 'sendgrid' }),
  ).toEqual({
    domain: 'acme.test',
    rua: 'Dmarc@acme.test',
    uses: ['google', 'stripe'],
    unused: ['sendgrid'],
  })
})

test.each([
  [{ uses: 'stripe,google', selector: 's2,s1' }],
  [{ uses: 'google, Stripe,,google', selector: ['s1,, ', 's2'] }],
  [{ uses: ['stripe', 'google'], selector: ['s2,s1'], unused: [] }],
  [{ uses: ['google,stripe', 'google'], selector: 's1,s2', unused: ',', rua: undefined }],
])('lists are the same in any order, repeated or separated by commas: %j', (parameters) => {
  expect(requestOf(parameters)).toEqual({
    domain: 'acme.test',
    selectors: ['s1', 's2'],
    uses: ['google', 'stripe'],
  })
})

test.each([
  [{ rua: 'nobody' }, 'rua', 'There’s no @. Enter the whole address, such as ann@example.com.'],
  [
    { rua: 'ann@[192.0.2.1]' },
    'rua',
    'Reports can’t be sent to an IP address. Send an email address such as dmarc@example.com.',
  ],
  [
    { uses: [7] },
    'uses',
    'The parameter uses isn’t a list of strings. Send ids of services such as google,mailchimp.',
  ],
  [{ selector: 's1,s2,s3,s4,s5,s6' }, 'selector', 'There are too many selectors; send at most 5.'],
  [{ uses: 'mailjt' }, 'uses', 'mailjt isn’t a service id. Did you mean mailjet?'],
  [
    { uses: 'google,ses', unused: 'ses' },
    'unused',
    'ses is in both uses and unused. Put it in only one of them.',
  ],
])('refuses %j', (parameters, parameter, detail) => {
  expect(fixPlan.prepare({ domain: 'acme.test', ...parameters })).toEqual({
    kind: 'invalid',
    parameter,
    isMissing: false,
    detail,
  })
})
