import { BUSY_ZONE } from '@mailgrade/testing/plan-zones'
import { expect, test } from 'vitest'
import { planDemoDomain, planZone } from '../../../../test/support/plan-fixtures.js'
import { groupZoneLines } from './zone-lines.js'

test('has the lines of all records, with their conditions', async () => {
  const { records, exports } = await planDemoDomain('lookups.test')
  const mailchimp = records.filter(({ service }) => service === 'mailchimp')
  const onlyIf =
    '; Only if: You still use Mailchimp. If you don’t, skip this step. Next time you get a plan, mark Mailchimp as no longer used, and the plan will remove what’s left of it.'
  expect(groupZoneLines(mailchimp, exports.zoneFile)).toBe(
    [
      onlyIf,
      'k2._domainkey.lookups.test. 3600 IN CNAME dkim2.mcsv.net.',
      onlyIf,
      'k3._domainkey.lookups.test. 3600 IN CNAME dkim3.mcsv.net.',
      '',
    ].join('\n'),
  )
})

test('says what a record replaces, and that it is optional', async () => {
  const { records, exports } = await planZone(BUSY_ZONE)
  const published = records.filter(({ order }) => order === 3 || order === 5)
  expect(groupZoneLines(published, exports.zoneFile)).toBe(
    [
      '; Delete: _dmarc.acme.test. 3600 IN TXT "v=DMARC1; p=none"',
      '_dmarc.acme.test. 3600 IN TXT "v=DMARC1; p=none; rua=mailto:dmarc@acme.test"',
      '; Optional.',
      '_smtp._tls.acme.test. 3600 IN TXT "v=TLSRPTv1; rua=mailto:dmarc@acme.test"',
      '',
    ].join('\n'),
  )
})

test('distinguishes mail servers of one name', async () => {
  const { records } = await planZone(BUSY_ZONE)
  const [mx] = records
  if (!mx) throw new Error('no record')
  const servers = ['10 b.test', '0 .'].map((value) => ({ ...mx, action: 'create' as const, value }))
  const lines = ['acme.test. 3600 IN MX 5 a.test.', 'acme.test. 3600 IN MX 10 b.test.']
  const nullMx = 'acme.test. 3600 IN MX 0 .'
  expect(groupZoneLines(servers, [...lines, nullMx, ''].join('\n'))).toBe(
    `acme.test. 3600 IN MX 10 b.test.\n${nullMx}\n`,
  )
})

test.each([
  ['has a value to fill in', ['sendgrid']],
  ['has a value to fill in, beside others', ['mailchimp', 'sendgrid']],
])('is null if a record %s', async (_, services) => {
  const { records, exports } = await planDemoDomain('lookups.test')
  const group = records.filter(({ service }) => services.includes(service ?? ''))
  expect(groupZoneLines(group, exports.zoneFile)).toBeNull()
})

test('is null for a record of another zone, and for invisible characters', async () => {
  const { records } = await planDemoDomain('nothing.test')
  const [spf] = records
  const line = 'nothing.test. 3600 IN TXT "v=spf1 -all"\n'
  if (!spf) throw new Error('no record')
  const record = { ...spf, onlyIf: null }
  expect(groupZoneLines([record], line)).toBe(line)
  expect(groupZoneLines([record], `; Publish: ${line}`)).toBeNull()
  const marked = { ...record, value: 'v=spf1 ⟨U+200B⟩ -all' }
  const markedLine = 'nothing.test. 3600 IN TXT "v=spf1 ⟨U+200B⟩ -all"\n'
  expect(groupZoneLines([marked], markedLine)).toBeNull()
})

test('is null without a record to publish', async () => {
  const { records, exports } = await planDemoDomain('good.test')
  expect(groupZoneLines(records, exports.zoneFile)).toBeNull()
})
