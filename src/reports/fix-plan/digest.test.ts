import { expect, test } from 'vitest'
import { planOf } from '../../../test/support/plan-story.js'
import { digestPlan } from './digest.js'

test('what to change, in which order, and what it brings', async () => {
  expect(digestPlan(await planOf('acme.test. A 192.0.2.1'))).toBe(
    'acme.test scores 3 of 100 (grade F) today and 95 (grade A) once this plan is carried out. Records to change, in this order: create MX acme.test, create TXT acme.test, create TXT _dmarc.acme.test. The steps say what to do at the DNS host.',
  )
})

test('stages, and what only the owner knows', async () => {
  const plan = await planOf(`
    acme.test. MX 1 smtp.google.com.
    smtp.google.com. A 192.0.2.1
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    _spf.google.com. TXT "v=spf1 ip4:192.0.2.0/24 ~all"
  `)
  expect(digestPlan(plan)).toBe(
    'acme.test scores 32 of 100 (grade F) today and 100 (grade A) once this plan is carried out. Records to change, in this order: create TXT google._domainkey.acme.test, create TXT _dmarc.acme.test. DMARC then goes to reject in 5 stages; do not skip any. Only the owner or a provider can fill in {public-key}. The steps say what to do at the DNS host.',
  )
})

test('nothing to do', async () => {
  const plan = await planOf(`
    acme.test. MX 0 .
    acme.test. TXT "v=spf1 -all"
    _dmarc.acme.test. TXT "v=DMARC1; p=reject; adkim=s; aspf=s"
  `)
  expect(digestPlan(plan)).toBe(
    'acme.test scores 95 of 100 (grade A), and there is no record to change.',
  )
})
