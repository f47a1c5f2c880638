/** Owners whose records are nearly right, so that the exact repair follows from DNS. */
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { expect, test } from 'vitest'
import { GOOD_KEY_RECORD, keyZoneLine, txtZoneLine } from '../../../../test/support/dkim-fixture.js'
import { changesOf, planOf, stepsOf, stepWith, wordsOf } from '../../../../test/support/expert.js'
import { GOOGLE_DONE, GOOGLE_KEY, policy, spfLine } from '../../../../test/support/expert-zones.js'
import { MAILCHIMP, ON_GOOGLE } from '../../../../test/support/service-zones.js'
import { BREVO } from '../../../../test/support/situation-zones.js'

const GOOGLE_WITHOUT_KEY = `${ON_GOOGLE}${spfLine('include:_spf.google.com ~all')}`

test('a key with escaped semicolons is replaced by exactly that key without backslashes', async () => {
  const plan = await planOf(`${GOOGLE_WITHOUT_KEY}${policy('p=none')}
    ${keyZoneLine('google', `v=DKIM1\\; k=rsa\\; p=${SPKI[2048]}`)}`)
  expect(changesOf(plan, 'dkim')).toEqual([
    `replace TXT google._domainkey.acme.test v=DKIM1; k=rsa; p=${SPKI[2048]}`,
  ])
  expect(plan.records.flatMap(({ placeholders }) => placeholders)).toEqual([])
})

test('a key in quotes of its own, with a backslash before each, is repaired exactly', async () => {
  const plan = await planOf(`${GOOGLE_WITHOUT_KEY}${policy('p=none')}
    ${keyZoneLine('google', `\\"v=DKIM1; k=rsa; p=${SPKI[2048]}\\"`)}`)
  expect(changesOf(plan, 'dkim')).toEqual([
    `replace TXT google._domainkey.acme.test v=DKIM1; k=rsa; p=${SPKI[2048]}`,
  ])
})

test('an escaped key whose end is missing isn’t repaired by guessing', async () => {
  const plan = await planOf(`${GOOGLE_WITHOUT_KEY}${policy('p=none')}
    ${keyZoneLine('google', `v=DKIM1\\; k=rsa\\; p=${SPKI[2048].slice(0, 150)}`)}`)
  expect(changesOf(plan, 'dkim').join()).toContain('{')
})

/** Makes the top-level domain exist, so that a name below it can be registered. */
const EXAMPLE = 'www.other.example. A 203.0.113.80\n'

test('a key’s CNAME leads into a domain that anyone can register: it is deleted today', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${EXAMPLE}${policy('p=reject')}
    k1._domainkey.acme.test. CNAME k1.dkim.gone.example.`)
  const record = plan.records.find(({ name }) => name === 'k1._domainkey.acme.test')
  expect(record).toMatchObject({ action: 'delete', type: 'CNAME', onlyIf: null })
  if (record) expect(stepWith(plan, record).title).toBe('Delete the DKIM record at k1')
  expect(wordsOf(plan.steps)).not.toMatch(/turn on DKIM/i)
})

test('both keys of Mailchimp’s look-alike lead to an unregistered domain: none is turned on', async () => {
  const plan = await planOf(`${ON_GOOGLE}${EXAMPLE}${MAILCHIMP}${GOOGLE_KEY}${policy('p=none')}
    ${spfLine('include:_spf.google.com ~all')}
    k2._domainkey.acme.test. CNAME dkim2.mcsv-mail.example.
    k3._domainkey.acme.test. CNAME dkim3.mcsv-mail.example.`)
  const deleted = plan.records.filter(({ action }) => action === 'delete').map(({ name }) => name)
  expect(deleted).toEqual(['k2._domainkey.acme.test', 'k3._domainkey.acme.test'])
  expect(wordsOf(plan.steps)).not.toMatch(/turn on DKIM/i)
})

const BREVO_KEY = `k=rsa; p=${SPKI[1024]}`

test('Brevo’s key is only wrapped in quotes: it is unwrapped, and no other key is planned', async () => {
  const plan = await planOf(`${ON_GOOGLE}${GOOGLE_KEY}${BREVO}${policy('p=quarantine')}
    ${spfLine('include:_spf.google.com include:spf.brevo.com ~all')}
    ${keyZoneLine('mail', `"${BREVO_KEY}"`)}`)
  expect(changesOf(plan, 'dkim')).toEqual([`replace TXT mail._domainkey.acme.test ${BREVO_KEY}`])
  expect(plan.warnings.map(({ id }) => id)).not.toContain('dkim.malformed')
  expect(plan.warnings.map(({ id }) => id)).not.toContain('dkim.sender-unsigned')
  const [record] = plan.records.filter(({ purpose, action }) => {
    return purpose === 'dkim' && action === 'replace'
  })
  if (record) expect(stepWith(plan, record).onlyIf).toBe(record.onlyIf)
})

const DOUBLED = 'google._domainkey.acme.test.acme.test'

test('Google’s key is at a name with the domain twice: the same key moves to the right name', async () => {
  const plan = await planOf(`${GOOGLE_WITHOUT_KEY}${policy('p=none')}
    ${txtZoneLine(DOUBLED, GOOD_KEY_RECORD)}`)
  expect(changesOf(plan, 'dkim')).toEqual([
    `create TXT google._domainkey.acme.test ${GOOD_KEY_RECORD}`,
    `delete TXT ${DOUBLED} ${GOOD_KEY_RECORD}`,
  ])
  expect(stepsOf(plan, 'get-values', 'google')).toEqual([])
  expect(stepsOf(plan, 'turn-on-signing', 'google')).toHaveLength(1)
})

test('with a key at the right name, no one looks for a doubled one', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${policy('p=none')}
    ${txtZoneLine(DOUBLED, GOOD_KEY_RECORD)}`)
  expect(changesOf(plan, 'dkim')).toEqual([])
})
