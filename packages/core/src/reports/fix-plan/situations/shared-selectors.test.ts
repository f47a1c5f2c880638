/** Owners whose keys are at selectors that several signers use, or at which an old one is left. */
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { expect, test } from 'vitest'
import { keyZoneLine } from '../../../../test/support/dkim-fixture.js'
import { changesOf, planOf, stepsOf, stepWith } from '../../../../test/support/expert.js'
import { GOOGLE_KEY, policy, spfLine } from '../../../../test/support/expert-zones.js'
import { AT_CLOUDFLARE, MICROSOFT, ON_GOOGLE } from '../../../../test/support/service-zones.js'
import { signedCname } from '../../../../test/support/situation-zones.js'

const SHORT_KEY = `v=DKIM1; k=rsa; p=${SPKI[1024]}`
const REVOKED = 'v=DKIM1; k=rsa; p='

const OWN_MX = `${AT_CLOUDFLARE}
  acme.test. MX 10 mail.acme.test.
  mail.acme.test. A 203.0.113.44
`

const BREVO = `
  spf.brevo.com. TXT "v=spf1 ip4:1.179.112.0/20 ~all"
  acme.test. TXT "brevo-code:9f1b7c2e4d6a8890b1c2d3e4f5a60718"
  ${spfLine('mx include:spf.brevo.com -all')}
`

const BREVO_NAMES = ['brevo1._domainkey.acme.test', 'brevo2._domainkey.acme.test']

test('a key that is Brevo’s or an own server’s goes only when neither signs with it', async () => {
  for (const options of [{}, { uses: ['brevo'] }]) {
    const plan = await planOf(
      `${OWN_MX}${BREVO}${keyZoneLine('mail', SHORT_KEY)}${policy('p=reject')}`,
      { options },
    )
    const key = plan.records.find(({ name }) => name === 'mail._domainkey.acme.test')
    expect(key?.action).toBe('delete')
    expect(key?.onlyIf).toMatch(
      /Neither Brevo \(Sendinblue\) nor your own server .* selector mail /,
    )
    expect(key?.onlyIf).toContain('s=')
    if (key) expect(stepWith(plan, key).title).not.toMatch(/own server/)
    const created = plan.records.filter(({ name }) => BREVO_NAMES.includes(name))
    expect(created.length).toBe(2)
    for (const { onlyIf } of created) {
      expect(onlyIf).toMatch(/s= .* brevo1 and brevo2, not mail/)
    }
    for (const { onlyIf } of stepsOf(plan, 'turn-on-signing', 'brevo')) {
      expect(onlyIf).toMatch(/brevo1 and brevo2/)
    }
  }
})

test('an owner who no longer uses Brevo is asked only about the own server', async () => {
  const plan = await planOf(
    `${OWN_MX}${BREVO}${keyZoneLine('mail', SHORT_KEY)}${policy('p=reject')}`,
    { options: { unused: ['brevo'] } },
  )
  const key = plan.records.find(({ name }) => name === 'mail._domainkey.acme.test')
  expect(key?.onlyIf).toBe(
    'It’s been a week since your own server started signing with the selector dkim.',
  )
})

test('a long key at Brevo’s first selector stays, and any signature of Brevo counts', async () => {
  const plan = await planOf(`${OWN_MX}${BREVO}${keyZoneLine('mail')}${policy('p=reject')}`)
  const key = plan.records.find(({ name }) => name === 'mail._domainkey.acme.test')
  expect(key?.action).toBe('keep')
  for (const { onlyIf } of plan.records) expect(onlyIf ?? '').not.toContain('not mail')
})

test('Mailgun’s first selector beside a server in SPF: the key goes when neither signs with it', async () => {
  const plan = await planOf(`${ON_GOOGLE}${GOOGLE_KEY}${policy('p=reject')}
    mailgun.org. TXT "v=spf1 ip4:159.135.224.0/20 ~all"
    ${spfLine('include:_spf.google.com include:mailgun.org ip4:203.0.113.61 -all')}
    ${keyZoneLine('k1', SHORT_KEY)}`)
  const key = plan.records.find(({ name }) => name === 'k1._domainkey.acme.test')
  expect(key?.onlyIf).toMatch(/Neither Mailgun nor your own server .* selector k1 /)
  const created = plan.records.filter(({ service }) => service === 'mailgun')
  for (const { onlyIf } of created) expect(onlyIf).toMatch(/pdk1 and pdk2, not k1/)
})

test('Google has no visible key, so the only one may be Google’s', async () => {
  const zone = `${ON_GOOGLE}${policy('p=none')}${keyZoneLine('mail', SHORT_KEY)}
    ${spfLine('include:_spf.google.com ip4:203.0.113.61 -all')}`
  const keyIn = async (text: string) => {
    const { records } = await planOf(text)
    return records.find(({ name }) => name === 'mail._domainkey.acme.test')
  }
  expect((await keyIn(zone))?.onlyIf).toContain('Neither Google Workspace nor your own server')
  expect((await keyIn(`${zone}${GOOGLE_KEY}`))?.onlyIf).not.toContain('Google')
})

const MAILCHIMP = `
  servers.mcsv.net. TXT "v=spf1 ip4:205.201.128.0/20 ?all"
  ${signedCname('unrelated', 'dkim2.mcsv.net', 'elsewhere.test')}
  ${spfLine('include:_spf.google.com include:servers.mcsv.net -all')}
`

test('revoked keys at Mailchimp’s selectors give way to its CNAMEs today', async () => {
  for (const google of [GOOGLE_KEY, keyZoneLine('google', REVOKED)]) {
    const plan = await planOf(`${ON_GOOGLE}${google}${MAILCHIMP}${policy('p=reject')}
      ${keyZoneLine('k2', REVOKED)}${keyZoneLine('k3', REVOKED)}`)
    expect(changesOf(plan, 'dkim')).toEqual(
      expect.arrayContaining([
        `delete TXT k2._domainkey.acme.test ${REVOKED}`,
        `delete TXT k3._domainkey.acme.test ${REVOKED}`,
        'create CNAME k2._domainkey.acme.test dkim2.mcsv.net',
        'create CNAME k3._domainkey.acme.test dkim3.mcsv.net',
      ]),
    )
    expect(plan.warnings.map(({ title }) => title).join()).not.toContain('free selector')
    const changed = plan.records.filter(({ name }) => /^k[23]\./.test(name))
    expect(changed.length).toBe(4)
    for (const record of changed) expect(stepWith(plan, record).when).toBe('today')
  }
})

test('Microsoft has one CNAME and a revoked key at the other selector: it gets both CNAMEs', async () => {
  const plan = await planOf(`${OWN_MX}${MICROSOFT}${policy('p=reject')}
    acme.test. TXT "MS=ms50505050"
    ${spfLine('mx include:spf.protection.outlook.com -all')}
    ${keyZoneLine('selector1', REVOKED)}
    ${signedCname('selector2', 'selector2-acme-test._domainkey.acme.onmicrosoft.com')}`)
  const changed = plan.records.filter(({ name }) => name === 'selector1._domainkey.acme.test')
  expect(changed.map(({ action, type }) => `${action} ${type}`).sort()).toEqual([
    'create CNAME',
    'delete TXT',
  ])
  const [deleted, created] = [...changed].sort((a, b) => (a.action < b.action ? 1 : -1))
  if (deleted && created) expect(stepWith(plan, deleted)).toBe(stepWith(plan, created))
})
