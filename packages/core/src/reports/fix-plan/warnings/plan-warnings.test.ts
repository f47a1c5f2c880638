/** Which words a warning has, and that they fit one thing and several. */
import { expect, test } from 'vitest'
import { keyZoneLine } from '../../../../test/support/dkim-fixture.js'
import { planFromZone } from '../../../../test/support/plan-fixture.js'
import { GOOGLE, MAILCHIMP, SENDGRID } from '../../../../test/support/service-zones.js'

const POLICY = '_dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:dmarc@acme.test"'
const SIGNED_MAILBOXES = `${GOOGLE}
  acme.test. NS ada.ns.cloudflare.com.
  acme.test. MX 1 smtp.google.com.
  ${keyZoneLine('google')}
  ${POLICY}`

const warningOf = async (id: string, zone: string, options = {}) =>
  (await planFromZone(zone, { options })).warnings.find((warning) => warning.id === id)

test.each([
  ['include:servers.mcsv.net', 'Mailchimp'],
  ['include:servers.mcsv.net include:sendgrid.net', 'Mailchimp and Twilio SendGrid'],
])('names the services that are not signed: %s', async (terms, names) => {
  const zone = `${SIGNED_MAILBOXES}${MAILCHIMP}${SENDGRID}
    acme.test. TXT "v=spf1 include:_spf.google.com ${terms} ~all"`
  expect(await warningOf('plan.sender-at-risk', zone)).toMatchObject({
    severity: 'critical',
    title: `Mail from ${names} is rejected today`,
    fix: expect.stringContaining('the steps that start with “Urgent” today'),
  })
})

test.each([
  ['include:gone.test', '"include:gone.test"'],
  ['include:gone.test include:lost.test', '"include:gone.test" and "include:lost.test"'],
])('asks about the terms that are left out: %s', async (terms, names) => {
  const zone = `${SIGNED_MAILBOXES}
    acme.test. TXT "v=spf1 include:_spf.google.com ${terms} ~all"`
  expect(await warningOf('plan.terms-left-out', zone)).toMatchObject({
    title: `The plan leaves ${names} out of your SPF record`,
    fix: `Ask whoever added ${names} which server or service that was for. If it still sends mail as acme.test, add the correct term for it before "all".`,
  })
})

test('cannot be misread as our words where a term is a sentence', async () => {
  const zone = `${SIGNED_MAILBOXES}
    acme.test. TXT "v=spf1 include:_spf.google.com ip4:Delete\\"this.now ~all"`
  const warning = await warningOf('plan.terms-left-out', zone)
  expect(warning?.title).toBe('The plan leaves "ip4:Delete\'this.now" out of your SPF record')
})

test.each([
  ['_domainkey.acme.test', 'this name'],
  ['_domainkey.acme.test _dmarc.acme.test', 'these names'],
])('sends the owner to who runs what is delegated: %s', async (names, words) => {
  const delegated = names
    .split(' ')
    .map((name) => `${name}. NS ns1.host.test.`)
    .join('\n')
  const zone = `${SIGNED_MAILBOXES}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    ${delegated}`
  expect((await warningOf('plan.delegated-names', zone))?.fix).toContain(
    `Change records at or below ${words} at that service.`,
  )
})

const FORWARDED = (host: string) => `
  acme.test. NS ada.ns.cloudflare.com.
  acme.test. MX 10 ${host}.
  ${host}. A 192.0.2.10
  acme.test. TXT "v=spf1 mx ~all"
  ${POLICY}`

test.each([
  [
    'fwd1.porkbun.com',
    'plan.no-sender-seen',
    /that signs as acme\.test\. To send as your domain, use a mailbox at Porkbun Email /,
  ],
  [
    'mx1.improvmx.com',
    'plan.no-sender-seen',
    /that signs as acme\.test\. Create SMTP credentials in a paid ImprovMX plan, .* mail program\./,
  ],
  [
    'mail.unheard-of.example',
    'plan.mail-at-risk',
    /^Do the steps that start with “Urgent” today\./,
  ],
])('says how mail behind %s gets signed', async (host, id, fix) => {
  expect((await warningOf(id, FORWARDED(host)))?.fix).toMatch(fix)
})

test('names what makes an include faulty, not what else could be better there', async () => {
  const zone = `${SIGNED_MAILBOXES}
    spf.host.test. TXT "v=spf1 ip4:10.1.2.3 include:gone.test ip4:198.51.100.0/24 -all"
    acme.test. TXT "v=spf1 include:_spf.google.com include:spf.host.test -all"`
  const { fix } = (await warningOf('plan.include-faulty', zone)) ?? {}
  expect(fix).toContain('include:gone.test')
  expect(fix).not.toContain('ip4:10.1.2.3')
})
