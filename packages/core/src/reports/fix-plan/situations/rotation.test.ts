/** Owners whose keys are too short or of no use, and who must not lose a signature meanwhile. */
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { expect, test } from 'vitest'
import { GOOD_KEY_RECORD, keyZoneLine, txtZoneLine } from '../../../../test/support/dkim-fixture.js'
import {
  changesOf,
  type ExpertPlan,
  planOf,
  stepsOf,
  stepWith,
  wordsOf,
} from '../../../../test/support/expert.js'
import {
  GOOGLE_DONE,
  GOOGLE_KEY,
  microsoftKeysWith,
  ON_MICROSOFT,
  policy,
  spfLine,
} from '../../../../test/support/expert-zones.js'
import { AT_CLOUDFLARE, ON_GOOGLE } from '../../../../test/support/service-zones.js'
import { SES, ZOHO_EU } from '../../../../test/support/situation-zones.js'

const SHORT_KEY = `v=DKIM1; k=rsa; p=${SPKI[1024]}`
const AT_MICROSOFT = `${ON_MICROSOFT}${spfLine('include:spf.protection.outlook.com -all')}`

/** The service makes the longer key, so there is a step there and no record. */
function expectStepAtService(plan: ExpertPlan, stream: string, fact: RegExp): void {
  expect(changesOf(plan, 'dkim')).toEqual([])
  const steps = plan.steps.filter(({ service }) => service === stream)
  expect(steps.length).toBe(1)
  expect(steps[0]?.records).toEqual([])
  expect(wordsOf(steps)).toMatch(fact)
}

test('Microsoft’s keys of 1024 bits are behind its CNAMEs: they are rotated at Microsoft', async () => {
  const plan = await planOf(`${AT_MICROSOFT}${microsoftKeysWith(SHORT_KEY)}${policy('p=reject')}`)
  expectStepAtService(plan, 'microsoft365', /2048/)
})

test('only Microsoft’s second key is short: it is rotated there, once', async () => {
  const [first = '', second = ''] = [GOOD_KEY_RECORD, SHORT_KEY].map((record, index) => {
    const target = `selector${index + 1}-acme-test._domainkey.acme.onmicrosoft.com`
    return `selector${index + 1}._domainkey.acme.test. CNAME ${target}.
      ${txtZoneLine(target, record)}`
  })
  const plan = await planOf(`${AT_MICROSOFT}${first}
    ${second}
    ${policy('p=reject')}`)
  expectStepAtService(plan, 'microsoft365', /2048/)
})

const TOKENS = ['aaaabbbbccccddddeeee1111', 'aaaabbbbccccddddeeee2222', 'aaaabbbbccccddddeeee3333']
const SES_KEYS = (record: string) =>
  TOKENS.map(
    (token) => `${token}._domainkey.acme.test. CNAME ${token}.dkim.amazonses.com.
      ${txtZoneLine(`${token}.dkim.amazonses.com`, record)}`,
  ).join('\n')

test('SES signs with 1024 bits behind its CNAMEs: the switch to 2048 is in its console', async () => {
  const plan = await planOf(
    `${GOOGLE_DONE}${SES}${SES_KEYS(SHORT_KEY)}${policy('p=reject')}
    _amazonses.acme.test. TXT "amazonses:abc"`,
    { options: { selectors: TOKENS } },
  )
  expectStepAtService(plan, 'ses', /2048/)
})

test('SES with keys of 2048 bits has nothing to switch', async () => {
  const plan = await planOf(
    `${GOOGLE_DONE}${SES}${SES_KEYS(GOOD_KEY_RECORD)}${policy('p=reject')}`,
    {
      options: { selectors: TOKENS },
    },
  )
  expect(changesOf(plan, 'dkim')).toEqual([])
  expect(plan.steps.filter(({ service }) => service === 'ses')).toEqual([])
})

const OWN_SERVER = `${AT_CLOUDFLARE}
  acme.test. MX 10 mail.acme.test.
  mail.acme.test. A 192.0.2.25
  ${spfLine('mx -all')}
`

test('the only key allows sha1 alone: the record changes, and the signer uses rsa-sha256', async () => {
  // RFC 8301 §3.1: signers must use rsa-sha256, and verifiers must not accept rsa-sha1.
  const plan = await planOf(`${OWN_SERVER}${policy('p=none')}
    ${keyZoneLine('default', `v=DKIM1; k=rsa; h=sha1; p=${SPKI[2048]}`)}`)
  const key = plan.records.find(({ name }) => name === 'default._domainkey.acme.test')
  expect(key?.action).toBe('replace')
  expect(key?.value).toContain(`p=${SPKI[2048]}`)
  expect(key?.value).not.toMatch(/h=sha1(?:;|$)/)
  const [publish, sign] = plan.steps.filter(({ title }) => /own server/.test(title))
  expect(publish?.records).toEqual([key?.order])
  expect(sign?.actions.join()).toContain('rsa-sha256')
})

test('a sha1-only key of an own server beside Google’s good one is repaired without haste', async () => {
  const plan = await planOf(`${ON_GOOGLE}${GOOGLE_KEY}${policy('p=reject')}
    ${spfLine('ip4:192.0.2.25 include:_spf.google.com -all')}
    ${keyZoneLine('mail', `v=DKIM1; h=sha1; p=${SPKI[2048]}`)}`)
  const key = plan.records.find(({ name }) => name === 'mail._domainkey.acme.test')
  expect(key).toMatchObject({ action: 'replace' })
  expect(wordsOf(plan.steps)).toContain('rsa-sha256')
})

test('two different keys at one selector: the owner finds out which is used before one goes', async () => {
  // RFC 6376 §3.6.2.2: with several records the result is undefined.
  const plan = await planOf(`${OWN_SERVER}${policy('p=quarantine')}
    ${keyZoneLine('default')}${keyZoneLine('default', `v=DKIM1; k=rsa; p=${SPKI[3072]}`)}`)
  const deleted = plan.records.filter(
    ({ name, action }) => name === 'default._domainkey.acme.test' && action === 'delete',
  )
  expect(deleted.length).toBeLessThanOrEqual(1)
  for (const { onlyIf } of deleted) expect(onlyIf).not.toBeNull()
  expect(plan.steps.map(({ title }) => title)).toContain(
    'Find out which key your own server uses at default',
  )
  expect(wordsOf(plan.steps)).not.toContain('more than one TXT record')
})

test('two keys at Google’s selector, one of them short: the good one survives', async () => {
  const plan = await planOf(`${ON_GOOGLE}${spfLine('include:_spf.google.com ~all')}
    ${GOOGLE_KEY}${keyZoneLine('google', SHORT_KEY)}${policy('p=none')}`)
  const deleted = plan.records.filter(({ action }) => action === 'delete')
  expect(deleted.map(({ value }) => value)).not.toContain(GOOD_KEY_RECORD)
})

test('a short key allows sha1 alone: nothing verifies it, so it is replaced at once', async () => {
  const plan = await planOf(`${OWN_SERVER}${policy('p=none')}
    ${keyZoneLine('mail', `v=DKIM1; k=rsa; h=sha1; p=${SPKI[1024]}`)}`)
  expect(changesOf(plan, 'dkim')).toEqual([
    'replace TXT mail._domainkey.acme.test v=DKIM1; k=rsa; p={mail-server-public-key}',
  ])
  const [key] = plan.records.filter(({ purpose }) => purpose === 'dkim')
  expect(key?.why).toContain('RFC 8301 §3.1')
  expect(wordsOf(plan.steps)).toContain('rsa-sha256')
  expect(`${key?.why} ${wordsOf(plan.steps)}`).not.toMatch(/still work|in transit/)
})

test('a selector that the owner gave is revoked: no one is asked to publish a key there', async () => {
  const plan = await planOf(
    `${OWN_SERVER}${keyZoneLine('default')}${keyZoneLine('mail2024', 'v=DKIM1; k=rsa; p=')}
    ${policy('p=none')}`,
    { options: { selectors: ['mail2024'] } },
  )
  const warning = plan.warnings.find(({ id }) => id === 'dkim.selector-not-found')
  expect(warning?.title).toContain('revoked')
  expect(warning?.fix).not.toContain('publish it')
})

test('Zoho has a long key beside its short one: it signs with that one, and the short one goes', async () => {
  const plan = await planOf(`${AT_CLOUDFLARE}${ZOHO_EU}
    ${spfLine('include:zohomail.eu -all')}${policy('p=quarantine')}
    ${keyZoneLine('zmail')}${keyZoneLine('zoho', SHORT_KEY)}`)
  expect(changesOf(plan, 'dkim')).toEqual([`delete TXT zoho._domainkey.acme.test ${SHORT_KEY}`])
  const [short] = plan.records.filter(({ action }) => action === 'delete')
  expect(short?.onlyIf).toContain('zmail')
  const [sign] = stepsOf(plan, 'turn-on-signing', 'zoho')
  expect(sign?.actions.join()).toContain('zmail')
  if (short) expect(stepWith(plan, short)).toMatchObject({ when: 'later', kind: 'remove' })
})
