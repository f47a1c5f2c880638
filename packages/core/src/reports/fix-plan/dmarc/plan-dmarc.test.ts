import { expect, test } from 'vitest'
import { planFromZone } from '../../../../test/support/plan-fixture.js'

test('the first stage has the record that is published behind a CNAME', async () => {
  const { records, rollout } = await planFromZone(`
    acme.test. MX 10 mx.acme.test.
    mx.acme.test. A 192.0.2.1
    _dmarc.acme.test. CNAME policy.test.
    policy.test. TXT "v=DMARC1; p=none"`)
  const value = 'v=DMARC1; p=none; rua=mailto:dmarc@acme.test'
  expect(records).toContainEqual(
    expect.objectContaining({ action: 'replace', name: 'policy.test', value }),
  )
  expect(rollout[0]?.record).toEqual({ type: 'TXT', name: 'policy.test', value })
})

test('keeps a report address whose domain could not be looked up', async () => {
  const { records } = await planFromZone(
    `
    acme.test. MX 10 mx.acme.test.
    mx.acme.test. A 192.0.2.1
    _dmarc.acme.test. TXT "v=DMARC1; p=none; rua=mailto:a@vendor.test"
    *._report._dmarc.vendor.test. TXT "v=DMARC1"`,
    { failing: { 'MX vendor.test': 'servfail' } },
  )
  expect(records).toContainEqual(
    expect.objectContaining({
      action: 'keep',
      value: 'v=DMARC1; p=none; rua=mailto:a@vendor.test',
    }),
  )
})

test.each([
  ['', 'The first stage only asks for reports, so you won’t lose any mail.'],
  ['_dmarc.acme.test. TXT "v=DMARC1; p=quarantine"', 'The policy stays "p=quarantine" for now.'],
])('says what happens to mail first, with the record %j', async (record, effect) => {
  const { records } = await planFromZone(`
    acme.test. MX 10 mx.acme.test.
    mx.acme.test. A 192.0.2.1
    ${record}`)
  expect(records.find(({ purpose }) => purpose === 'dmarc')?.why).toContain(effect)
})
