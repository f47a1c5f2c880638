import { expect, test } from 'vitest'
import {
  dnsHostServing,
  PLAN_ZONE,
  plannedCname,
  plannedMx,
  plannedTxt,
} from '../../../../test/support/planned-record-fixtures.js'
import { renderPlan } from './render-plan.js'

const CLOUDFLARE = dnsHostServing('ada.ns.cloudflare.com')

const PLANNED = [
  plannedTxt('acme.test', 'v=spf1 include:_spf.google.com ~all', {
    action: 'replace',
    replaces: ['v=spf1 a -all'],
    otherValues: ['verification=1'],
    lookupCount: 4,
  }),
  plannedTxt('s._domainkey.acme.test', `p=${'A'.repeat(298)}`, { purpose: 'dkim' }),
  plannedCname('k1._domainkey.acme.test', 'k1.mail.test'),
  plannedMx('acme.test', '1 smtp.google.com', { action: 'keep' }),
  plannedTxt('acme.test._report._dmarc.other.test', 'v=DMARC1', { purpose: 'dmarc' }),
]

const plan = (host: typeof CLOUDFLARE | null, planned = PLANNED) =>
  renderPlan({ planned, rollout: [], zone: PLAN_ZONE, host, domain: 'acme.test', isFinished: true })

test('numbers the records and adds name field and strings', () => {
  expect(plan(CLOUDFLARE).records).toEqual([
    {
      order: 1,
      action: 'replace',
      type: 'TXT',
      name: 'acme.test',
      host: '@',
      value: 'v=spf1 include:_spf.google.com ~all',
      chunks: ['v=spf1 include:_spf.google.com ~all'],
      ttl: 3600,
      replaces: ['v=spf1 a -all'],
      purpose: 'spf',
      why: 'Because.',
      placeholders: [],
      lookupCount: 4,
    },
    expect.objectContaining({
      order: 2,
      host: 's._domainkey',
      chunks: [`p=${'A'.repeat(253)}`, 'A'.repeat(45)],
    }),
    expect.objectContaining({ order: 3, host: 'k1._domainkey', chunks: ['k1.mail.test'] }),
    expect.objectContaining({ order: 4, action: 'keep', host: '@', chunks: ['1 smtp.google.com'] }),
    expect.objectContaining({ order: 5, host: 'acme.test._report._dmarc.other.test' }),
  ])
})

test('exports Terraform only for supported hosts', () => {
  expect(plan(CLOUDFLARE).exports.terraform).toMatch(/^resource "cloudflare_dns_record" /m)
  expect(plan(dnsHostServing('ns1.domaincontrol.com')).exports.terraform).toBeNull()
  expect(plan(null).exports.terraform).toBeNull()
})

test('renders zone file and steps for every host', () => {
  const { exports, steps } = plan(null)
  expect(exports.zoneFile).toContain('\nk1._domainkey.acme.test. 3600 IN CNAME k1.mail.test.\n')
  expect(steps).toHaveLength(7)
})

test('asks to move a parked domain to another DNS host', () => {
  const parked = plan(dnsHostServing('ns1.sedoparking.com'))
  const unknown = plan(null)
  expect([parked.records, parked.exports]).toEqual([unknown.records, unknown.exports])
  expect(parked.steps.slice(1)).toEqual(unknown.steps.slice(1))
  expect(parked.steps[0]).toMatch(
    /^The name servers of acme\.test belong to a parking service\. First move its DNS at your registrar/,
  )
})

test('says everywhere that nothing has to change', () => {
  expect(plan(CLOUDFLARE, [])).toEqual({
    records: [],
    steps: ['Nothing has to change in the DNS of acme.test.'],
    exports: {
      zoneFile: '; Nothing has to change.\n',
      terraform: '# Provider: cloudflare/cloudflare, version 5\n\n# Nothing has to change.\n',
    },
  })
})
