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

test.each([
  [
    'a CNAME',
    `_dmarc.acme.test. CNAME _dmarc.acme_test._d.dmarcprotect.me.
     _dmarc.acme_test._d.dmarcprotect.me. TXT "v=DMARC1; p=none"`,
    { service: 'EasyDMARC', screen: 'Hosted DMARC' },
  ],
  [
    'name servers',
    `_dmarc.acme.test. NS ns.vali.email.
     _dmarc.acme.test. TXT "v=DMARC1; p=none"`,
    { service: 'Valimail', screen: 'Domains > your domain' },
  ],
])(
  'behind %s of a DMARC service, each stage is set in its dashboard',
  async (_, record, dashboard) => {
    const { records, rollout } = await planFromZone(`
    acme.test. MX 10 mx.acme.test.
    mx.acme.test. A 192.0.2.1
    ${record}`)
    const atDmarc = records.filter(({ purpose }) => purpose === 'dmarc')
    expect(atDmarc.map(({ name, action }) => [name, action])).toEqual([
      ['_dmarc.acme.test', 'keep'],
    ])
    expect(rollout.map((stage) => stage.dashboard)).toEqual([
      null,
      ...rollout.slice(1).map(() => dashboard),
    ])
    expect(rollout.length).toBeGreaterThan(1)
  },
)
