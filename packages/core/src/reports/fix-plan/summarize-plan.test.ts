import { expect, test } from 'vitest'
import { keyZoneLine } from '../../../test/support/dkim-fixture.js'
import { planFromZone } from '../../../test/support/plan-fixture.js'
import { GOOGLE } from '../../../test/support/service-zones.js'
import { summarizePlan } from './summarize-plan.js'

const SOUND = `
  ${GOOGLE}
  acme.test. MX 1 smtp.google.com.
  acme.test. TXT "v=spf1 include:_spf.google.com ~all"
  ${keyZoneLine('google')}
`

test('lists the changes in order with the projected score', async () => {
  expect(summarizePlan(await planFromZone('acme.test. A 192.0.2.1'))).toBe(
    'acme.test scores 3 of 100 (grade F) today, and 95 (grade A) with this plan. To do, in this order: create MX in MX acme.test, create SPF in TXT acme.test, create DMARC in TXT _dmarc.acme.test. The steps show what to do at the DNS host.',
  )
})

test('names the rollout stages and placeholders', async () => {
  const plan = await planFromZone(`
    acme.test. MX 1 smtp.google.com.
    smtp.google.com. A 192.0.2.1
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    _spf.google.com. TXT "v=spf1 ip4:192.0.2.0/24 ~all"
  `)
  expect(summarizePlan(plan)).toBe(
    'acme.test scores 32 of 100 (grade F) today, and 100 (grade A) with this plan. To do, in this order: create DKIM in TXT google._domainkey.acme.test, create DMARC in TXT _dmarc.acme.test. DMARC moves to reject in 5 stages: stay in the first for at least 30 days, and skip none. Only the owner or a provider can fill in {public-key}. The steps show what to do at the DNS host.',
  )
})

test('says that the first stage is in effect', async () => {
  const plan = await planFromZone(`${SOUND}
    _dmarc.acme.test. TXT "v=DMARC1; p=none; rua=mailto:dmarc@acme.test"
  `)
  expect(summarizePlan(plan)).toBe(
    'acme.test scores 66 of 100 (grade D) today, and 100 (grade A) with this plan. No record changes today. DMARC moves to reject in 5 stages: the first is in effect, stay in it for at least 30 days, and skip none. The steps show what to do at the DNS host.',
  )
})

test('names the value of a record to delete', async () => {
  const plan = await planFromZone(`${SOUND}
    acme.test. MX 20 gone.acme.test.
    _dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:dmarc@acme.test"
  `)
  expect(summarizePlan(plan)).toContain(
    ' To do, in this order: delete only MX acme.test with the value 20 gone.acme.test. The steps ',
  )
})

test('says that p=reject is tightened for subdomains', async () => {
  const plan = await planFromZone(`${SOUND}
    _dmarc.acme.test. TXT "v=DMARC1; p=reject; sp=none; rua=mailto:dmarc@acme.test"
  `)
  expect(summarizePlan(plan)).toContain(' DMARC is tightened in 3 stages: ')
})

test('counts a long list', async () => {
  const plan = await planFromZone('acme.test. A 192.0.2.1')
  const [record] = plan.records
  if (!record) throw new Error('nothing is planned')
  expect(summarizePlan({ ...plan, records: Array(7).fill(record) })).toContain(
    ' Publish the 7 changed records in order. ',
  )
})

test('says that nothing has to change', async () => {
  const plan = await planFromZone(`
    acme.test. MX 0 .
    acme.test. TXT "v=spf1 -all"
    _dmarc.acme.test. TXT "v=DMARC1; p=reject; adkim=s; aspf=s"
  `)
  expect(summarizePlan(plan)).toBe('acme.test scores 95 of 100 (grade A). Nothing has to change.')
})
