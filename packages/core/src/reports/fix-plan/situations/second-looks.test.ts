/** Records that say one thing and look like another. */
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { expect, test } from 'vitest'
import { txtZoneLine } from '../../../../test/support/dkim-fixture.js'
import {
  changesOf,
  checkOf,
  dmarcValues,
  planOf,
  spfAt,
  streamOf,
} from '../../../../test/support/expert.js'
import { GOOGLE_DONE, GOOGLE_KEY, policy, spfLine } from '../../../../test/support/expert-zones.js'
import { MAILCHIMP, ON_GOOGLE } from '../../../../test/support/service-zones.js'
import { signedCname } from '../../../../test/support/situation-zones.js'

const MAILCHIMP_KEYS = `${MAILCHIMP}${signedCname('k2', 'dkim2.mcsv.net')}
  ${signedCname('k3', 'dkim3.mcsv.net')}`

test('a revoked key of the mailbox provider is replaced, whoever else signs', async () => {
  const plan = await planOf(`${ON_GOOGLE}${MAILCHIMP_KEYS}${policy('p=reject')}
    ${spfLine('include:_spf.google.com ~all')}
    ${txtZoneLine('google._domainkey.acme.test', 'v=DKIM1; p=')}`)
  expect(changesOf(plan, 'dkim')).toEqual([
    'replace TXT google._domainkey.acme.test v=DKIM1; k=rsa; p={google-public-key}',
  ])
})

test('a key that receivers must not accept aligns no one (RFC 8301 §3.2)', async () => {
  const check = await checkOf(`${ON_GOOGLE}${MAILCHIMP_KEYS}${policy('p=reject')}
    ${spfLine('include:_spf.google.com ~all')}
    ${txtZoneLine('google._domainkey.acme.test', `v=DKIM1; p=${SPKI[512]}`)}`)
  expect(streamOf(check, 'google').dkim).toBe('unknown')
})

test('strict alignment that excludes a sender is carried into no stage', async () => {
  const mailgun = `mg.acme.test. TXT "v=spf1 include:mailgun.org ~all"
    mg.acme.test. MX 10 mxa.mailgun.org.
    mxa.mailgun.org. A 34.160.63.108
    mailgun.org. TXT "v=spf1 ip4:159.135.224.0/20 ~all"
    ${signedCname('pdk1', 'pdk1._domainkey.mg.mailgun.org').replaceAll('_domainkey.acme', '_domainkey.mg.acme')}`
  const plan = await planOf(`${GOOGLE_DONE}${policy('p=none; adkim=s; aspf=s')}\n${mailgun}`)
  expect(plan.warnings.map(({ id }) => id)).toContain('plan.strict-alignment')
  for (const value of dmarcValues(plan)) expect(value).not.toContain('=s')
})

test('a record that lets no one send is opened only if someone does', async () => {
  const plan = await planOf(`${ON_GOOGLE}${GOOGLE_KEY}${spfLine('-all')}${policy('p=reject')}`)
  const spf = spfAt(plan)
  expect(spf.value).toContain('include:_spf.google.com')
  expect(spf.onlyIf).toContain('Someone sends mail as acme.test.')
})
