/** Owners whose records are easily taken for those of a different service. */
import { expect, test } from 'vitest'
import { keyZoneLine } from '../../../../test/support/dkim-fixture.js'
import { changesOf, checkOf, planOf, spfAt, wordsOf } from '../../../../test/support/expert.js'
import {
  GOOGLE_KEY,
  MICROSOFT_KEYS,
  ON_MICROSOFT,
  policy,
  spfLine,
} from '../../../../test/support/expert-zones.js'
import {
  AT_CLOUDFLARE,
  MICROSOFT,
  ON_GOOGLE,
  SENDGRID,
} from '../../../../test/support/service-zones.js'
import { AT_ROUTE53, signedCname } from '../../../../test/support/situation-zones.js'

const AZURE = `
  ${signedCname('selector1-azurecomm-prod-net', 'selector1-azurecomm-prod-net._domainkey.azurecomm.net')}
  ${signedCname('selector2-azurecomm-prod-net', 'selector2-azurecomm-prod-net._domainkey.azurecomm.net')}
  acme.test. TXT "ms-domain-verification=4b0bd5a4-2f4e-4c0c-9a1c-7d4a5e2b8c11"
`
const AZURE_ON_GOOGLE = `${ON_GOOGLE}${MICROSOFT}${GOOGLE_KEY}${AZURE}
  ${spfLine('include:_spf.google.com include:spf.protection.outlook.com -all')}`

test('Azure Communication Services sends with Microsoft’s include, and isn’t Microsoft 365', async () => {
  const check = await checkOf(`${AZURE_ON_GOOGLE}${policy('p=reject')}`)
  const azure = check.streams.find(({ name }) => name.includes('Azure Communication'))
  expect(azure).toMatchObject({ kind: 'service', dkim: 'aligned', outcome: 'pass' })
  expect(check.ownMail.status).toBe('pass')
})

test('Microsoft 365 is truly unused, but Azure needs the include it would take along', async () => {
  const plan = await planOf(`${AZURE_ON_GOOGLE}${policy('p=reject')}`, {
    options: { unused: ['microsoft365'] },
  })
  expect(spfAt(plan).value).toContain('include:spf.protection.outlook.com')
  expect(plan.records.filter(({ action }) => action === 'delete')).toEqual([])
})

test('mailboxes at Microsoft and Azure beside them: Azure’s keys aren’t Microsoft 365’s', async () => {
  const plan = await planOf(`${ON_MICROSOFT}${AZURE}${policy('p=none')}
    ${spfLine('include:spf.protection.outlook.com -all')}`)
  expect(changesOf(plan, 'dkim')).toEqual([
    'create CNAME selector1._domainkey.acme.test {microsoft365-target-1}',
    'create CNAME selector2._domainkey.acme.test {microsoft365-target-2}',
  ])
  expect(plan.senders.map(({ name }) => name).join()).toContain('Azure')
})

test('a web host relays through MailChannels: the host signs, and no one is asked for a private key', async () => {
  const plan = await planOf(`${AT_CLOUDFLARE}
    acme.test. MX 10 mail.acme.test.
    mail.acme.test. A 192.0.2.25
    relay.mailchannels.net. TXT "v=spf1 ip4:23.83.208.0/20 -all"
    ${spfLine('ip4:192.0.2.25 include:relay.mailchannels.net ~all')}${policy('p=none')}`)
  const words = wordsOf(plan.steps)
  expect(words).not.toMatch(/private (?:half|key).{0,40}(?:each|every) message/i)
  expect(words).not.toMatch(/pass the private key/i)
  // Without the lockdown, every customer of MailChannels passes SPF as this domain.
  expect(words + JSON.stringify(plan.warnings)).toContain('_mailchannels')
})

test('MailChannels behind a host that signs already: nothing is asked but the lockdown', async () => {
  const plan = await planOf(`${AT_CLOUDFLARE}
    acme.test. MX 10 mail.acme.test.
    mail.acme.test. A 192.0.2.25
    relay.mailchannels.net. TXT "v=spf1 ip4:23.83.208.0/20 -all"
    ${keyZoneLine('default')}
    ${spfLine('ip4:192.0.2.25 include:relay.mailchannels.net ~all')}${policy('p=none')}`)
  expect(changesOf(plan, 'dkim')).toEqual([])
  expect(wordsOf(plan.steps)).not.toMatch(/turn on DKIM|private key/i)
})

const VANITY = `
  acme.test. NS ns1.webhost.test.
  acme.test. NS ns2.webhost.test.
  acme.test. A 203.0.113.80
  acme.test. MX 10 mail.acme.test.
  mail.acme.test. A 203.0.113.25
  _spf.webhost.test. TXT "v=spf1 ip4:203.0.113.0/24 -all"
  ${spfLine('include:_spf.webhost.test -all')}
`

test('mail.acme.test is a server of the web host: the host makes the key and chooses its selector', async () => {
  const plan = await planOf(`${VANITY}${policy('p=none')}`)
  const keys = plan.records.filter(
    ({ purpose, action }) => purpose === 'dkim' && action === 'create',
  )
  for (const { name } of keys) expect(name).toContain('{')
  const [get] = plan.steps.filter(({ title }) => title.startsWith('Get the DKIM record'))
  expect(wordsOf([...(get ? [get] : [])])).toMatch(/host/i)
  expect(wordsOf(plan.steps)).not.toMatch(/on your own server/i)
})

test('the web host’s server with the usual key of its panel: no key is missing', async () => {
  const plan = await planOf(`${VANITY}${keyZoneLine('default')}${policy('p=none')}`)
  expect(changesOf(plan, 'dkim')).toEqual([])
  expect(changesOf(plan, 'spf')).toEqual([])
})

const GCC_HIGH = `${AT_ROUTE53}
  acme.test. MX 0 acme-test.mail.protection.office365.us.
  acme-test.mail.protection.office365.us. A 198.51.100.9
  spf.protection.office365.us. TXT "v=spf1 ip4:198.51.100.0/26 -all"
  spf.protection.outlook.com. TXT "v=spf1 ip4:40.92.0.0/16 -all"
`

test('Microsoft 365 GCC High: its own include, never that of the public cloud', async () => {
  const plan = await planOf(`${GCC_HIGH}${policy('p=none')}`)
  expect(plan.mailboxProvider?.id).toMatch(/^microsoft365/)
  expect(spfAt(plan).value).toContain('include:spf.protection.office365.us')
  expect(spfAt(plan).value).not.toContain('outlook.com')
  const names = changesOf(plan, 'dkim').map((line) => line.split(' ')[2])
  expect(names).toEqual(['selector1._domainkey.acme.test', 'selector2._domainkey.acme.test'])
})

test('GCC High is set up right: its SPF is kept and no provider is missing', async () => {
  const plan = await planOf(`${GCC_HIGH}${MICROSOFT_KEYS}${policy('p=reject')}
    ${spfLine('include:spf.protection.office365.us -all')}`)
  expect(spfAt(plan).action).toBe('keep')
  expect(changesOf(plan, 'dkim')).toEqual([])
})

test('the key at the given selector belongs to the only sender without one', async () => {
  const plan = await planOf(
    `${ON_GOOGLE}${GOOGLE_KEY}${SENDGRID}${keyZoneLine('acme2026')}${policy('p=none')}
    ${spfLine('include:_spf.google.com include:sendgrid.net ~all')}`,
    { options: { selectors: ['acme2026'] } },
  )
  expect(plan.senders.map(({ id, signs }) => `${id} ${signs}`)).toEqual(['sendgrid yes'])
  expect(changesOf(plan, 'dkim')).toEqual([])
})

test('two senders without a key share one given selector: neither is called signed for sure', async () => {
  const plan = await planOf(
    `${ON_GOOGLE}${GOOGLE_KEY}${SENDGRID}${keyZoneLine('acme2026')}${policy('p=none')}
    spf.mtasv.net. TXT "v=spf1 ip4:50.31.156.96/27 ~all"
    ${spfLine('include:_spf.google.com include:sendgrid.net include:spf.mtasv.net ~all')}`,
    { options: { selectors: ['acme2026'] } },
  )
  const signed = plan.senders.filter(({ signs }) => signs === 'yes')
  expect(signed.length).toBeLessThan(2)
  const unsigned = plan.senders.filter(({ signs }) => signs !== 'yes').map(({ id }) => id)
  for (const id of unsigned) expect(plan.steps.some(({ service }) => service === id)).toBe(true)
})
