/** Owners whose records are easily taken for those of a different service. */
import { expect, test } from 'vitest'
import { GOOD_KEY_RECORD, keyZoneLine, txtZoneLine } from '../../../../test/support/dkim-fixture.js'
import { changesOf, planOf, spfAt } from '../../../../test/support/expert.js'
import { GOOGLE_KEY, policy, spfLine } from '../../../../test/support/expert-zones.js'
import { AT_CLOUDFLARE, FASTMAIL, ON_GOOGLE } from '../../../../test/support/service-zones.js'
import { PROOFPOINT, SES } from '../../../../test/support/situation-zones.js'

test('the owner names Fastmail, so SPF has no gap to fill in', async () => {
  const plan = await planOf(
    `${AT_CLOUDFLARE}${PROOFPOINT}${FASTMAIL}
    acme.test. MX 10 mx0a-001b2d01.pphosted.com.`,
    { options: { uses: ['fastmail'] } },
  )
  expect(spfAt(plan).value).toContain('include:spf.messagingengine.com')
  expect(spfAt(plan).value).not.toContain('{')
})

test('the owner names SendGrid for a website’s mail: a sender that needs no SPF leaves no gap', async () => {
  const plan = await planOf(
    `${AT_CLOUDFLARE}
    acme.test. A 192.0.2.80`,
    { options: { uses: ['sendgrid'] } },
  )
  expect(changesOf(plan, 'spf').join()).not.toContain('{your-senders}')
})

test('Pardot bounces to bounce.acme.test, so its include at the root goes', async () => {
  const plan = await planOf(`${ON_GOOGLE}${GOOGLE_KEY}${policy('p=reject')}
    ${keyZoneLine('200608')}
    ${spfLine('include:_spf.google.com include:aspmx.pardot.com ~all')}
    ${spfLine('include:aspmx.pardot.com -all', 'bounce.acme.test')}
    bounce.acme.test. MX 10 bounce.pardot.com.
    bounce.pardot.com. A 198.245.81.9
    aspmx.pardot.com. TXT "v=spf1 include:et._spf.pardot.com -all"
    et._spf.pardot.com. TXT "v=spf1 ip4:198.245.81.0/24 -all"`)
  expect(changesOf(plan, 'spf')).toEqual([
    'replace TXT acme.test v=spf1 include:_spf.google.com ~all',
  ])
  expect(spfAt(plan).onlyIf).toBeNull()
})

test('SES bounces to bounce.acme.test, so its include at the root goes', async () => {
  const token = 'aaaabbbbccccddddeeee1111'
  const plan = await planOf(
    `${ON_GOOGLE}${GOOGLE_KEY}${SES}${policy('p=reject')}
    ${spfLine('include:_spf.google.com include:amazonses.com ~all')}
    bounce.acme.test. MX 10 feedback-smtp.eu-west-1.amazonses.com.
    ${spfLine('include:amazonses.com ~all', 'bounce.acme.test')}
    ${token}._domainkey.acme.test. CNAME ${token}.dkim.amazonses.com.
    ${txtZoneLine(`${token}.dkim.amazonses.com`, GOOD_KEY_RECORD)}`,
    { options: { selectors: [token] } },
  )
  expect(changesOf(plan, 'spf')).toEqual([
    'replace TXT acme.test v=spf1 include:_spf.google.com ~all',
  ])
  expect(
    plan.records.some(({ name, action }) => name === 'bounce.acme.test' && action === 'delete'),
  ).toBe(false)
})
