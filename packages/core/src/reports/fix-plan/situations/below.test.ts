/** Customers whose mail is sent from names below the domain. */
import { expect } from 'vitest'
import { GOOD_KEY_RECORD, keyZoneLine, txtZoneLine } from '../../../../test/support/dkim-fixture.js'
import { MAILCHIMP, ON_GOOGLE, SENDGRID } from '../../../../test/support/service-zones.js'
import {
  changesFor,
  FULL_LADDER,
  ladder,
  senderLines,
  situation,
  stepNamed,
  warningIds,
} from '../../../../test/support/situation.js'
import {
  AT_DIGITALOCEAN,
  AT_ROUTE53,
  dmarcZoneLine,
  MAILGUN,
} from '../../../../test/support/situation-zones.js'

const GOOGLE = `${ON_GOOGLE}${keyZoneLine('google')}
  acme.test. TXT "v=spf1 include:_spf.google.com ~all"
`
const NEWS = `${MAILCHIMP}
  news.acme.test. TXT "v=spf1 include:servers.mcsv.net -all"
`
const NEWS_KEYS = [
  'create CNAME k2._domainkey.news.acme.test dkim2.mcsv.net',
  'create CNAME k3._domainkey.news.acme.test dkim3.mcsv.net',
]

situation({
  name: 'Mailchimp on news., named in SPF there, without a key',
  expert: 'Its mail passes by DKIM alone, so it gets its keys at news. before the stages.',
  zone: `${GOOGLE}${NEWS}${dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim')).toEqual(NEWS_KEYS)
    expect(senderLines(plan)).toEqual(['mailchimp likely unsigned'])
    expect(plan.senders[0]?.evidence).toBe(
      'news.acme.test TXT v=spf1 include:servers.mcsv.net -all',
    )
    const { verify } = stepNamed(plan, 'Let Mailchimp sign your mail')
    expect(verify.url).toContain('domain=news.acme.test')
    expect(ladder(plan)).toEqual(FULL_LADDER)
  },
})

situation({
  name: 'Mailchimp on news. under p=reject; sp=none',
  expert: 'Subdomains are rejected only after Mailchimp signs there.',
  zone: `${GOOGLE}${NEWS}${dmarcZoneLine('p=reject; sp=none; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim')).toEqual(NEWS_KEYS)
    expect(plan.rollout).toHaveLength(3)
  },
})

situation({
  name: 'Only Mailchimp on news. below a domain that declares no mail',
  expert: 'The domain stays closed, and Mailchimp gets its keys at news.',
  zone: `${AT_ROUTE53}${NEWS}${dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')}
    acme.test. MX 0 .
    acme.test. TXT "v=spf1 -all"`,
  expect: (plan) => {
    expect(plan.sendsMail).toBe(false)
    expect(changesFor(plan, 'dkim')).toEqual(NEWS_KEYS)
    expect(changesFor(plan, 'spf')).toEqual([])
    expect(ladder(plan)).toEqual(FULL_LADDER)
    stepNamed(plan, 'Let Mailchimp sign your mail')
  },
})

situation({
  name: 'Mailchimp on news. with its keys there',
  expert: 'It signs already, so nothing is planned for it, and no one is asked whether it sends.',
  zone: `${GOOGLE}${NEWS}${dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')}
    k2._domainkey.news.acme.test. CNAME dkim2.mcsv.net.
    ${txtZoneLine('dkim2.mcsv.net', GOOD_KEY_RECORD)}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim')).toEqual([])
    expect(senderLines(plan)).toEqual(['mailchimp yes signed'])
    expect(ladder(plan)).toEqual(FULL_LADDER)
  },
})

situation({
  name: 'Mailchimp in SPF of mg., where only Mailgun has a key',
  expert: 'The key of Mailgun does not sign the mail of Mailchimp, which gets its own.',
  zone: `${GOOGLE}${MAILCHIMP}${MAILGUN}${dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')}
    mg.acme.test. MX 10 mxa.mailgun.org.
    mg.acme.test. TXT "v=spf1 include:mailgun.org include:servers.mcsv.net ~all"
    ${txtZoneLine('smtp._domainkey.mg.acme.test', GOOD_KEY_RECORD)}`,
  expect: (plan) => {
    expect(senderLines(plan)).toEqual(['mailgun yes signed', 'mailchimp likely unsigned'])
    expect(changesFor(plan, 'dkim')).toEqual([
      'create CNAME k2._domainkey.mg.acme.test dkim2.mcsv.net',
      'create CNAME k3._domainkey.mg.acme.test dkim3.mcsv.net',
    ])
  },
})

situation({
  name: 'Mailchimp signs at the domain and sends from news. as well',
  expert: 'The keys at the domain do not cover news., so the ones there are planned.',
  zone: `${GOOGLE}${NEWS}${dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')}
    k2._domainkey.acme.test. CNAME dkim2.mcsv.net.
    k3._domainkey.acme.test. CNAME dkim3.mcsv.net.
    ${txtZoneLine('dkim2.mcsv.net', GOOD_KEY_RECORD)}
    ${txtZoneLine('dkim3.mcsv.net', GOOD_KEY_RECORD)}`,
  expect: (plan) => {
    expect(senderLines(plan)).toEqual(['mailchimp yes signed', 'mailchimp likely unsigned'])
    expect(changesFor(plan, 'dkim')).toEqual(NEWS_KEYS)
  },
})

const MAILGUN_BELOW = `${MAILGUN}
  mg.acme.test. MX 10 mxa.mailgun.org.
  mg.acme.test. TXT "v=spf1 include:mailgun.org ~all"
  ${txtZoneLine('smtp._domainkey.mg.acme.test', GOOD_KEY_RECORD)}
`

situation({
  name: 'uses=mailgun, which signs and takes bounces at mg.',
  expert:
    'The answer confirms what DNS shows: nothing is lost, and nothing is set up at the domain.',
  zone: `${GOOGLE}${MAILGUN_BELOW}${dmarcZoneLine('p=reject; rua=mailto:dmarc@acme.test')}`,
  options: { uses: ['mailgun'] },
  expect: (plan) => {
    expect(changesFor(plan, 'dkim')).toEqual([])
    expect(changesFor(plan, 'spf')).toEqual([])
    expect(senderLines(plan)).toEqual(['mailgun yes signed'])
    expect(warningIds(plan)).toEqual([])
  },
})

situation({
  name: 'Mailgun on mg. under strict alignment, still in monitoring mode',
  expert:
    'The signature of mg. does not count, so the first record leaves the tags out, and no stage brings them back.',
  zone: `${GOOGLE}${MAILGUN_BELOW}${dmarcZoneLine('p=none; adkim=s; aspf=s; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(ladder(plan)).toEqual(FULL_LADDER)
    expect(warningIds(plan)).toContain('plan.strict-alignment')
    expect(stepNamed(plan, 'Correct the DMARC record').when).toBe('today')
    for (const { record } of plan.rollout) expect(record.value).not.toContain('=s')
  },
})

situation({
  name: 'Mailgun on mg. under strict alignment and p=reject',
  expert: 'Its mail is rejected today, so the record changes although no stage is left.',
  zone: `${GOOGLE}${MAILGUN_BELOW}${dmarcZoneLine('p=reject; adkim=s; aspf=s; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(plan.rollout).toEqual([])
    stepNamed(plan, 'Correct the DMARC record')
    const [record] = plan.records.filter(({ purpose }) => purpose === 'dmarc')
    expect(record?.value).toBe('v=DMARC1; p=reject; rua=mailto:dmarc@acme.test')
  },
})

situation({
  name: 'Mailgun on mg. where only SPF is strict',
  expert: 'DKIM alignment is relaxed, so the signature of mg. passes and the stages go on.',
  zone: `${GOOGLE}${MAILGUN_BELOW}${dmarcZoneLine('p=none; aspf=s; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(ladder(plan)).toEqual(FULL_LADDER)
  },
})

situation({
  name: 'A parked domain with a wildcard MX',
  expert: 'Every name answers with that MX, so none of them is a sender, and the domain is locked.',
  zone: `${AT_DIGITALOCEAN}
    acme.test. A 192.0.2.80
    *.acme.test. MX 10 mx.old.test.
    *.acme.test. A 192.0.2.80
    mx.old.test. A 192.0.2.4`,
  expect: (plan) => {
    expect(plan.sendsMail).toBe(false)
    expect(warningIds(plan)).not.toContain('plan.senders-below')
    expect(plan.rollout).toEqual([])
  },
})

situation({
  name: 'SendGrid with its bounce name published, but no keys',
  expert: 'The account is in the published name, and no second bounce name is asked for.',
  zone: `${GOOGLE}${dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')}
    em.acme.test. CNAME u1234.wl123.sendgrid.net.
    u1234.wl123.sendgrid.net. TXT "v=spf1 ip4:167.89.0.0/17 -all"`,
  expect: (plan) => {
    expect(plan.records.filter(({ service }) => service === 'sendgrid')).toMatchObject([
      { name: 's1._domainkey.acme.test', value: 's1.domainkey.u1234.wl123.sendgrid.net' },
      { name: 's2._domainkey.acme.test', value: 's2.domainkey.u1234.wl123.sendgrid.net' },
    ])
  },
})

situation({
  name: 'SendGrid with the MX of its bounce name, but no keys',
  expert: 'That name takes the bounces already, so only the keys are asked for.',
  zone: `${GOOGLE}${SENDGRID}${dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')}
    em.acme.test. MX 10 mx.sendgrid.net.
    em.acme.test. TXT "v=spf1 include:sendgrid.net ~all"
    mx.sendgrid.net. A 167.89.1.1`,
  expect: (plan) => {
    const names = plan.records.flatMap(({ service, name }) => (service === 'sendgrid' ? name : []))
    expect(names).toEqual(['s1._domainkey.acme.test', 's2._domainkey.acme.test'])
  },
})

situation({
  name: 'Mailgun signs on mg., and its include is left at the root',
  expert:
    'mg. aligns, so nothing is set up at the root; the include stays, because it may be in use.',
  zone: `${ON_GOOGLE}${keyZoneLine('google')}${MAILGUN}
    acme.test. TXT "v=spf1 include:_spf.google.com include:mailgun.org ~all"
    mg.acme.test. MX 10 mxa.mailgun.org.
    mg.acme.test. TXT "v=spf1 include:mailgun.org ~all"
    ${txtZoneLine('pic._domainkey.mg.acme.test', GOOD_KEY_RECORD)}
    ${dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim')).toEqual([])
    expect(changesFor(plan, 'spf')).toEqual([])
    expect(senderLines(plan)).toEqual(['mailgun yes signed'])
  },
})
