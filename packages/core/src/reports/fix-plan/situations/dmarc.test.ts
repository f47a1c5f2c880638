/** DMARC records as they are met in practice. */
import { expect } from 'vitest'
import { GOOD_KEY_RECORD, keyZoneLine, txtZoneLine } from '../../../../test/support/dkim-fixture.js'
import {
  AT_CLOUDFLARE,
  GOOGLE,
  IONOS,
  MAILCHIMP,
  ON_GOOGLE,
} from '../../../../test/support/service-zones.js'
import {
  changes,
  changesFor,
  dmarcTags,
  FULL_LADDER,
  ladder,
  recordAt,
  situation,
  spfOf,
  stepNamed,
  titles,
  warningIds,
} from '../../../../test/support/situation.js'
import {
  AT_GODADDY,
  AT_IONOS,
  dmarcZoneLine,
  MAILGUN,
} from '../../../../test/support/situation-zones.js'

const SOUND = `${ON_GOOGLE}${keyZoneLine('google')}
  acme.test. TXT "v=spf1 include:_spf.google.com ~all"
`
const valueNow = (plan: Parameters<typeof recordAt>[0]) => recordAt(plan, '_dmarc.acme.test').value
const isNotTransport = (line: string) => !line.includes('_smtp._tls')

situation({
  name: 'p=reject without any key',
  expert:
    'Mail is being lost today: signing is the first and urgent step; the policy is not weakened.',
  zone: `${ON_GOOGLE}
    acme.test. TXT "v=spf1 include:_spf.google.com -all"
    ${dmarcZoneLine('p=reject; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(titles(plan)[0]).toBe('Urgent: Get the DNS records from Google Workspace')
    expect(warningIds(plan)[0]).toBe('plan.mail-at-risk')
    expect(plan.summary).toMatch(/may get lost/)
    expect(recordAt(plan, '_dmarc.acme.test').action).toBe('keep')
    expect(plan.rollout).toEqual([])
  },
})

situation({
  name: 'p=reject without a key, and Mailchimp in SPF',
  expert:
    'Mailchimp can pass only with DKIM, so under reject all its mail is lost: its keys are urgent as well.',
  zone: `${ON_GOOGLE}${MAILCHIMP}
    acme.test. TXT "v=spf1 include:_spf.google.com include:servers.mcsv.net -all"
    ${dmarcZoneLine('p=reject; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(titles(plan)[0]).toMatch(/^Urgent: /)
    expect(changesFor(plan, 'dkim')).toEqual([
      'create TXT google._domainkey.acme.test v=DKIM1; k=rsa; p={google-public-key}',
      'create CNAME k2._domainkey.acme.test dkim2.mcsv.net',
      'create CNAME k3._domainkey.acme.test dkim3.mcsv.net',
    ])
    expect(spfOf(plan).action).toBe('keep')
  },
})

situation({
  name: 'Quarantine for ten percent',
  expert: 'First to all mail, then reject: never straight from pct=10 to reject.',
  zone: `${SOUND}${dmarcZoneLine('p=quarantine; pct=10; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dmarc')).toEqual([])
    expect(ladder(plan)).toEqual(['quarantine', 'quarantine', 'reject test', 'reject'])
    expect(dmarcTags(plan.rollout[0]?.record.value ?? '').pct).toBe('10')
    expect(dmarcTags(plan.rollout[1]?.record.value ?? '').pct).toBeUndefined()
  },
})

situation({
  name: 'sp=none while mg. sends',
  expert: 'Subdomains go through quarantine before reject, as stages and not only as a warning.',
  zone: `${SOUND}${MAILGUN}
    mg.acme.test. MX 10 mxa.mailgun.org.
    mg.acme.test. TXT "v=spf1 include:mailgun.org ~all"
    ${txtZoneLine('pic._domainkey.mg.acme.test', GOOD_KEY_RECORD)}
    ${dmarcZoneLine('p=reject; sp=none; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(plan.rollout.map(({ record }) => dmarcTags(record.value).sp)).toEqual([
      'none',
      'quarantine',
      undefined,
    ])
    expect(plan.rollout.map(({ record }) => dmarcTags(record.value).p)).toEqual([
      'reject',
      'reject',
      'reject',
    ])
    expect(plan.senders.map(({ id }) => id)).toEqual(['mailgun'])
  },
})

situation({
  name: 'Strict alignment from a generator, p=none',
  expert:
    'Kept, but not carried to reject without a word: a warning and a condition in every stage.',
  zone: `${SOUND}${dmarcZoneLine('p=none; adkim=s; aspf=s; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(warningIds(plan)).toContain('plan.strict-alignment')
    expect(plan.rollout[0]?.proceedWhen.join(' ')).toContain('exactly the domain')
    expect(ladder(plan)).toEqual(FULL_LADDER)
  },
})

situation({
  name: 'A subdomain that inherits quarantine',
  expert:
    'The record of the parent already protects it; the stages publish an own record below it.',
  domain: 'shop.acme.test',
  zone: `${AT_CLOUDFLARE}${GOOGLE}
    acme.test. MX 1 smtp.google.com.
    shop.acme.test. MX 1 smtp.google.com.
    shop.acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    ${txtZoneLine('google._domainkey.shop.acme.test', GOOD_KEY_RECORD)}
    ${dmarcZoneLine('p=quarantine; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(recordAt(plan, '_dmarc.acme.test').action).toBe('keep')
    expect(ladder(plan)).toEqual(['quarantine', 'reject test', 'reject'])
    expect(plan.rollout.at(-1)?.record.name).toBe('_dmarc.shop.acme.test')
    expect(plan.rollout.at(-1)?.rollback).toMatch(/Delete|stage/)
  },
})

situation({
  name: 'A subdomain with a zone of its own that inherits p=none',
  expert: 'The later records are in its own zone, so no other operator has to change one.',
  domain: 'shop.acme.test',
  zone: `${ON_GOOGLE}
    shop.acme.test. NS ns-1.awsdns-01.com.
    shop.acme.test. MX 1 smtp.google.com.
    shop.acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    ${txtZoneLine('google._domainkey.shop.acme.test', GOOD_KEY_RECORD)}
    ${dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(plan.rollout.map(({ record }) => record.name)).toEqual([
      '_dmarc.acme.test',
      ...Array(4).fill('_dmarc.shop.acme.test'),
    ])
    const step = stepNamed(plan, 'Read the reports')
    expect(step.where).toBe('Your report mailbox')
    expect(step.actions.join(' ')).not.toContain('at the service that runs it')
    expect(plan.rollout[1]?.rollback).toMatch(
      /^Delete the record at _dmarc\.shop\.acme\.test, so that the record at _dmarc\.acme\.test applies again,/,
    )
    expect(plan.rollout[4]?.rollback).toMatch(/^Publish the stage 3 record again,/)
  },
})

situation({
  name: 'psd=n beside a policy',
  expert: 'A valid RFC 9989 tag: kept through all stages.',
  zone: `${SOUND}${dmarcZoneLine('p=none; psd=n; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dmarc')).toEqual([])
    expect(ladder(plan)).toEqual(FULL_LADDER)
    expect(plan.rollout.map(({ record }) => dmarcTags(record.value).psd)).toEqual(
      Array(5).fill('n'),
    )
  },
})

situation({
  name: 'psd=y at an ordinary company',
  expert: 'It calls the domain a public suffix, which it isn’t, so the tag goes at once.',
  zone: `${SOUND}${dmarcZoneLine('p=none; psd=y; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dmarc')).toEqual([
      'replace TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    ])
    expect(ladder(plan)).toEqual(FULL_LADDER)
  },
})

situation({
  name: '_dmarc delegated by NS to a DMARC service',
  expert: 'Every stage is changed at that service, never at the own DNS host.',
  zone: `${SOUND}
    _dmarc.acme.test. NS ns1.dmarc-service.example.
    ${dmarcZoneLine('p=none; rua=mailto:acme@dmarc-service.example')}
    dmarc-service.example. MX 10 mx.dmarc-service.example.
    mx.dmarc-service.example. A 192.0.2.30
    *._report._dmarc.dmarc-service.example. TXT "v=DMARC1"`,
  expect: (plan) => {
    expect(warningIds(plan)).toContain('plan.delegated-names')
    expect(changesFor(plan, 'dmarc')).toEqual([])
    const step = stepNamed(plan, 'Read the reports')
    expect(step.actions.join(' ')).toMatch(/_dmarc\.acme\.test/)
    expect(step.where).not.toMatch(/Cloudflare/)
    expect(ladder(plan)).toEqual(FULL_LADDER)
    expect(plan.exports.terraform ?? '').not.toMatch(/^resource.*dmarc/m)
  },
})

situation({
  name: '_dmarc is a CNAME to a DMARC service',
  expert: 'The service hosts the record: the CNAME stays, and stages are set there.',
  zone: `${SOUND}
    _dmarc.acme.test. CNAME acme.test.hosted.dmarc-service.example.
    acme.test.hosted.dmarc-service.example. TXT "v=DMARC1; p=quarantine; rua=mailto:acme@dmarc-service.example"
    dmarc-service.example. MX 10 mx.dmarc-service.example.
    mx.dmarc-service.example. A 192.0.2.30
    *._report._dmarc.dmarc-service.example. TXT "v=DMARC1"`,
  expect: (plan) => {
    expect(recordAt(plan, '_dmarc.acme.test', 'CNAME').action).toBe('keep')
    expect(changesFor(plan, 'dmarc')).toEqual([])
    expect(ladder(plan)).toEqual(['quarantine', 'reject test', 'reject'])
    expect(plan.rollout.map(({ record }) => record.name)).toEqual(
      Array(3).fill('acme.test.hosted.dmarc-service.example'),
    )
    expect(stepNamed(plan, 'Read the reports').where).not.toMatch(/Cloudflare/)
  },
})

const CORP = `
  corp.test. MX 10 mx.corp.test.
  mx.corp.test. A 192.0.2.50
  *._report._dmarc.corp.test. TXT "v=DMARC1"`
const sharedPolicy = (tags: string) => `
  _dmarc.acme.test. CNAME _dmarc.corp.test.
  _dmarc.corp.test. TXT "v=DMARC1; ${tags}; rua=mailto:dmarc@corp.test"${CORP}`

situation({
  name: '_dmarc is a CNAME to the policy of another domain',
  expert: 'That record is never changed: an own record with the same policy takes over.',
  zone: `${SOUND}${sharedPolicy('p=none')}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dmarc')).toEqual([
      'delete CNAME _dmarc.acme.test _dmarc.corp.test',
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@corp.test',
    ])
    expect(plan.records.find(({ type }) => type === 'CNAME')?.why).toMatch(
      /^_dmarc\.corp\.test is corp\.test’s own policy, so changing it would change that domain, too\. /,
    )
    expect(ladder(plan)).toEqual(FULL_LADDER)
    expect(plan.rollout.map(({ record }) => record.name)).toEqual(Array(5).fill('_dmarc.acme.test'))
  },
})

situation({
  name: 'A parked domain whose _dmarc is a CNAME to the policy of another domain',
  expert: 'The lock goes into an own record; the other domain keeps its policy.',
  zone: `${AT_CLOUDFLARE}${sharedPolicy('p=none')}
    acme.test. A 192.0.2.80`,
  expect: (plan) => {
    expect(changesFor(plan, 'dmarc')).toEqual([
      'delete CNAME _dmarc.acme.test _dmarc.corp.test',
      'create TXT _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@corp.test',
    ])
    expect(plan.rollout).toEqual([])
  },
})

situation({
  name: '_dmarc is a CNAME to p=reject of another domain',
  expert: 'It protects the domain already, so it stays, whatever its report addresses are.',
  zone: `${SOUND}
    _dmarc.acme.test. CNAME _dmarc.corp.test.
    _dmarc.corp.test. TXT "v=DMARC1; p=reject"${CORP}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dmarc')).toEqual([])
    expect(recordAt(plan, '_dmarc.acme.test', 'CNAME').action).toBe('keep')
    expect(plan.rollout).toEqual([])
  },
})

situation({
  name: '_dmarc is a CNAME through another domain to a DMARC service',
  expert: 'A change at the end of the chain would change the other domain as well.',
  zone: `${SOUND}
    _dmarc.acme.test. CNAME _dmarc.corp.test.
    _dmarc.corp.test. CNAME corp.dmarc-service.example.
    corp.dmarc-service.example. TXT "v=DMARC1; p=none; rua=mailto:dmarc@corp.test"${CORP}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dmarc')).toEqual([
      'delete CNAME _dmarc.acme.test _dmarc.corp.test',
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@corp.test',
    ])
  },
})

situation({
  name: '_dmarc is a CNAME to _dmarc.acme.test at a DMARC service',
  expert: 'The service hosts the record for this domain alone: it is changed there.',
  zone: `${SOUND}
    _dmarc.acme.test. CNAME _dmarc.acme.test.dmarc-service.example.
    _dmarc.acme.test.dmarc-service.example. TXT "v=DMARC1; p=none; rua=mailto:dmarc@corp.test"${CORP}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dmarc')).toEqual([])
    expect(plan.rollout[1]?.record.name).toBe('_dmarc.acme.test.dmarc-service.example')
  },
})

situation({
  name: 'IONOS’s default _dmarc CNAME at IONOS',
  expert:
    'All customers share it, so it is replaced by an own record; delete and create come together.',
  zone: `${AT_IONOS}${IONOS}
    acme.test. MX 10 mx00.ionos.de.
    acme.test. MX 10 mx01.ionos.de.
    acme.test. TXT "v=spf1 include:_spf-eu.ionos.com ~all"
    _dmarc.acme.test. CNAME dmarc.ionos.de.`,
  expect: (plan) => {
    expect(changesFor(plan, 'dmarc')).toEqual([
      'delete CNAME _dmarc.acme.test dmarc.ionos.de',
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    ])
    const orders = plan.records.filter(
      ({ purpose, action }) => purpose === 'dmarc' && action !== 'keep',
    )
    const steps = plan.steps.filter(({ records }) =>
      orders.some(({ order }) => records.includes(order)),
    )
    expect(steps).toHaveLength(1)
  },
})

situation({
  name: 'DMARC published at the root instead of at _dmarc',
  expert:
    'Moved to where receivers look, with its report address; it starts at none, because nothing was in force.',
  zone: `${SOUND}
    acme.test. TXT "v=DMARC1; p=reject; rua=mailto:postmaster@acme.test"`,
  expect: (plan) => {
    expect(changesFor(plan, 'dmarc')).toEqual([
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:postmaster@acme.test',
      'delete TXT acme.test v=DMARC1; p=reject; rua=mailto:postmaster@acme.test',
    ])
    expect(ladder(plan)).toEqual(FULL_LADDER)
  },
})

situation({
  name: 'DMARC at the doubled name _dmarc.acme.test.acme.test',
  expert: 'Same: moved, and the useless record goes.',
  zone: `${SOUND}
    _dmarc.acme.test.acme.test. TXT "v=DMARC1; p=quarantine; rua=mailto:postmaster@acme.test"`,
  expect: (plan) => {
    expect(changesFor(plan, 'dmarc')).toEqual([
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:postmaster@acme.test',
      'delete TXT _dmarc.acme.test.acme.test v=DMARC1; p=quarantine; rua=mailto:postmaster@acme.test',
    ])
  },
})

situation({
  name: 'GoDaddy’s default reject with reports to GoDaddy, mailboxes at Google',
  expert: 'The policy stays, the reports come to the owner, and the plan says where they went.',
  zone: `${AT_GODADDY}${GOOGLE}${keyZoneLine('google')}
    acme.test. MX 1 smtp.google.com.
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    ${dmarcZoneLine('p=reject; adkim=r; aspf=r; rua=mailto:dmarc_rua@onsecureserver.net;')}
    onsecureserver.net. MX 10 mx.onsecureserver.net.
    mx.onsecureserver.net. A 192.0.2.20
    *._report._dmarc.onsecureserver.net. TXT "v=DMARC1"`,
  expect: (plan) => {
    expect(dmarcTags(valueNow(plan))).toMatchObject({ p: 'reject', rua: 'mailto:dmarc@acme.test' })
    expect(recordAt(plan, '_dmarc.acme.test').why).toMatch(
      /Removed mailto:dmarc_rua@onsecureserver\.net, because your DNS host doesn’t show you these reports\./,
    )
    expect(plan.rollout).toEqual([])
  },
})

situation({
  name: 'rua at an agency that has not agreed',
  expert: 'The agency must publish one record in its own DNS; the address itself stays.',
  zone: `${SOUND}${dmarcZoneLine('p=none; rua=mailto:reports@agency.example')}
    agency.example. MX 10 mx.agency.example.
    mx.agency.example. A 192.0.2.40`,
  expect: (plan) => {
    const lines = changesFor(plan, 'dmarc')
    expect(lines[0]).toBe('create TXT acme.test._report._dmarc.agency.example v=DMARC1')
    expect(valueNow(plan)).toContain('mailto:reports@agency.example')
    expect(plan.exports.terraform ?? '').not.toMatch(/^\s+name\s+=.*agency/m)
    expect(stepNamed(plan, 'Ask agency.example').where).toContain('agency.example')
  },
})

situation({
  name: 'Misspelt record: "v=DMARC; p=reject"',
  expert: 'Nobody reads it today, so the repaired record starts at none.',
  zone: `${SOUND}
    _dmarc.acme.test. TXT "v=DMARC; p=reject; rua=mailto:postmaster@acme.test"`,
  expect: (plan) => {
    expect(changesFor(plan, 'dmarc')).toEqual([
      'replace TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:postmaster@acme.test',
    ])
    expect(ladder(plan)).toEqual(FULL_LADDER)
  },
})

situation({
  name: 'Two DMARC records',
  expert: 'Receivers ignore both; one remains with all report addresses and starts at none.',
  zone: `${SOUND}${dmarcZoneLine('p=none; rua=mailto:a@acme.test')}${dmarcZoneLine('p=reject; rua=mailto:b@acme.test')}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dmarc')).toEqual([
      'replace TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:a@acme.test,mailto:b@acme.test',
    ])
    expect(recordAt(plan, '_dmarc.acme.test').replaces).toHaveLength(2)
  },
})

situation({
  name: 'p=none without rua for years',
  expert: 'Reports first: without them nobody can know when to go on.',
  zone: `${SOUND}${dmarcZoneLine('p=none')}`,
  expect: (plan) => {
    expect(changes(plan).filter(isNotTransport)).toEqual([
      'replace TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    ])
    expect(titles(plan)).toContain('Create a mailbox for the reports')
    expect(ladder(plan)).toEqual(FULL_LADDER)
  },
})

situation({
  name: 'A domain that needs nothing',
  expert: 'Everything is kept, nothing is asked, no stage is left, and the summary says so.',
  zone: `${SOUND}${dmarcZoneLine('p=reject; rua=mailto:dmarc@acme.test')}
    _smtp._tls.acme.test. TXT "v=TLSRPTv1; rua=mailto:dmarc@acme.test"`,
  expect: (plan) => {
    expect(changes(plan)).toEqual([])
    expect(plan.rollout).toEqual([])
    expect(warningIds(plan)).toEqual([])
    expect(plan.summary).toContain('You don’t need to change anything today.')
    expect(plan.effort.minutesToday).toBe(0)
    expect(plan.current).toEqual({ score: 100, grade: 'A' })
    expect(plan.exports.calendar).toBeNull()
    expect(plan.steps.filter(({ optional }) => !optional)).toEqual([])
  },
})

situation({
  name: 'ruf, fo and ri from a generator',
  expert: 'Harmless tags stay as the owner wrote them, in every stage.',
  zone: `${SOUND}${dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test; ruf=mailto:dmarc@acme.test; fo=1')}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dmarc')).toEqual([])
    const last = dmarcTags(plan.rollout.at(-1)?.record.value ?? '')
    expect(last).toMatchObject({ p: 'reject', ruf: 'mailto:dmarc@acme.test', fo: '1' })
  },
})

situation({
  name: 'rua without mailto:',
  expert: 'No receiver sends reports there: repaired, not replaced by another address.',
  zone: `${SOUND}${dmarcZoneLine('p=none; rua=postmaster@acme.test')}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dmarc')).toEqual([
      'replace TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:postmaster@acme.test',
    ])
  },
})

situation({
  name: 'Reject for half of the mail',
  expert: 'All mail next, without going back to quarantine first.',
  zone: `${SOUND}${dmarcZoneLine('p=reject; pct=50; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(plan.rollout.map(({ record }) => dmarcTags(record.value).p)).toEqual([
      'reject',
      'reject',
    ])
    expect(dmarcTags(plan.rollout[1]?.record.value ?? '').pct).toBeUndefined()
  },
})

situation({
  name: 'p=none above sp=reject',
  expert: 'The strict policy of the subdomains is never lowered on the way.',
  zone: `${SOUND}${dmarcZoneLine('p=none; sp=reject; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    const subdomains = plan.rollout.map(({ record }) => {
      const { p, sp = p, t } = dmarcTags(record.value)
      return `${sp} ${t ?? 'n'}`
    })
    expect(subdomains.filter((each) => each !== 'reject n')).toEqual([])
    expect(ladder(plan).at(-1)).toBe('reject')
  },
})

situation({
  name: 'Quarantine without a key at Google',
  expert: 'Mail of staff may be in spam folders now: urgent, and reject only after the key.',
  zone: `${ON_GOOGLE}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    ${dmarcZoneLine('p=quarantine; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(titles(plan)[0]).toMatch(/^Urgent: /)
    expect(plan.warnings.find(({ id }) => id === 'plan.mail-at-risk')?.detail).toMatch(/spam/)
    expect(ladder(plan)).toEqual(['quarantine', 'reject test', 'reject'])
    expect(plan.rollout[0]?.proceedWhen.join(' ')).toMatch(/DKIM/)
  },
})

situation({
  name: 'Strict alignment while Mailgun sends as mg.',
  expert: 'The warning names the service that strict alignment will cost.',
  zone: `${SOUND}${MAILGUN}
    mg.acme.test. MX 10 mxa.mailgun.org.
    mg.acme.test. TXT "v=spf1 include:mailgun.org ~all"
    ${txtZoneLine('pic._domainkey.mg.acme.test', GOOD_KEY_RECORD)}
    ${dmarcZoneLine('p=none; adkim=s; aspf=s; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(plan.warnings.find(({ id }) => id === 'plan.strict-alignment')?.detail).toMatch(
      /Mailgun signs as mg\.acme\.test/,
    )
  },
})
