/** Owners whose mail goes to more than one provider. */
import { expect, test } from 'vitest'
import {
  changesOf,
  planOf,
  severeWarnings,
  signsBeforeRollout,
  spfAt,
  stagesOf,
  stepsOf,
  unconditionalDeletes,
} from '../../../../test/support/expert.js'
import {
  GOOGLE_KEY,
  halfAtMicrosoft,
  MICROSOFT_KEYS,
  policy,
  spfLine,
} from '../../../../test/support/expert-zones.js'
import {
  AT_CLOUDFLARE,
  FASTMAIL,
  GOOGLE,
  MICROSOFT,
  MIMECAST,
  ON_GOOGLE,
} from '../../../../test/support/service-zones.js'
import { PROOFPOINT } from '../../../../test/support/situation-zones.js'

const BOTH = `${ON_GOOGLE}${MICROSOFT}
  acme.test. MX 5 acme-test.mail.protection.outlook.com.
`
const BOTH_IN_SPF = spfLine('include:_spf.google.com include:spf.protection.outlook.com ~all')

test('Google and Microsoft both pass under reject: there is nothing to change', async () => {
  const plan = await planOf(
    `${BOTH}${BOTH_IN_SPF}${GOOGLE_KEY}${MICROSOFT_KEYS}${policy('p=reject')}`,
  )
  expect(plan.records.filter(({ action, optional }) => action !== 'keep' && !optional)).toEqual([])
  expect(plan.rollout).toEqual([])
  expect(plan.steps.filter(({ when }) => when !== 'optional')).toEqual([])
})

test('Google is set up and Microsoft isn’t, under reject: half of the mailboxes are saved today', async () => {
  const plan = await planOf(halfAtMicrosoft('p=reject'))
  expect(spfAt(plan).value).toBe(
    'v=spf1 include:_spf.google.com include:spf.protection.outlook.com ~all',
  )
  expect(plan.steps[0]).toMatchObject({ kind: 'publish', when: 'today' })
  expect(stepsOf(plan, 'turn-on-signing', 'microsoft365')).toHaveLength(1)
  expect(stepsOf(plan, 'turn-on-signing', 'google')).toEqual([])
  expect(severeWarnings(plan, 'Microsoft')).not.toEqual([])
  expect(unconditionalDeletes(plan)).toEqual([])
})

test('Microsoft signs but SPF doesn’t name it: SPF is completed without alarm', async () => {
  const plan = await planOf(`${halfAtMicrosoft('p=reject')}${MICROSOFT_KEYS}`)
  expect(changesOf(plan, 'spf')).toEqual([
    'replace TXT acme.test v=spf1 include:_spf.google.com include:spf.protection.outlook.com ~all',
  ])
  expect(changesOf(plan, 'dkim')).toEqual([])
  expect(severeWarnings(plan, 'Microsoft')).toEqual([])
})

test('SPF names both and only Google signs: Microsoft signs before the first strict stage', async () => {
  const plan = await planOf(`${BOTH}${BOTH_IN_SPF}${GOOGLE_KEY}${policy('p=none')}`)
  expect(changesOf(plan, 'dkim')).toEqual([
    'create CNAME selector1._domainkey.acme.test {microsoft365-target-1}',
    'create CNAME selector2._domainkey.acme.test {microsoft365-target-2}',
  ])
  expect(signsBeforeRollout(plan, 'microsoft365')).toBe(true)
  expect(stagesOf(plan)[0]).toMatchObject({ domain: 'none' })
})

test('Fastmail and Google, where Fastmail has no keys under quarantine: no reject before it signs', async () => {
  const plan = await planOf(`${AT_CLOUDFLARE}${FASTMAIL}${GOOGLE}${GOOGLE_KEY}
    acme.test. MX 10 in1-smtp.messagingengine.com.
    acme.test. MX 20 smtp.google.com.
    ${spfLine('include:spf.messagingengine.com include:_spf.google.com -all')}
    ${policy('p=quarantine')}`)
  expect(changesOf(plan, 'spf')).toEqual([])
  expect(stepsOf(plan, 'publish', 'fastmail')).toHaveLength(1)
  const publish = stepsOf(plan, 'publish', 'fastmail')[0]?.order ?? Number.NaN
  expect(publish).toBeLessThan(stepsOf(plan, 'rollout')[0]?.order ?? Number.NaN)
})

test('Mimecast receives for Microsoft, which signs: neither is removed and nothing is asked of Mimecast', async () => {
  const plan = await planOf(`${AT_CLOUDFLARE}${MIMECAST}${MICROSOFT}${MICROSOFT_KEYS}
    acme.test. MX 10 us-smtp-inbound-1.mimecast.com.
    acme.test. MX 10 us-smtp-inbound-2.mimecast.com.
    ${spfLine('include:us._netblocks.mimecast.com include:spf.protection.outlook.com -all')}
    ${policy('p=reject')}`)
  expect(changesOf(plan, 'spf')).toEqual([])
  expect(plan.records.filter(({ action }) => action === 'delete')).toEqual([])
  expect(plan.steps.filter(({ kind, when }) => kind === 'remove' && when === 'today')).toEqual([])
})

test('a gateway and Microsoft share the MX, and SPF names only the gateway: Microsoft joins', async () => {
  const plan = await planOf(`${AT_CLOUDFLARE}${PROOFPOINT}${MICROSOFT}${MICROSOFT_KEYS}
    acme.test. MX 10 mx0a-001b2d01.pphosted.com.
    acme.test. MX 50 acme-test.mail.protection.outlook.com.
    ${spfLine('include:spf-001b2d01.pphosted.com -all')}${policy('p=quarantine')}`)
  expect(spfAt(plan).value).toBe(
    'v=spf1 include:spf-001b2d01.pphosted.com include:spf.protection.outlook.com -all',
  )
  expect(changesOf(plan, 'dkim').filter((line) => line.includes(' selector'))).toEqual([])
})

test('the MTA-STS policy names no servers of a provider that is no longer used', async () => {
  const zone = `${BOTH}${BOTH_IN_SPF}${GOOGLE_KEY}${MICROSOFT_KEYS}${policy('p=reject')}`
  const plan = await planOf(zone, { options: { unused: ['google'] } })
  const step = plan.steps.find(({ title }) => title.includes('MTA-STS'))
  expect(step?.actions.join(' ')).toContain('`mx: acme-test.mail.protection.outlook.com`')
  expect(step?.actions.join(' ')).not.toContain('google')
})
