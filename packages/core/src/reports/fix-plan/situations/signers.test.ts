/** Owners whose keys and servers belong to someone else than it seems. */
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { expect, test } from 'vitest'
import { GOOD_KEY_RECORD, keyZoneLine } from '../../../../test/support/dkim-fixture.js'
import {
  changesOf,
  checkOf,
  type ExpertPlan,
  hasStream,
  planOf,
  stagesOf,
  streamOf,
  wordsOf,
} from '../../../../test/support/expert.js'
import {
  GOOGLE_KEY,
  MICROSOFT_KEYS,
  ON_MICROSOFT,
  policy,
  spfLine,
} from '../../../../test/support/expert-zones.js'
import {
  AT_CLOUDFLARE,
  FASTMAIL,
  GOOGLE,
  ON_GOOGLE,
} from '../../../../test/support/service-zones.js'
import { POSTMARK, ZOHO_EU } from '../../../../test/support/situation-zones.js'

const SHORT_KEY = `v=DKIM1; k=rsa; p=${SPKI[1024]}`

const PARDOT = `
  et._spf.pardot.com. TXT "v=spf1 ip4:136.147.128.0/20 ip4:136.147.176.0/20 -all"
`

/** What the plan does with a key. */
function actionsAt({ records }: ExpertPlan, selector: string): string[] {
  return records
    .filter(({ name }) => name.startsWith(`${selector}._domainkey.`))
    .map(({ action }) => action)
}

test('et._spf.pardot.com is Pardot’s, and so is the short key at 200608', async () => {
  const zone = `${ON_GOOGLE}${GOOGLE_KEY}${PARDOT}${policy('p=none')}
    ${spfLine('include:_spf.google.com include:et._spf.pardot.com ~all')}
    ${keyZoneLine('200608', SHORT_KEY)}`
  expect(streamOf(await checkOf(zone), 'pardot')).toMatchObject({
    spf: 'not-aligned',
    dkim: 'aligned',
  })
  const plan = await planOf(zone)
  expect(actionsAt(plan, '200608')).toEqual(['keep'])
  expect(wordsOf(plan.steps)).not.toMatch(/own server/)
})

test.each([
  ['beside a server of the owner’s', 'ip4:192.0.2.25 '],
  ['without one', ''],
])('a key at 200608 that no service in use explains stays, %s', async (_where, server) => {
  const plan = await planOf(`${ON_GOOGLE}${GOOGLE_KEY}${policy('p=none')}
    ${spfLine(`${server}include:_spf.google.com ~all`)}
    ${keyZoneLine('200608', SHORT_KEY)}`)
  expect(actionsAt(plan, '200608')).toEqual(['keep'])
  expect(plan.records.find(({ name }) => name.startsWith('200608.'))?.why).toContain(
    'None of the services we found use it.',
  )
})

test('a broken key at a selector of Amazon SES is not replaced by one for an own server', async () => {
  const plan = await planOf(`${ON_GOOGLE}${GOOGLE_KEY}${policy('p=none')}
    ${spfLine('ip4:192.0.2.25 include:_spf.google.com ~all')}
    ${keyZoneLine('amazonses', 'v=DKIM1; k=rsa; p=!')}`)
  expect(actionsAt(plan, 'amazonses')).toEqual(['keep'])
})

test('an include that no one knows doesn’t make a short key that of an own server', async () => {
  const plan = await planOf(`${ON_GOOGLE}${GOOGLE_KEY}${policy('p=none')}
    ${spfLine('include:_spf.google.com include:spf.vendor.test ~all')}
    spf.vendor.test. TXT "v=spf1 ip4:192.0.2.0/26 ~all"
    ${keyZoneLine('mail', SHORT_KEY)}`)
  expect(actionsAt(plan, 'mail')).toEqual(['keep'])
  expect(wordsOf(plan.steps)).not.toMatch(/own server/)
})

test('a key in test mode of an unknown signer stays as it is', async () => {
  const plan = await planOf(`${ON_GOOGLE}${GOOGLE_KEY}${policy('p=none')}
    ${spfLine('include:_spf.google.com ~all')}
    ${keyZoneLine('mail', `${GOOD_KEY_RECORD}; t=y`)}`)
  expect(actionsAt(plan, 'mail')).toEqual(['keep'])
  expect(plan.records.find(({ name }) => name.startsWith('mail.'))?.why).toMatch(/test mode.*None/)
})

test('two keys of an unknown signer: the owner looks for it, not on an own server', async () => {
  const plan = await planOf(`${ON_GOOGLE}${GOOGLE_KEY}${policy('p=none')}
    ${spfLine('include:_spf.google.com ~all')}
    ${keyZoneLine('mail')}${keyZoneLine('mail', `v=DKIM1; k=rsa; p=${SPKI[3072]}`)}`)
  expect(plan.steps.map(({ title }) => title)).toContain(
    'Find out what signs with the selector mail',
  )
  expect(plan.steps.filter(({ stream }) => stream === 'own-server')).toEqual([])
  expect(wordsOf(plan.steps)).not.toMatch(/own server/)
})

test('the short key of an own server still gets a successor', async () => {
  const plan = await planOf(`${ON_GOOGLE}${GOOGLE_KEY}${policy('p=none')}
    ${spfLine('ip4:192.0.2.25 include:_spf.google.com ~all')}
    ${keyZoneLine('mail', SHORT_KEY)}`)
  expect(actionsAt(plan, 'mail')).toEqual(['delete'])
})

const AT_PROOFPOINT = `${AT_CLOUDFLARE}${GOOGLE}
  acme.test. MX 10 mx1-us1.ppe-hosted.com.
  acme.test. MX 10 mx2-us1.ppe-hosted.com.
  mx1-us1.ppe-hosted.com. A 67.231.154.162
  mx2-us1.ppe-hosted.com. A 67.231.154.163
  dispatch-us.ppe-hosted.com. A 67.231.144.10
  ${GOOGLE_KEY}
`

test('a:dispatch-us.ppe-hosted.com is Proofpoint’s own term and names no own server', async () => {
  const zone = `${AT_PROOFPOINT}${policy('p=quarantine')}
    ${spfLine('a:dispatch-us.ppe-hosted.com include:_spf.google.com ~all')}`
  const check = await checkOf(zone)
  expect(hasStream(check, 'own-server')).toBe(false)
  expect(streamOf(check, 'proofpoint-essentials')).toMatchObject({
    spf: 'aligned',
    outcome: 'pass',
  })
  const plan = await planOf(zone)
  expect(wordsOf(plan.steps)).not.toMatch(/own server/)
  expect(changesOf(plan, 'spf')).toEqual([])
})

test.each(['mx', 'a:mx.zoho.eu', 'mx:acme.test'])(
  '%s with Zoho’s mail servers names Zoho, which may send from other servers',
  async (term) => {
    const check = await checkOf(`${AT_CLOUDFLARE}${ZOHO_EU}${policy('p=none')}
      acme.test. MX 10 mx.zoho.eu.
      ${spfLine(`${term} ~all`)}`)
    expect(hasStream(check, 'own-server')).toBe(false)
    expect(streamOf(check, 'zoho').spf).toBe('unknown')
  },
)

test('a: of a host that no service has is still an own server', async () => {
  const check = await checkOf(`${ON_GOOGLE}${GOOGLE_KEY}${policy('p=none')}
    ${spfLine('a:mail.acme.test include:_spf.google.com ~all')}
    mail.acme.test. A 192.0.2.25`)
  expect(streamOf(check, 'own-server').spf).toBe('aligned')
})

const MANDRILL = `
  spf.mandrillapp.com. TXT "v=spf1 ip4:198.2.128.0/24 ip4:198.2.132.0/22 ?all"
`

test('Mandrill’s former text key is broken: mte1 and mte2 replace it, and it goes last', async () => {
  const plan = await planOf(`${ON_GOOGLE}${GOOGLE_KEY}${MANDRILL}${policy('p=reject')}
    ${spfLine('include:_spf.google.com include:spf.mandrillapp.com -all')}
    ${keyZoneLine('mandrill', 'v=DKIM1 k=rsa p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQ')}`)
  const ofMandrill = plan.records.filter(({ service }) => service === 'mandrill')
  expect(ofMandrill.map(({ action, name }) => `${action} ${name}`)).toEqual([
    'create mte1._domainkey.acme.test',
    'create mte2._domainkey.acme.test',
    'delete mandrill._domainkey.acme.test',
  ])
  for (const { onlyIf } of ofMandrill) {
    expect(onlyIf).toContain('You still use Mailchimp Transactional.')
  }
  expect(ofMandrill.at(-1)?.onlyIf).toContain('a week since')
})

test('Google’s revoked key in test mode is left over: nothing is to do and no one asks', async () => {
  const zone = `${ON_MICROSOFT}${MICROSOFT_KEYS}${policy('p=reject')}
    ${spfLine('include:spf.protection.outlook.com -all')}
    ${keyZoneLine('google', 'v=DKIM1; k=rsa; t=y; p=')}`
  expect(hasStream(await checkOf(zone), 'google')).toBe(false)
  const plan = await planOf(zone)
  expect(actionsAt(plan, 'google')).toEqual(['keep'])
  expect(wordsOf(plan.steps)).not.toMatch(/Google/)
})

test('a hosted SPF record with macros is no sender', async () => {
  const check = await checkOf(`${ON_GOOGLE}${GOOGLE_KEY}${policy('p=none')}
    ${spfLine('include:%{i}._ip.%{h}._ehlo.%{d}._spf.vali.email ~all')}`)
  expect(check.streams.map(({ id }) => id)).toEqual(['google'])
  expect(check.ownMail.statement).not.toContain('vali.email')
})

test('an unknown service that a hosted SPF record includes is still a sender', async () => {
  const check = await checkOf(`${ON_GOOGLE}${GOOGLE_KEY}${policy('p=none')}
    ${spfLine('include:acme.autospf.email ~all')}
    acme.autospf.email. TXT "v=spf1 include:_spf.google.com include:spf.vendor.test ~all"
    spf.vendor.test. TXT "v=spf1 ip4:192.0.2.0/26 ~all"`)
  expect(check.streams.map(({ id }) => id)).toEqual(['google', 'vendor.test'])
})

test('an unknown include with macros has the name of its operator', async () => {
  const check = await checkOf(`${ON_GOOGLE}${GOOGLE_KEY}${policy('p=none')}
    ${spfLine('include:_spf.google.com include:%{i}.%{d}.spf.vendor.test ~all')}`)
  expect(streamOf(check, 'vendor.test').name).toBe('vendor.test')
})

test('a date with pm is Postmark’s selector, whoever else has no key', async () => {
  const selector = '20240612093011pm'
  const plan = await planOf(
    `${AT_CLOUDFLARE}${FASTMAIL}${POSTMARK}${policy('p=reject')}
    acme.test. MX 10 in1-smtp.messagingengine.com.
    ${spfLine('include:spf.messagingengine.com include:spf.protection.outlook.com -all')}
    spf.protection.outlook.com. TXT "v=spf1 ip4:40.92.0.0/16 -all"
    pm-bounces.acme.test. CNAME pm.mtasv.net.
    ${keyZoneLine(selector, GOOD_KEY_RECORD.replace('v=DKIM1; ', ''))}`,
    { options: { selectors: [selector] } },
  )
  expect(plan.records.find(({ name }) => name.startsWith(selector))).toMatchObject({
    action: 'keep',
    service: 'postmark',
  })
  expect(plan.records.filter(({ name }) => name.includes('{postmark'))).toEqual([])
})

test('nothing shows which domain an unknown service puts in MAIL FROM', async () => {
  const check = await checkOf(`${ON_GOOGLE}${GOOGLE_KEY}${policy('p=reject')}
    ${spfLine('include:_spf.google.com include:spf.vendor.test ~all')}
    spf.vendor.test. TXT "v=spf1 ip4:192.0.2.0/26 ~all"`)
  expect(streamOf(check, 'vendor.test')).toMatchObject({ spf: 'unknown', outcome: 'unknown' })
  expect(check.ownMail.status).toBe('pass')
  expect(check.ownMail.statement).toContain('DNS doesn’t show whether mail from spf.vendor.test')
})

test('the mail of an unknown service is in the reports before any policy can cost it', async () => {
  const plan = await planOf(`${ON_GOOGLE}${GOOGLE_KEY}
    ${spfLine('include:_spf.google.com include:spf.vendor.test ~all')}
    spf.vendor.test. TXT "v=spf1 ip4:192.0.2.0/26 ~all"`)
  expect(changesOf(plan, 'spf')).toEqual([])
  expect(stagesOf(plan).at(0)?.domain).toBe('none')
  expect(plan.rollout.at(0)?.minimumDays).toBeGreaterThan(0)
})
