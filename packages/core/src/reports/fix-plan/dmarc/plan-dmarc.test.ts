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
