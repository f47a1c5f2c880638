/** Owners on the way from one provider to the next. */
import { expect, test } from 'vitest'
import {
  changesOf,
  planOf,
  severeWarnings,
  spfAt,
  stepsOf,
  stepWith,
  unconditionalDeletes,
  wordsOf,
} from '../../../../test/support/expert.js'
import {
  GOOGLE_DONE,
  GOOGLE_KEY,
  MICROSOFT_KEYS,
  ON_MICROSOFT,
  policy,
  spfLine,
} from '../../../../test/support/expert-zones.js'
import { GOOGLE, MICROSOFT, ON_GOOGLE } from '../../../../test/support/service-zones.js'
import {
  AT_GODADDY,
  SECURESERVER,
  signedCname,
  ZOHO_EU,
} from '../../../../test/support/situation-zones.js'

const IN_BOTH = spfLine('include:_spf.google.com include:spf.protection.outlook.com ~all')

test('mail goes to Microsoft while SPF has both and only Google’s key exists: keys come first', async () => {
  const plan = await planOf(`${ON_MICROSOFT}${GOOGLE}${GOOGLE_KEY}${IN_BOTH}${policy('p=none')}`)
  const [signing] = stepsOf(plan, 'turn-on-signing', 'microsoft365')
  expect(signing?.when).toBe('today')
  for (const removal of stepsOf(plan, 'remove')) {
    expect(removal.order).toBeGreaterThan(signing?.order ?? Number.NaN)
    expect(removal.onlyIf).not.toBeNull()
  }
  expect(unconditionalDeletes(plan)).toEqual([])
})

test('SPF was switched before the MX: Google’s signature holds, and SPF gets it back', async () => {
  const plan = await planOf(`${ON_GOOGLE}${MICROSOFT}${GOOGLE_KEY}${policy('p=quarantine')}
    ${spfLine('include:spf.protection.outlook.com -all')}
    acme.test. TXT "MS=ms12345678"`)
  expect(spfAt(plan).value).toBe(
    'v=spf1 include:spf.protection.outlook.com include:_spf.google.com -all',
  )
  expect(severeWarnings(plan, 'Google')).toEqual([])
  expect(unconditionalDeletes(plan)).toEqual([])
})

test('the move is finished and Google is left in SPF and DKIM: the plan asks and removes nothing', async () => {
  const plan = await planOf(
    `${ON_MICROSOFT}${GOOGLE}${GOOGLE_KEY}${MICROSOFT_KEYS}${IN_BOTH}${policy('p=reject')}`,
  )
  expect(spfAt(plan).value).toContain('include:_spf.google.com')
  expect(unconditionalDeletes(plan)).toEqual([])
  expect(wordsOf(plan.steps) + JSON.stringify(plan.warnings)).toContain('Google')
})

test('the owner says that Google is history: its include and its key go', async () => {
  const plan = await planOf(
    `${ON_MICROSOFT}${GOOGLE}${GOOGLE_KEY}${MICROSOFT_KEYS}${IN_BOTH}${policy('p=reject')}`,
    { options: { unused: ['google'] } },
  )
  expect(changesOf(plan, 'spf')).toEqual([
    'replace TXT acme.test v=spf1 include:spf.protection.outlook.com ~all',
  ])
  const key = plan.records.find(({ name }) => name === 'google._domainkey.acme.test')
  expect(key).toMatchObject({ action: 'delete', type: 'TXT' })
  if (key) expect(stepWith(plan, key).kind).toBe('remove')
})

test('Google is history, but Microsoft doesn’t sign yet: removing waits until it does', async () => {
  const plan = await planOf(
    `${ON_MICROSOFT}${GOOGLE}${GOOGLE_KEY}${IN_BOTH}${policy('p=quarantine')}`,
    { options: { unused: ['google'] } },
  )
  const [signing] = stepsOf(plan, 'turn-on-signing', 'microsoft365')
  const key = plan.records.find(({ name }) => name === 'google._domainkey.acme.test')
  expect(signing).toBeDefined()
  // Mail that Google signed may still be on its way to a receiver.
  if (key?.action === 'delete') {
    const removal = stepWith(plan, key)
    expect(removal).toMatchObject({ kind: 'remove', when: 'later' })
    expect(removal.notBefore).not.toBeNull()
    expect(removal.order).toBeGreaterThan(signing?.order ?? Number.NaN)
  }
  expect(spfAt(plan).value).toContain('include:spf.protection.outlook.com')
})

test('the owner says that Microsoft is history while mail goes to Google: Google stays whole', async () => {
  const plan = await planOf(
    `${ON_GOOGLE}${MICROSOFT}${GOOGLE_KEY}${MICROSOFT_KEYS}${IN_BOTH}${policy('p=reject')}`,
    { options: { unused: ['microsoft365'] } },
  )
  expect(changesOf(plan, 'spf')).toEqual([
    'replace TXT acme.test v=spf1 include:_spf.google.com ~all',
  ])
  const deleted = plan.records.filter(({ action }) => action === 'delete')
  expect(deleted.map(({ name }) => name)).toEqual([
    'selector1._domainkey.acme.test',
    'selector2._domainkey.acme.test',
  ])
  expect(deleted.map((record) => stepWith(plan, record).kind)).toEqual(['remove', 'remove'])
})

test('GoDaddy’s own mail is history, but Microsoft 365 from GoDaddy needs the same include', async () => {
  const plan = await planOf(
    `${AT_GODADDY}${MICROSOFT}${SECURESERVER}${MICROSOFT_KEYS}${policy('p=none')}
    acme.test. MX 0 acme-test.mail.protection.outlook.com.
    acme.test. TXT "NETORGFT1234567.onmicrosoft.com"
    ${spfLine('include:secureserver.net -all')}`,
    { options: { unused: ['godaddy'] } },
  )
  expect(spfAt(plan).value).toContain('include:secureserver.net')
  expect(plan.records.filter(({ action }) => action === 'delete')).toEqual([])
})

test('an old verification record of Zoho is all that is left: no record for Zoho is planned', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${policy('p=none')}
    acme.test. TXT "zoho-verification=zb12345678.zmverify.zoho.eu"`)
  expect(
    plan.records.filter(({ service, action }) => service === 'zoho' && action !== 'keep'),
  ).toEqual([])
  expect(spfAt(plan).value).toBe('v=spf1 include:_spf.google.com ~all')
})

test('Zoho’s key is left after the move to Google: a removal has a condition or waits', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${ZOHO_EU}${policy('p=reject')}
    ${signedCname('zmail', 'zmail.keys.old.test')}`)
  expect(unconditionalDeletes(plan)).toEqual([])
  expect(spfAt(plan).action).toBe('keep')
})
