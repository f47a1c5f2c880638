/** Where the DMARC reports go. */
import { expect } from 'vitest'
import { GOOD_KEY_RECORD, keyZoneLine, txtZoneLine } from '../../../../test/support/dkim-fixture.js'
import { AT_CLOUDFLARE, GOOGLE, ON_GOOGLE } from '../../../../test/support/service-zones.js'
import {
  changes,
  changesFor,
  recordAt,
  situation,
  warningIds,
} from '../../../../test/support/situation.js'
import { dmarcZoneLine, MAILGUN } from '../../../../test/support/situation-zones.js'

const SOUND = `${ON_GOOGLE}${keyZoneLine('google')}
  acme.test. TXT "v=spf1 include:_spf.google.com ~all"
`
const VENDOR = `
  rua.vendor.test. MX 10 mx.vendor.test.
  mx.vendor.test. A 192.0.2.9
  *._report._dmarc.rua.vendor.test. TXT "v=DMARC1"
`
const policyOf = (plan: Parameters<typeof recordAt>[0]) => recordAt(plan, '_dmarc.acme.test')

situation({
  name: 'rua at a host that does not exist',
  expert: 'The address goes, the plan says why, and no one is asked for a consent.',
  zone: `${SOUND}${dmarcZoneLine('p=none; rua=mailto:a@reports.dead.test')}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dmarc')).toEqual([
      'replace TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    ])
    expect(policyOf(plan).why).toContain(
      'Removed mailto:a@reports.dead.test, because its domain doesn’t receive mail.',
    )
  },
})

situation({
  name: 'rua and ruf at a dead host beside working addresses',
  expert: 'Only the dead addresses go, in every stage.',
  zone: `${SOUND}${VENDOR}
    dead.test. MX 0 .
    ${dmarcZoneLine('p=none; rua=mailto:a@dead.test,mailto:b@rua.vendor.test; ruf=mailto:c@acme.test,mailto:a@dead.test')}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dmarc')).toEqual([
      'replace TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:b@rua.vendor.test; ruf=mailto:c@acme.test',
    ])
    expect(plan.rollout.filter(({ record }) => record.value.includes('dead'))).toEqual([])
  },
})

situation({
  name: 'A parked domain with a dead address and a free mailbox',
  expert: 'Neither gets reports, so both go, each with its reason.',
  zone: `${AT_CLOUDFLARE}
    acme.test. A 192.0.2.80
    acme.test. TXT "v=spf1 -all"
    ${dmarcZoneLine('p=none; rua=mailto:a@dmarc.report.test,mailto:me@gmail.com')}`,
  expect: (plan) => {
    expect(policyOf(plan).value).toBe('v=DMARC1; p=reject')
    expect(policyOf(plan).why).toContain('Removed mailto:a@dmarc.report.test, because ')
    expect(policyOf(plan).why).toContain('free mailbox')
  },
})

const BROKEN = [
  'v=DMARC1 p=quarantine rua=mailto:abc@rua.vendor.test',
  'v=DMARC1 p=reject; rua=mailto:abc@rua.vendor.test; ruf=mailto:c@acme.test',
  'v=DMARC1 p=none ruf=mailto:c@acme.test rua=mailto:abc@rua.vendor.test fo=1',
  'v=DMARC1; p=quarantine, rua=mailto:abc@rua.vendor.test',
]

for (const text of BROKEN) {
  situation({
    name: `The broken record "${text}"`,
    expert: 'Its report address survives the repair.',
    zone: `${SOUND}${VENDOR}
      _dmarc.acme.test. TXT "${text}"`,
    expect: (plan) => {
      expect(changesFor(plan, 'dmarc')).toEqual([
        'replace TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:abc@rua.vendor.test',
      ])
    },
  })
}

situation({
  name: 'A broken record with two report addresses',
  expert: 'Both survive the repair.',
  zone: `${SOUND}${VENDOR}
    _dmarc.acme.test. TXT "v=DMARC1 p=none rua=mailto:d@acme.test, mailto:abc@rua.vendor.test!10m"`,
  expect: (plan) => {
    expect(policyOf(plan).value).toBe(
      'v=DMARC1; p=none; rua=mailto:d@acme.test,mailto:abc@rua.vendor.test',
    )
  },
})

situation({
  name: 'The owner wants reports at a free mailbox',
  expert: 'It would get none: another address is used, and the plan says why.',
  zone: SOUND,
  options: { rua: 'me@gmail.com' },
  expect: (plan) => {
    expect(policyOf(plan).value).toBe('v=DMARC1; p=none; rua=mailto:dmarc@acme.test')
    expect(policyOf(plan).why).toContain(
      'The plan doesn’t use me@gmail.com, because receivers won’t send your reports to a free mailbox without its provider’s consent (RFC 9990 §4).',
    )
  },
})

situation({
  name: 'The owner wants reports at a free mailbox, and the record is right',
  expert: 'It stays, and the plan says why the address is not in it.',
  zone: `${SOUND}${dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')}`,
  options: { rua: 'me@gmail.com' },
  expect: (plan) => {
    expect(policyOf(plan).action).toBe('keep')
    expect(policyOf(plan).why).toContain('The plan doesn’t use me@gmail.com, because ')
  },
})

situation({
  name: 'The owner wants reports at a host that does not exist',
  expert: 'It would get none: another address is used, and the plan says why.',
  zone: SOUND,
  options: { rua: 'me@dead.test' },
  expect: (plan) => {
    expect(policyOf(plan).value).toBe('v=DMARC1; p=none; rua=mailto:dmarc@acme.test')
    expect(policyOf(plan).why).toContain(
      'The plan doesn’t use me@dead.test, because its domain doesn’t receive mail.',
    )
  },
})

situation({
  name: 'The owner wants reports at a parked domain itself',
  expert: 'It receives no mail, so it is locked without reports, and the plan says so.',
  zone: `${AT_CLOUDFLARE}
    acme.test. A 192.0.2.80`,
  options: { rua: 'dmarc@acme.test' },
  expect: (plan) => {
    expect(changes(plan)).toEqual([
      'create TXT acme.test v=spf1 -all',
      'create TXT _dmarc.acme.test v=DMARC1; p=reject',
      'create MX acme.test 0 .',
    ])
    expect(policyOf(plan).why).toContain(
      'The plan doesn’t use dmarc@acme.test, because its domain doesn’t receive mail.',
    )
  },
})

situation({
  name: 'The owner wants reports at a domain that sends but does not receive',
  expert: 'The plan asks for another address instead.',
  zone: `${AT_CLOUDFLARE}${keyZoneLine('s1')}
    acme.test. TXT "v=spf1 ip4:192.0.2.1 ~all"`,
  options: { rua: 'dmarc@acme.test', selectors: ['s1'] },
  expect: (plan) => {
    expect(policyOf(plan).value).toBe('v=DMARC1; p=none; rua=mailto:{report-mailbox}')
    expect(policyOf(plan).placeholders[0]?.whereToFind).toBe(
      'Use an email address you read, at a domain you own. A free address, such as one at gmail.com, won’t work. If the address is at a different company, that company first has to publish a TXT record named acme.test._report._dmarc.<its domain> with the value v=DMARC1.',
    )
  },
})

situation({
  name: 'The owner wants reports of a subdomain that inherits p=reject',
  expert: 'The record stays, and the plan says where the address can be added.',
  domain: 'news.acme.test',
  zone: `${SOUND}${MAILGUN}
    news.acme.test. MX 10 mxa.mailgun.org.
    news.acme.test. TXT "v=spf1 include:mailgun.org ~all"
    ${txtZoneLine('pic._domainkey.news.acme.test', GOOD_KEY_RECORD)}
    ${dmarcZoneLine('p=reject; rua=mailto:dmarc@acme.test')}`,
  options: { rua: 'me@acme.test' },
  expect: (plan) => {
    expect(changesFor(plan, 'dmarc')).toEqual([])
    expect(policyOf(plan).why).toContain(
      'This record decides where the reports go. To get them at me@acme.test, add mailto:me@acme.test to its rua tag.',
    )
  },
})

const NULL_MX = `${AT_CLOUDFLARE}
  acme.test. A 192.0.2.80
  acme.test. MX 0 .
`

for (const policy of ['none', 'reject']) {
  situation({
    name: `A parked domain with a null MX under p=${policy} asks for reports at itself`,
    expert: 'No report can arrive there, so the address goes, and the plan says why.',
    zone: `${NULL_MX}
      acme.test. TXT "v=spf1 -all"
      ${dmarcZoneLine(`p=${policy}; rua=mailto:dmarc@acme.test`)}`,
    expect: (plan) => {
      expect(changes(plan)).toEqual(['replace TXT _dmarc.acme.test v=DMARC1; p=reject'])
      expect(policyOf(plan).why).toContain(
        'Removed mailto:dmarc@acme.test, because its domain doesn’t receive mail.',
      )
      expect(warningIds(plan)).not.toContain('dmarc.report-target-without-mx')
    },
  })
}

situation({
  name: 'A domain with a null MX that sends asks for reports at itself',
  expert: 'The plan asks for another address instead of adding one beside it.',
  zone: `${NULL_MX}${GOOGLE}${keyZoneLine('google')}
    acme.test. TXT "v=spf1 include:_spf.google.com -all"
    ${dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(policyOf(plan).value).toBe('v=DMARC1; p=none; rua=mailto:{report-mailbox}')
    expect(plan.rollout.filter(({ record }) => record.value.includes('dmarc@'))).toEqual([])
  },
})
