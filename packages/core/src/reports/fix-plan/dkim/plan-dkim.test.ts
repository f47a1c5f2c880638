/** Keys in states that random zones had shown to be planned wrongly. */
import { ED25519, SPKI } from '@mailgrade/testing/dkim-keys'
import { expect, test } from 'vitest'
import { GOOD_KEY_RECORD, keyZoneLine } from '../../../../test/support/dkim-fixture.js'
import { planFromZone } from '../../../../test/support/plan-fixture.js'

const SHORT = `v=DKIM1; k=rsa; p=${SPKI[1024]}`
const OWN_SERVER = `
  acme.test. MX 10 mx.acme.test.
  acme.test. TXT "v=spf1 mx -all"
  mx.acme.test. A 192.0.2.1
`

/** The DKIM and bounce records, with short keys. */
async function keysPlanned(zone: string) {
  const { records } = await planFromZone(zone)
  return records
    .filter(
      ({ purpose, name }) => purpose === 'dkim' || (purpose === 'spf' && name !== 'acme.test'),
    )
    .map(({ action, type, name, value }) =>
      `${action} ${type} ${name.replace('.acme.test', '')} ${value}`.replace(
        /p=[\w+/=]{60,}/,
        'p=KEY',
      ),
    )
}

test('two short keys get different successors', async () => {
  const keys = keyZoneLine('default', SHORT) + keyZoneLine('smtp', SHORT)
  expect(await keysPlanned(`${OWN_SERVER}${keys}`)).toEqual([
    'create TXT dkim._domainkey v=DKIM1; k=rsa; p={mail-server-public-key}',
    'create TXT dkim1._domainkey v=DKIM1; k=rsa; p={mail-server-public-key}',
    'delete TXT default._domainkey v=DKIM1; k=rsa; p=KEY',
    'delete TXT smtp._domainkey v=DKIM1; k=rsa; p=KEY',
  ])
})

test('a short key that is not for email gets a successor at once', async () => {
  const key = keyZoneLine('default', `v=DKIM1; s=other; p=${SPKI[1024]}`)
  expect(await keysPlanned(`${OWN_SERVER}${key}`)).toEqual([
    'create TXT dkim._domainkey v=DKIM1; k=rsa; p={mail-server-public-key}',
    'delete TXT default._domainkey v=DKIM1; s=other; p=KEY',
  ])
})

test('a short key that is not for email gives way to that of the service', async () => {
  const key = keyZoneLine('google', `v=DKIM1; s=other; p=${SPKI[1024]}`)
  const zone = `acme.test. MX 1 smtp.google.com.\nsmtp.google.com. A 192.0.2.9\n${key}`
  expect(await keysPlanned(zone)).toEqual([
    'replace TXT google._domainkey v=DKIM1; k=rsa; p={google-public-key}',
  ])
})

test('an Ed25519 key of a service needs no second key beside an RSA key of unknown owner', async () => {
  const ed25519 = keyZoneLine('google', `v=DKIM1; k=ed25519; p=${ED25519}`)
  expect(await keysPlanned(`${OWN_SERVER}${ed25519}`)).toContain(
    'create TXT dkim._domainkey v=DKIM1; k=rsa; p={google-public-key}',
  )
  const successor = keyZoneLine('dkim', GOOD_KEY_RECORD)
  expect(await keysPlanned(`${OWN_SERVER}${ed25519}${successor}`)).toEqual([
    `keep TXT google._domainkey v=DKIM1; k=ed25519; p=${ED25519}`,
    'keep TXT dkim._domainkey v=DKIM1; k=rsa; p=KEY',
  ])
})

const MICROSOFT = `
  acme.test. TXT "v=spf1 include:spf.protection.outlook.com -all"
  spf.protection.outlook.com. TXT "v=spf1 ip4:40.92.0.0/16 -all"
  acme-test.mail.protection.outlook.com. A 52.101.73.4
`

test('a broken key of a service with CNAMEs becomes a CNAME', async () => {
  const zone = `${MICROSOFT}
    acme.test. MX 0 acme-test.mail.protection.outlook.com.
    selector1._domainkey.acme.test. TXT "v=DKIM1; x"`
  expect(await keysPlanned(zone)).toEqual([
    'delete TXT selector1._domainkey v=DKIM1; x',
    'create CNAME selector1._domainkey {microsoft365-target-1}',
    'create CNAME selector2._domainkey {microsoft365-target-2}',
  ])
})

test('a broken key stays if no service or server explains it', async () => {
  const zone = `${MICROSOFT}
    acme.test. MX 1 smtp.google.com.
    smtp.google.com. A 192.0.2.9
    selector1._domainkey.acme.test. TXT "v=DKIM1; x"`
  expect(await keysPlanned(zone)).toContain('keep TXT selector1._domainkey v=DKIM1; x')
})

test('a bounce name that is a CNAME already is not created again', async () => {
  const zone = 'acme.test. TXT "x"\nsend.acme.test. CNAME u1.klaviyodns.com.'
  expect(await keysPlanned(zone)).toEqual([
    'create CNAME {klaviyo-selector-1}._domainkey.send {klaviyo-target-1}.klaviyodns.com',
    'create CNAME {klaviyo-selector-2}._domainkey.send {klaviyo-target-2}.klaviyodns.com',
  ])
})

test('a bounce name that could not be looked up is not created', async () => {
  const zone = 'acme.test. TXT "v=spf1 include:klaviyodns.com -all"'
  const plan = await planFromZone(zone, { failing: { 'TXT send.acme.test': 'servfail' } })
  expect(plan.records.map(({ name }) => name)).not.toContain('send.acme.test')
})

test('a sender that the mailbox provider uses needs no key of its own', async () => {
  const zone = `
    acme.test. MX 0 mx1.dreamhost.com.
    mx1.dreamhost.com. A 192.0.2.9
    acme.test. TXT "v=spf1 include:netblocks.dreamhost.com include:relay.mailchannels.net ~all"
    netblocks.dreamhost.com. TXT "v=spf1 ip4:192.0.2.64/28 -all"
    relay.mailchannels.net. TXT "v=spf1 ip4:192.0.2.96/28 -all"`
  expect(await keysPlanned(zone)).toEqual([
    'create TXT dreamhost._domainkey v=DKIM1; k=rsa; h=sha256; p={dreamhost-public-key}',
  ])
})

test.each([
  [['s1'], ['s2']],
  [['key1'], ['key2']],
  [
    ['key1', 'key2'],
    ['key3', 'dkim'],
  ],
])('the successors of short keys at %j have the next free names: %j', async (selectors, next) => {
  const keys = selectors.map((selector) => keyZoneLine(selector, SHORT)).join('')
  const created = (await keysPlanned(`${OWN_SERVER}${keys}`)).filter((line) => /^create/.test(line))
  expect(created).toEqual(
    next.map(
      (selector) => `create TXT ${selector}._domainkey v=DKIM1; k=rsa; p={mail-server-public-key}`,
    ),
  )
})

test('the successor of a short key counts on where every usual selector is taken', async () => {
  const taken = 'mail2 mail3 dkim dkim1 dkim2 key1 key2 email'.split(' ')
  const aliases = taken.map((selector) => `${selector}._domainkey.acme.test. CNAME gone.test.\n`)
  const zone = `${OWN_SERVER}${keyZoneLine('mail', SHORT)}${aliases.join('')}`
  const { records } = await planFromZone(zone, { options: { selectors: ['mail2', 'mail3'] } })
  const created = records.filter(({ action, purpose }) => action === 'create' && purpose === 'dkim')
  expect(created.map(({ name }) => name)).toEqual(['mail4._domainkey.acme.test'])
})

test('a key beside a sender that publishes none does not belong to it', async () => {
  const zone = `${OWN_SERVER.replace('mx -all', 'mx include:exclaimer.net -all')}
    exclaimer.net. TXT "v=spf1 ip4:192.0.2.96/28 -all"
    ${keyZoneLine('kx7f3a', GOOD_KEY_RECORD)}`
  const { records, senders } = await planFromZone(zone, { options: { selectors: ['kx7f3a'] } })
  expect(senders).toMatchObject([{ id: 'exclaimer', signs: 'unknown' }])
  expect(records.find(({ name }) => name.startsWith('kx7f3a'))?.service).toBeNull()
})

test('the key of a forwarder does not stand in for a revoked one', async () => {
  const keys = keyZoneLine('default', 'v=DKIM1; p=') + keyZoneLine('cf2024-1', GOOD_KEY_RECORD)
  expect(await keysPlanned(`${OWN_SERVER}${keys}`)).toEqual([
    'replace TXT default._domainkey v=DKIM1; k=rsa; p={mail-server-public-key}',
    'keep TXT cf2024-1._domainkey v=DKIM1; k=rsa; p=KEY',
  ])
})
