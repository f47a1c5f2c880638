/** The sentences of warnings about one thing, and about several. */
import { expect, test } from 'vitest'
import { keyZoneLine } from '../../../../test/support/dkim-fixture.js'
import { planFromZone } from '../../../../test/support/plan-fixture.js'
import { GOOGLE, MAILCHIMP, SENDGRID } from '../../../../test/support/service-zones.js'

const SIGNED_MAILBOXES = `${GOOGLE}
  acme.test. NS ada.ns.cloudflare.com.
  acme.test. MX 1 smtp.google.com.
  ${keyZoneLine('google')}
  _dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:dmarc@acme.test"`

const warningOf = async (id: string, zone: string, options = {}) =>
  (await planFromZone(zone, { options })).warnings.find((warning) => warning.id === id)

test('names one service that is not signed', async () => {
  const zone = `${SIGNED_MAILBOXES}${MAILCHIMP}
    acme.test. TXT "v=spf1 include:_spf.google.com include:servers.mcsv.net ~all"`
  expect(await warningOf('plan.sender-at-risk', zone)).toMatchObject({
    fix: 'If you use Mailchimp, do the steps for it today.',
  })
})

test('names several services that are not signed', async () => {
  const zone = `${SIGNED_MAILBOXES}${MAILCHIMP}${SENDGRID}
    acme.test. TXT "v=spf1 include:_spf.google.com include:servers.mcsv.net include:sendgrid.net ~all"`
  expect(await warningOf('plan.sender-at-risk', zone)).toMatchObject({
    fix: 'Today, do the steps for each of these services that you use: Mailchimp and Twilio SendGrid.',
  })
})

test('asks about one term that is left out', async () => {
  const zone = `${SIGNED_MAILBOXES}
    acme.test. TXT "v=spf1 include:_spf.google.com include:gone.test ~all"`
  expect(await warningOf('plan.terms-left-out', zone)).toMatchObject({
    detail:
      'Receivers cannot use this term, or it lets everyone in. If it was meant for a real sender, that sender is missing.',
    fix: 'Ask the person who added "include:gone.test" which server or service was meant. If it still sends mail as acme.test, add it before "all".',
  })
})

test('asks about several terms that are left out', async () => {
  const zone = `${SIGNED_MAILBOXES}
    acme.test. TXT "v=spf1 include:_spf.google.com include:gone.test include:lost.test ~all"`
  expect(await warningOf('plan.terms-left-out', zone)).toMatchObject({
    fix: 'Ask the people who added "include:gone.test" and "include:lost.test" which servers or services were meant. Add those that still send mail as acme.test before "all".',
  })
})

test.each([
  ['_domainkey.acme.test', 'Change records at or below this name at the service that runs it.'],
  [
    '_domainkey.acme.test _dmarc.acme.test',
    'Change records at or below these names at the services that run them.',
  ],
])('names who runs what is delegated: %s', async (names, fix) => {
  const delegated = names
    .split(' ')
    .map((name) => `${name}. NS ns1.host.test.`)
    .join('\n')
  const zone = `${SIGNED_MAILBOXES}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    ${delegated}`
  expect((await warningOf('plan.delegated-names', zone))?.fix).toBe(fix)
})
